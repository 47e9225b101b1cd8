import type { Reader } from '../store/connection.ts';
import { isBeginning } from '../store/search/search-hits.ts';
import { frequency, type Lexicon } from './lexicon.ts';

/** What texts have for some of a query's words; `others` are the rest of these. */
export interface Respelled {
  /** Words, or several of them as they stand beside each other. */
  terms: string[];
  others: string[];
}

/** So many words that were typed as two are looked for, and so many that were typed as one. */
const [maxJoined, maxSplit] = [3, 3];
/** Shorter words are rather misspelled than two; and so many ways to read one as two are tried. */
const [splitFrom, maxWays] = [6, 6];
/** What is as much like a known word has one letter wrong. */
const misspelledFrom = 0.85;
/** Shorter numbers say too little by themselves, and of so many digits those that texts have are years. */
const digitsFrom = 4;

const number = /^\p{N}+$/u;
const numbered = /\p{N}/u;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Words that were typed as two and that texts have as one (sea scape, N 00530), those that were typed as one and that texts have as
 * two (stilllife, N00530), and numbers that texts have behind a letter.
 */
export function respelled(db: Reader, lexicon: Lexicon, typed: readonly string[]): Respelled[] {
  const without = (from: number, to: number) => [...typed.slice(0, from), ...typed.slice(to)];
  const joined = typed.slice(1).flatMap((second, i) => {
    const word = `${typed[i]}${second}`;
    // Two numbers beside each other are two.
    if (number.test(word) || frequency(db, lexicon, word) === 0) return [];
    return [{ terms: [word], others: without(i, i + 2) }];
  });
  const split = typed.flatMap((word, i) => {
    const terms = number.test(word) ? lettered(db, lexicon, word) : parts(db, lexicon, word);
    return terms.length === 0 ? [] : [{ terms, others: without(i, i + 1) }];
  });
  return [...joined.slice(0, maxJoined), ...split.slice(0, maxSplit)];
}

/** A number with each letter before it that some text has there. */
function lettered(db: Reader, lexicon: Lexicon, digits: string): string[] {
  if (digits.length < digitsFrom) return [];
  if (digits.length === digitsFrom && frequency(db, lexicon, digits) > 0) return [];
  return [...alphabet].map((letter) => `${letter}${digits}`).filter((word) => frequency(db, lexicon, word) > 0);
}

/** An unknown word as two that are known, the ways first whose rarer word more texts have. */
function parts(db: Reader, lexicon: Lexicon, word: string): string[] {
  if (frequency(db, lexicon, word) > 0) return [];
  const all = [...word];
  const isApart = numbered.test(word)
    ? (at: number) => number.test(all[at - 1] ?? '') !== number.test(all[at] ?? '')
    : (at: number) => all.length >= splitFrom && at >= 2 && at <= all.length - 2;
  const ways = all.flatMap((_, at) => {
    if (at === 0 || !isApart(at)) return [];
    const [one, other] = [all.slice(0, at).join(''), all.slice(at).join('')];
    const known = Math.min(frequency(db, lexicon, one), frequency(db, lexicon, other));
    return known === 0 ? [] : [{ term: `${one} ${other}`, known }];
  });
  // What is half typed, or but misspelled, is one word (watercolor).
  if (ways.length === 0 || isBeginning(db, word)) return [];
  const [nearest] = lexicon.vocabulary.like(word, 1);
  if (nearest && nearest.likeness >= misspelledFrom) return [];
  return ways
    .sort((a, b) => b.known - a.known)
    .slice(0, maxWays)
    .map(({ term }) => term);
}
