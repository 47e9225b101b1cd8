import { expect, test } from 'vitest';
import { WriteRush } from '../../src/server/store/write-rush.ts';

test('moves a second are those since the look before', () => {
  const rush = new WriteRush();
  expect(rush.look({ lastMove: 5000, now: 10 })).toBe(0);
  expect(rush.look({ lastMove: 5100, now: 110 })).toBe(1000);
  expect(rush.look({ lastMove: 5100, now: 210 })).toBe(0);
});

test.each([
  [501, 100, true],
  [500, 100, false],
  [100_000, 0, false],
  [100_000, 4999, true],
  [100_000, 5000, false],
])('at %i moves a second, after %i ms of rest, there is more of it: %s', (moves, rested, more) => {
  const rush = new WriteRush();
  rush.look({ lastMove: 0, now: 0 });
  rush.look({ lastMove: moves, now: 1000 });
  expect(rush.goesOn(rested)).toBe(more);
});
