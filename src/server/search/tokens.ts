import { plainLetters } from '../model/plain-letters.ts';

/** Scripts that are written without spaces: their texts are cut into pairs of characters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]+/gu;
const longest = 40;
/** What is no part of a word, and may be written as letters that would join it (℠, ㎡, №); and ½, which would join a number before it. */
const apart = /[^\p{L}\p{N}\p{M}\s]|[\u00bc-\u00be\u2150-\u215f\u2189]/gu;

/** The words of a text as the index has them: small letters without diacritics, nothing but letters and digits. */
export function words(text: string): string[] {
  const plain = plainLetters(text.replace(apart, ' $& '));
  const found = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = unspaced.test(plain) ? found.flatMap(split) : found;
  return all.map((word) => (word.length > longest ? [...word].slice(0, longest).join('') : word));
}

function split(word: string): string[] {
  return (word.match(unspacedRun) ?? []).flatMap((run) => (unspaced.test(run) ? pairs([...run]) : [run]));
}

function pairs(characters: string[]): string[] {
  if (characters.length === 1) return characters;
  return characters.slice(1).map((second, i) => `${characters[i]}${second}`);
}

/** Whether a word is a single character of such a script, and so maybe a part of any pair. */
export function isCharacter(word: string): boolean {
  return unspaced.test(word) && [...word].length === 1;
}

/** The last characters of pairs with which none of the words begins: all others are found as the beginnings of words. */
export function lastCharacters(all: readonly string[]): string[] {
  const paired = all.filter((word) => unspaced.test(word));
  const begun = new Set(paired.map((word) => [...word][0]));
  return [...new Set(paired.flatMap((word) => [...word].slice(-1)))].filter((last) => !begun.has(last));
}

/** The runs of 3 and 4 characters in a word, its ends marked. */
export function gramsOf(word: string): string[] {
  const marked = `_${word}_`;
  const grams: string[] = [];
  for (const length of [3, 4])
    for (let i = 0; i + length <= marked.length; i++) grams.push(marked.slice(i, i + length));
  return grams;
}
