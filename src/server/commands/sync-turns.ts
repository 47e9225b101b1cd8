import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { NamedRemote } from './remote.ts';

/** So many with which something is done are synced with at once. */
const mostAtOnce = 8;

/** How one remote is synced with, and what is to be known of that for the others. */
export interface Turns<T> {
  /** `shows`: called when something has come of it. */
  sync: (remote: string, shows: () => void) => Promise<T>;
  /** Whether something came from it that others may lack. */
  brings: (outcome: T) => boolean;
  /** Whether what came from others goes to it. */
  takes: (outcome: T) => boolean;
  /** What two syncs in a row came to. */
  join: (first: T, second: T) => T;
  /** So long one of which nothing comes keeps the next one waiting, in milliseconds; tests give their own. */
  quiet?: number;
}

/**
 * Syncs with one after the other, so that what one brings goes on to the next, but that nobody waits for one that does not answer: the
 * next begins beside one of which nothing comes, and those that did not answer the last time run at once, after all others. What a late one
 * brings then goes to those after it in a second sync.
 */
export async function inTurn<T>(
  remotes: NamedRemote[],
  { sync, brings, takes, join, quiet = 2000 }: Turns<T>,
): Promise<T[]> {
  const silent = new PQueue({ concurrency: mostAtOnce });
  const turns: Turn<T>[] = [];
  const running: Promise<void>[] = [];
  let steps = 0;
  const begin = async ({ name }: NamedRemote) => {
    let isShown = false;
    const outcome = sync(name, () => {
      isShown = true;
    });
    const turn: Turn<T> = { name, begun: steps++, ended: Number.POSITIVE_INFINITY, outcome: [] };
    turns.push(turn);
    const done = outcome.then((came) => {
      turn.ended = steps++;
      turn.outcome = [came];
    });
    running.push(done);
    done.catch(() => undefined);
    await Promise.race([done, sleep(quiet, undefined, { ref: false })]);
    if (isShown) await done;
  };
  for (const remote of remotes)
    if (remote.isSilent) void silent.add(() => begin(remote)).catch(() => undefined);
    else await begin(remote);
  await silent.onIdle();
  await Promise.all(running);
  const late = turns.filter(({ outcome }) => outcome.some(brings));
  const came: T[] = [];
  for (const { name, begun, outcome } of turns)
    for (const first of outcome) {
      const lacks = takes(first) && late.some((one) => one.begun < begun && one.ended > begun);
      came.push(lacks ? await sync(name, () => undefined).then((second) => join(first, second)) : first);
    }
  return came;
}

interface Turn<T> {
  name: string;
  /** Steps of all turns, in their order. */
  begun: number;
  ended: number;
  /** Once it has come. */
  outcome: T[];
}
