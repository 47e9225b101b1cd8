import { expect, test } from 'vitest';
import { Vocabulary } from '../../src/server/search/vocabulary.ts';

function vocabularyOf(terms: readonly string[], most?: number): (word: string) => string[] {
  const vocabulary = new Vocabulary(most);
  for (const term of terms) vocabulary.add(term);
  return (word) => vocabulary.like(word, 10).map(({ term }) => term);
}

test('a misspelled or inflected word leads to those that it resembles, the most alike first', () => {
  const like = vocabularyOf(['harbour', 'harbours', 'harp', 'boat', 'sailboat']);
  expect(like('harbuor')[0]).toBe('harbour');
  expect(like('harbour')).toEqual(['harbours']);
  expect(like('boat')).toEqual(['sailboat']);
});

test('numbers, and names with digits, resemble nothing', () => {
  const like = vocabularyOf(['1960', '1961', 'a00021', 'a00022', 'a000', '19th', '20th', 'harbour']);
  for (const word of ['1962', 'a00023', 'a0002', '18th']) expect(like(word)).toEqual([]);
  expect(like('harbor')).toEqual(['harbour']);
});

test('of very many words the first are kept', () => {
  const like = vocabularyOf(['harbour', 'river', 'mountain'], 2);
  expect(like('rivers')).toEqual(['river']);
  expect(like('mountains')).toEqual([]);
});
