import { expect, test } from 'vitest';
import { inLines, nextDifference } from '../../src/renderer/src/views/history/differences.ts';

test('what differs on one line is one difference, from top to bottom', () => {
  const places = [
    { element: 'old, second line', top: 140 },
    { element: 'old', top: 100 },
    { element: 'new', top: 102 },
    { element: 'new, second line', top: 141 },
    { element: 'a row', top: -300 },
  ];
  expect(inLines(places).map(({ element }) => element)).toEqual(['a row', 'old', 'old, second line']);
  expect(inLines([])).toEqual([]);
});

test('there is no difference before the first and none behind the last', () => {
  expect([nextDifference(-1, 3, 1), nextDifference(2, 3, 1), nextDifference(0, 3, -1)]).toEqual([0, 2, 0]);
  expect(nextDifference(-1, 3, -1)).toBe(0);
});
