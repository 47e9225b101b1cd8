import { gramsOf } from './tokens.ts';

/** A word of the index that resembles a word of a query. */
export interface Variant {
  term: string;
  /** 0..1 */
  likeness: number;
}

/** What is less alike is no variant: neither misspelled nor inflected. */
const likenessFrom = 0.4;
const [shortest, longest] = [3, 30];
/** A number, or a name with one in it (an inventory number), that is nearly another one's means something else. */
const numbered = /\p{N}/u;
/** Some 200 bytes each. What comes later is found as it is, and by how it begins. */
const mostTerms = 300_000;

/**
 * The words of an index, found by the 3- and 4-grams that they share: what was misspelled, inflected, or is part of a
 * compound. That costs a hundredth of grams over all texts, and finds more.
 */
export class Vocabulary {
  readonly #most: number;
  readonly #terms: string[] = [];
  readonly #sizes: number[] = [];
  readonly #byGram = new Map<string, number[]>();
  #counts = new Uint8Array(1024);

  /** `most`: so many words are kept. */
  constructor(most = mostTerms) {
    this.#most = most;
  }

  add(term: string): void {
    if (!hasVariants(term) || this.#terms.length >= this.#most) return;
    const number = this.#terms.length;
    const grams = new Set(gramsOf(term));
    this.#terms.push(term);
    this.#sizes.push(grams.size);
    for (const gram of grams) {
      const list = this.#byGram.get(gram);
      if (list) list.push(number);
      else this.#byGram.set(gram, [number]);
    }
  }

  /** The words most like `word`, best first, without itself. */
  like(word: string, limit: number): Variant[] {
    if (!hasVariants(word)) return [];
    const grams = new Set(gramsOf(word));
    const met = this.#sharing(grams);
    const found: Variant[] = [];
    for (const number of met) {
      const shared = this.#counts[number] ?? 0;
      this.#counts[number] = 0;
      const term = this.#terms[number] ?? '';
      if (term === word) continue;
      const dice = (2 * shared) / (grams.size + (this.#sizes[number] ?? 0));
      const likeness = likenessOf(word, term, dice);
      if (likeness >= likenessFrom) found.push({ term, likeness });
    }
    return found.sort((a, b) => b.likeness - a.likeness || (a.term < b.term ? -1 : 1)).slice(0, limit);
  }

  /** The numbers of words that share a gram; how many each shares is left in `#counts`. */
  #sharing(grams: ReadonlySet<string>): number[] {
    if (this.#counts.length < this.#terms.length) this.#counts = new Uint8Array(this.#terms.length * 2);
    const met: number[] = [];
    for (const gram of grams)
      for (const number of this.#byGram.get(gram) ?? []) {
        const count = this.#counts[number] ?? 0;
        if (count === 0) met.push(number);
        this.#counts[number] = count + 1;
      }
    return met;
  }
}

function hasVariants(word: string): boolean {
  return word.length >= shortest && word.length <= longest && !numbered.test(word);
}

/** How much one word is like another, 0..1, given the Dice coefficient of their grams. */
function likenessOf(word: string, term: string, dice: number): number {
  const [less, more] = [Math.min(word.length, term.length), Math.max(word.length, term.length)];
  let likeness = dice * 0.8;
  if (term.startsWith(word) || word.startsWith(term))
    likeness = Math.max(likeness, Math.min(0.95, (1.1 * less) / more));
  else if (less >= 4 && term.endsWith(word)) likeness = Math.max(likeness, less / more);
  if (less >= 4 && dice > 0) {
    const slips = slipsBetween(word, term, word.length >= 8 ? 2 : 1);
    if (slips === 1) likeness = Math.max(likeness, 0.85);
    if (slips === 2) likeness = Math.max(likeness, 0.5);
  }
  return likeness;
}

/** Letters left out, added, changed or swapped with their neighbour, as far as `most`; Infinity for more. */
function slipsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    [before, row] = [row, next];
  }
  const slips = row[b.length] ?? 0;
  return slips <= most ? slips : Number.POSITIVE_INFINITY;
}

/** How often each gram is in some words. */
export interface Grams {
  counts: ReadonlyMap<string, number>;
  /** The sum of their squares. */
  squares: number;
}

export function gramCounts(words: readonly string[]): Grams {
  const counts = new Map<string, number>();
  for (const word of words) for (const gram of gramsOf(word)) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const squares = counts.values().reduce((sum, n) => sum + n * n, 0);
  return { counts, squares };
}

/** How alike two short texts are, 0..1, by the cosine of their words' grams. */
export function gramCosine(a: Grams, b: Grams): number {
  const [few, many] = a.counts.size <= b.counts.size ? [a.counts, b.counts] : [b.counts, a.counts];
  let dot = 0;
  for (const [gram, n] of few) dot += n * (many.get(gram) ?? 0);
  const norm = Math.sqrt(a.squares * b.squares);
  return norm === 0 ? 0 : Math.min(1, dot / norm);
}
