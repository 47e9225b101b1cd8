import { expect, test } from 'vitest';
import { IndexPace } from '../../src/server/search/index-pace.ts';

/** Asks again after each rest, as MoveFollower does, while so many moves come in each millisecond; gives the rests and their sum. */
function rests(pace: IndexPace, hurried: boolean, movesAt: (ms: number) => number) {
  const all: number[] = [];
  for (let now = 0; ; ) {
    const ms = pace.rest(hurried, now, { lastMove: movesAt(now), now });
    if (ms <= 0) return { all, sum: now };
    all.push(ms);
    now += ms;
  }
}

test('what comes one by one is gathered for a moment', () => {
  expect(rests(new IndexPace(), false, (ms) => ms / 10).all).toEqual([100]);
});

test('a burst is left to end, and then taken up within a moment', () => {
  const { sum } = rests(new IndexPace(), false, (ms) => Math.min(ms, 730) * 5);
  expect(sum).toBeGreaterThan(730);
  expect(sum).toBeLessThanOrEqual(930);
});

test('a burst that does not end is waited for five seconds at most', () => {
  expect(rests(new IndexPace(), false, (ms) => ms * 5).sum).toBe(5000);
});

test('who waits for the index has it at once where few write', () => {
  const pace = new IndexPace();
  pace.rest(true, 0, { lastMove: 100, now: 0 });
  expect(pace.rest(true, 0, { lastMove: 200, now: 100 })).toBe(0);
  expect(pace.sliceMs).toBe(150);
});

test('who waits for it while very many write has it in short slices, with rests that nothing prolongs', () => {
  const pace = new IndexPace();
  pace.rest(true, 0, { lastMove: 0, now: 0 });
  expect(pace.rest(true, 0, { lastMove: 400, now: 100 })).toBe(60);
  expect(pace.sliceMs).toBe(30);
  expect(pace.rest(true, 60, { lastMove: 800, now: 160 })).toBe(0);
  expect(pace.sliceMs).toBe(30);
  expect(pace.rest(false, 0, { lastMove: 800, now: 260 })).toBe(100);
  expect(pace.sliceMs).toBe(150);
});
