import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordDiff } from '../../src/renderer/src/views/history/word-diff.ts';

test('a text is compared word by word', () => {
  expect(wordDiff('Oil paint on canvas, 1929', 'Oil on canvas, ca. 1929')).toEqual([
    { text: 'Oil ', side: 'both' },
    { text: 'paint ', side: 'old' },
    { text: 'on canvas,', side: 'both' },
    { text: ' ca.', side: 'new' },
    { text: ' 1929', side: 'both' },
  ]);
  expect(wordDiff('same', 'same')).toEqual([{ text: 'same', side: 'both' }]);
  expect(wordDiff('', 'Größe')).toEqual([{ text: 'Größe', side: 'new' }]);
});

test('both sides can be read out of it again, also of long texts', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b ', ' ', 'ä', '.', '\n', '日本'), { maxLength: 30 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = wordDiff(before, after);
      const read = (side: 'old' | 'new') =>
        pieces
          .filter((one) => one.side !== side)
          .map((one) => one.text)
          .join('');
      expect([read('new'), read('old')]).toEqual([before, after]);
    }),
  );
  const long = (seed: string) => `${seed} word `.repeat(5000);
  expect(wordDiff(long('x'), long('y'))).toHaveLength(3);
});
