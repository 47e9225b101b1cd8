import { expect, test } from 'vitest';
import { LoopShare } from '../../src/server/loop/loop-share.ts';

/** Longer than what is shared of one turn. */
function burn(): void {
  const begun = performance.now();
  while (performance.now() - begun < 5);
}

/** Numbers the turns of the event loop while `work` goes on. */
async function inTurns<T>(work: (turn: () => number) => Promise<T>): Promise<T> {
  let turn = 0;
  let ended = false;
  const count = () => {
    turn++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  try {
    return await work(() => turn);
  } finally {
    ended = true;
  }
}

test('a burst of long work is spread over turns, in order', async () => {
  const share = new LoopShare();
  const ran = await inTurns(async (turn) => {
    const seen: { i: number; turn: number }[] = [];
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        return new Promise<void>((resolve) =>
          share.run(() => {
            burn();
            seen.push({ i, turn: turn() });
            resolve();
          }),
        );
      }),
    );
    return seen;
  });
  expect(ran.map(({ i }) => i)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(ran.map(({ turn }) => turn)).size).toBe(6);
});

test('what hangs on a promise that was resolved counts as the time of the work', async () => {
  const share = new LoopShare();
  const turns = await inTurns((turn) =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        await new Promise<void>((resolve) => share.run(resolve));
        burn();
        return turn();
      }),
    ),
  );
  expect(new Set(turns).size).toBe(4);
});

test('short work of one turn is done before the next', async () => {
  const share = new LoopShare(60_000);
  const turns = await inTurns((turn) =>
    Promise.all(Array.from({ length: 3 }, () => new Promise<number>((resolve) => share.run(() => resolve(turn()))))),
  );
  expect(new Set(turns).size).toBe(1);
});

test('work that is asked for by work has its turn, and so has what comes when all was quiet', async () => {
  const share = new LoopShare();
  const ran: string[] = [];
  await new Promise<void>((resolve) => share.run(() => share.run(resolve)));
  ran.push('nested');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await new Promise<void>((resolve) => share.run(resolve));
  ran.push('later');
  expect(ran).toEqual(['nested', 'later']);
});
