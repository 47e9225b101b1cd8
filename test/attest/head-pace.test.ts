import { expect, test } from 'vitest';
import { HeadPace } from '../../src/server/attest/head-pace.ts';

/** Asks again after each rest, as MoveFollower does; the milliseconds until a head is due while so many moves come in each. */
function rested(pace: HeadPace, begin: number, movesAt: (now: number) => number): number {
  for (let rested = 0; ; ) {
    const now = begin + rested;
    const ms = pace.rest(rested, { lastMove: movesAt(now), now });
    if (ms <= 0) return rested;
    rested += ms;
  }
}

test('the first move has its head at once, and those that come one by one once a second', () => {
  const pace = new HeadPace();
  const slowly = (now: number) => now / 10;
  expect(rested(pace, 5000, slowly)).toBe(0);
  pace.signed(5000);
  expect(pace.isDue(5999)).toBe(false);
  expect(rested(pace, 5010, slowly)).toBe(990);
  expect(pace.isDue(6000)).toBe(true);
  expect(rested(pace, 9000, slowly)).toBe(0);
});

test('a burst has it when it has ended, and one that does not end every five seconds', () => {
  const pace = new HeadPace();
  pace.signed(0);
  const burst = rested(pace, 0, (now) => Math.min(now, 2330) * 5);
  expect(burst).toBeGreaterThan(2330);
  expect(burst).toBeLessThanOrEqual(2530);
  pace.signed(2600);
  expect(rested(pace, 2600, (now) => now * 5)).toBe(5000);
});
