import type { Reader } from '../store/connection.ts';
import { labelsWith } from '../store/search/search-hits.ts';
import { frequency, type Lexicon } from './lexicon.ts';
import { isCharacter, words } from './tokens.ts';

/** Longer texts are no names. */
const mostWords = 8;
/** So many letters that are no word are initials. */
const mostGlued = 4;
/** So many labels are looked at, so many other words of a name may be left out, and so many names are meant. */
const [mostLabels, mostLeftOut, mostNames] = [1000, 3, 5];

const letters = /^\p{L}+$/u;

/**
 * The names that a text gives with initials (J.M.W. Turner, JMW Turner, Turner J.), as labels have them, in words: those first of
 * which least is left out.
 */
export function namesMeant(db: Reader, lexicon: Lexicon, typed: readonly string[]): string[][] {
  if (typed.length < 2 || typed.length > mostWords) return [];
  const isInitial = (word: string) =>
    word.length <= mostGlued &&
    letters.test(word) &&
    !isCharacter(word) &&
    (word.length === 1 || frequency(db, lexicon, word) === 0);
  const initials = typed.filter(isInitial).join('');
  const whole = typed.filter((word) => !isInitial(word));
  if (initials === '' || whole.length === 0 || whole.some((word) => frequency(db, lexicon, word) === 0)) return [];
  const match = [...whole.map((word) => `"${word}"`), ...[...new Set(initials)].map((letter) => `"${letter}"*`)];
  const names = new Map<string, { name: string[]; leftOut: number }>();
  for (const label of labelsWith(db, match.join(' AND '), mostLabels)) {
    const name = words(label);
    const leftOut = leftOutOf(name, whole, initials);
    if (leftOut <= mostLeftOut) names.set(name.join(' '), { name, leftOut });
  }
  return [...names.values()]
    .sort((a, b) => a.leftOut - b.leftOut)
    .slice(0, mostNames)
    .map(({ name }) => name);
}

/** How many words of a name are neither among the whole ones nor begin with the initials in their order; Infinity where these do not fit. */
function leftOutOf(name: readonly string[], whole: readonly string[], initials: string): number {
  const others = name.filter((word) => !whole.includes(word));
  let at = 0;
  for (const word of others) if (at < initials.length && word.startsWith(initials[at] ?? '')) at++;
  if (at < initials.length) return Number.POSITIVE_INFINITY;
  // What stands before the first of them is rather another name than a title.
  return others.length - at + (others[0]?.startsWith(initials[0] ?? '') ? 0 : 1);
}
