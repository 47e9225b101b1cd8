import { expect, test } from 'vitest';
import { folded, labelKey } from '../../src/server/model/label-fold.ts';

test.each([
  ['Ada Lovelace', 'ADA LOVELACE'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδος', 'Οδοσ'],
  ['Caf\u00e9', 'CAFE\u0301'],
  ['ÅNGSTRÖM', '\u212bngstr\u00f6m'],
  ['ﬁne', 'FINE'],
  ['Привет', 'ПРИВЕТ'],
])('%s and %s are one', (a, b) => {
  expect(folded(a)).toBe(folded(b));
  expect(folded(folded(a))).toBe(folded(a));
});

test.each([
  ['a', 'b'],
  ['e', 'é'],
  ['a b', 'ab'],
  ['', ' '],
])('%j and %j are two', (a, b) => expect(folded(a)).not.toBe(folded(b)));

test('a part folds as it does within the whole', () => {
  expect(folded('ΟΔΟΣ ΑΒ')).toContain(folded('οδος'));
  expect(folded('ΟΔΟΣΑ')).toContain(folded('ΟΔΟΣ'));
});

test('a label is indexed by what it begins with, as text that can be stored', () => {
  expect(labelKey(`${'A'.repeat(500)}B`)).toBe('a'.repeat(500));
  expect(labelKey(`${'A'.repeat(499)}😀`).isWellFormed()).toBe(true);
});
