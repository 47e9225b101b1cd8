import { request } from 'node:http';
import { expect, test } from 'vitest';
import { answerBytes } from '../../src/server/http/byte-answer.ts';
import type { StreamRequest } from '../../src/server/http/streams.ts';
import { startNode } from '../helpers/node.ts';
import { create, done, exported, imported, tipsOf, update, verified } from '../helpers/node-archives.ts';
import { SampleState, withArchive } from '../helpers/sample-archive.ts';

test('a history that no page and no commit holds goes in and out whole', async () => {
  await using node = await startNode();
  await using other = await startNode();
  const state = new SampleState();
  state.write('before', 2);
  const long = state.write('long', 1300, { text: 'x'.repeat(3000) });
  state.write('heavy', 3, { text: 'y'.repeat(2_000_000) });
  state.write('after', 2);
  expect(await imported(node, await state.export())).toMatchObject({ entities: 4, versions: 1307, created: 4 });
  expect((await done(node, `GET /entities/${long}`)).ver).toBe(1300);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
  // One move, however many commits the history took.
  expect((await moves(node)).filter(({ id }) => id === long)).toEqual([{ id: long, origin: 'car' }]);

  const { car } = await exported(node, `?entity=${long}`);
  expect(await withArchive(car, async ({ counts }) => counts.nodes)).toBe(1302);
  expect(await imported(other, (await exported(node)).car)).toMatchObject({ versions: 1308 });
  expect(await tipsOf(other)).toEqual(await tipsOf(node));

  // A step of it: what comes after an earlier tip.
  state.write('long', 20);
  expect(await imported(node, await state.export())).toMatchObject({ versions: 20, advanced: 1, unchanged: 3 });
  const step = await exported(node, `?entity=${long}`, car);
  expect(await withArchive(step.car, async ({ counts }) => counts.nodes)).toBe(23);
  expect(await imported(other, step.car)).toMatchObject({ versions: 20, advanced: 1 });

  const lines = Buffer.from((await exported(node, `?entity=${long}&format=ndjson`)).car).toString();
  expect(lines.match(/\n/g)).toHaveLength(1320);
});

test('an export while entities are written and made is one sound state', async () => {
  await using node = await startNode();
  await using other = await startNode();
  const state = new SampleState();
  for (let i = 0; i < 1200; i++) state.write(`person ${i}`);
  await imported(node, await state.export());
  let going = true;
  const last = create(node, 'busy').then(async (first) => {
    let busy = first;
    for (let i = 0; going; i++) {
      busy = await update(node, busy, { round: i });
      await create(node, `new ${i}`);
    }
    return busy;
  });
  for (let i = 0; i < 2; i++) await imported(other, (await exported(node)).car);
  going = false;
  await last;
  await imported(other, (await exported(node)).car);
  expect(await tipsOf(other)).toEqual(await tipsOf(node));
  expect(await verified(other)).toMatchObject({ ok: true, problems: [] });
});

test('bytes are made no faster than they are read, and no longer than somebody reads', async () => {
  let made = 0;
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; ; made++) yield new Uint8Array(256 * 1024);
    } finally {
      ended();
    }
  }
  await using node = await startNode({
    extend: (app) => {
      app.get('/endless', (req, _response, next) => {
        answerBytes(req as unknown as StreamRequest, endless(), { 'Content-Type': 'x/bytes' }).catch(next);
      });
    },
  });
  const asked = request(`${node.url}/endless`, { agent: false });
  asked.on('error', () => undefined);
  const paused = new Promise((resolve) => asked.once('response', (response) => resolve(response.pause())));
  asked.end();
  await paused;
  // What fits in between is made first, however long that takes.
  for (let before = -1; before !== made; await new Promise((resolve) => setTimeout(resolve, 300))) before = made;
  asked.destroy();
  await end;
});

async function moves(node: Awaited<ReturnType<typeof startNode>>): Promise<{ id: string; origin: string }[]> {
  const store = await node.ctx.networks.get('main');
  return store.read((db) =>
    db.all('SELECT e.id, m.origin FROM moves m JOIN entity e ON e.key = m.entity ORDER BY m.id'),
  );
}
