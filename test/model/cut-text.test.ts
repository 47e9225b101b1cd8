import { expect, test } from 'vitest';
import { beginningOf, endOf, shortened } from '../../src/server/model/cut-text.ts';

const globe = '🌍';

test.each<[string, number, string, string]>([
  ['plain', 3, 'pla', 'ain'],
  ['plain', 9, 'plain', 'plain'],
  [`a${globe}b`, 2, 'a', 'b'],
  [`a${globe}b`, 3, `a${globe}`, `${globe}b`],
  [globe, 1, '', ''],
  [globe, 0, '', ''],
  [`${globe.slice(0, 1)}a${globe.slice(1)}`, 3, '\ufffda\ufffd', '\ufffda\ufffd'],
])('%j is cut at %d between characters', (text, most, beginning, end) => {
  expect(beginningOf(text, most)).toBe(beginning);
  expect(endOf(text, most)).toBe(end);
});

test.each([
  ['plain', 5, 'plain'],
  ['plainer', 5, 'plai…'],
  [`abc${globe}d`, 5, 'abc…'],
])('%j has at most %d units when it is shortened, all of them whole characters', (text, most, short) => {
  expect(shortened(text, most)).toBe(short);
});
