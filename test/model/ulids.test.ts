import { expect, test } from 'vitest';
import { ulids } from '../../src/server/model/ulids.ts';

test('ids are in the order of their making, and all differ', () => {
  const next = ulids();
  const made = Array.from({ length: 5000 }, (_, i) => next(1_700_000_000_000 + Math.floor(i / 7)));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
  expect(made.every((id) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id))).toBe(true);
});

test('two that make them at the same time do not meet', () => {
  const [a, b] = [ulids(), ulids()];
  const made = Array.from({ length: 2000 }, (_, i) => [a(i), b(i)]).flat();
  expect(new Set(made).size).toBe(made.length);
});
