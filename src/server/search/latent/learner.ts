import type { Passage } from '../embedder.ts';
import { gramsOf } from '../tokens.ts';
import { type LatentFacts, quantized } from './facts.ts';
import { multiplied, orthonormalized, type SparseRows, type Steps } from './matrix.ts';
import { passageWords } from './passage-words.ts';
import { randomNumbers } from './random-numbers.ts';

export const latentDimensions = 256;
const maxWords = 16_000;
const maxGrams = 16_000;
/** A word in fewer texts tells nothing about others; one in more than this part of them tells little. */
const leastTexts = 2;
const commonPart = 0.3;
const rounds = 2;
/** Words for each dimension at least: with as many dimensions as words nothing is brought together. */
const wordsEach = 8;
/** So few words are too few to learn from. */
const leastWords = 250;

/**
 * Learns from texts which words go together: the truncated singular value decomposition of the texts' TF-IDF matrix by a
 * randomized range finder with power iterations, in steps of some milliseconds.
 */
export class LatentLearner {
  readonly #ids = new Map<string, number>();
  /** In how many texts a word is. */
  readonly #texts: number[] = [];
  readonly #terms: Int32Array[] = [];
  readonly #weights: Float32Array[] = [];

  get size(): number {
    return this.#terms.length;
  }

  add(passage: Passage): void {
    const counts = passageWords(passage);
    const terms = new Int32Array(counts.size);
    let at = 0;
    for (const word of counts.keys()) {
      let id = this.#ids.get(word);
      if (id === undefined) {
        id = this.#texts.length;
        this.#ids.set(word, id);
        this.#texts.push(0);
      }
      this.#texts[id] = (this.#texts[id] ?? 0) + 1;
      terms[at++] = id;
    }
    this.#terms.push(terms);
    this.#weights.push(Float32Array.from(counts.values()));
  }

  /** What is learned from all that was added; null where that is too little. */
  *learned(): Steps<LatentFacts | null> {
    const chosen = this.#chosen();
    if (chosen.length < leastWords) return null;
    const rarity = chosen.map(({ n }) => Math.log((this.size + 1) / (n + 0.5)));
    const rows = yield* this.#rows(chosen, rarity);
    const width = Math.min(latentDimensions, Math.ceil(Math.min(chosen.length, this.size) / wordsEach));
    let basis = yield* randomSigns(chosen.length * width);
    for (let round = 0; round < rounds; round++)
      basis = yield* orthonormalized(yield* multiplied(rows, basis, width), width);
    const center = yield* centerOf(rows, basis, width);
    for (let i = 0; i < basis.length; i++) basis[i] = (basis[i] as number) * (rarity[Math.floor(i / width)] as number);
    yield;
    const words = chosen.map(({ word }) => word);
    const grams = yield* gramRows(words, basis, width);
    const all = new Float32Array(basis.length + grams.rows.length);
    all.set(basis);
    all.set(grams.rows, basis.length);
    yield;
    return { dimensions: width, words, grams: grams.names, center, ...quantized(all, width) };
  }

  /** The words that tell something, most frequent first. */
  #chosen(): { word: string; id: number; n: number }[] {
    const most = Math.max(leastTexts, this.size * commonPart);
    return [...this.#ids]
      .map(([word, id]) => ({ word, id, n: this.#texts[id] ?? 0 }))
      .filter(({ n }) => n >= leastTexts && n <= most)
      .sort((a, b) => b.n - a.n || (a.word < b.word ? -1 : 1))
      .slice(0, maxWords);
  }

  /** The texts as rows of length 1. */
  *#rows(chosen: readonly { id: number }[], rarity: readonly number[]): Steps<SparseRows> {
    const numbers = new Int32Array(this.#texts.length).fill(-1);
    for (const [i, { id }] of chosen.entries()) numbers[id] = i;
    const starts = new Int32Array(this.size + 1);
    const entries = this.#terms.reduce((sum, { length }) => sum + length, 0);
    const terms = new Int32Array(entries);
    const weights = new Float32Array(entries);
    let at = 0;
    for (let row = 0; row < this.size; row++) {
      if (row % 500 === 499) yield;
      let squares = 0;
      for (const [i, id] of this.#terms[row]?.entries() ?? []) {
        const number = numbers[id] as number;
        if (number < 0) continue;
        const weight = (this.#weights[row]?.[i] ?? 0) * (rarity[number] as number);
        squares += weight * weight;
        terms[at] = number;
        weights[at++] = weight;
      }
      const length = Math.sqrt(squares);
      for (let i = starts[row] as number; i < at; i++) weights[i] = (weights[i] as number) / length;
      starts[row + 1] = at;
    }
    return { starts, terms, weights };
  }
}

function* randomSigns(count: number): Steps<Float32Array> {
  const next = randomNumbers(1);
  const signs = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    signs[i] = next() < 0.5 ? -1 : 1;
    if (i % 100_000 === 99_999) yield;
  }
  return signs;
}

/** The mean of the texts' vectors, each of length 1. */
function* centerOf({ starts, terms, weights }: SparseRows, basis: Float32Array, width: number): Steps<Float32Array> {
  const mean = new Float32Array(width);
  const own = new Float32Array(width);
  let count = 0;
  for (let row = 0; row + 1 < starts.length; row++) {
    if (row % 100 === 99) yield;
    own.fill(0);
    for (let i = starts[row] as number; i < (starts[row + 1] as number); i++) {
      const [at, weight] = [(terms[i] as number) * width, weights[i] as number];
      for (let k = 0; k < width; k++) own[k] = (own[k] as number) + weight * (basis[at + k] as number);
    }
    const length = Math.hypot(...own);
    if (length === 0) continue;
    count++;
    for (let k = 0; k < width; k++) mean[k] = (mean[k] as number) + (own[k] as number) / length;
  }
  return mean.map((x) => x / Math.max(1, count));
}

/** Runs of characters point where the words point that have them; those of few words count most. */
function* gramRows(words: readonly string[], basis: Float32Array, width: number) {
  const having = new Map<string, number[]>();
  for (const [i, word] of words.entries())
    for (const gram of new Set(gramsOf(word))) {
      const list = having.get(gram);
      if (list) list.push(i);
      else having.set(gram, [i]);
    }
  const chosen = [...having].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1)).slice(0, maxGrams);
  const rows = new Float32Array(chosen.length * width);
  yield;
  for (const [number, [, list]] of chosen.entries()) {
    if (number % 100 === 99) yield;
    const row = rows.subarray(number * width, (number + 1) * width);
    for (const i of list) {
      const own = basis.subarray(i * width, (i + 1) * width);
      const length = lengthOf(own);
      if (length > 0) for (let k = 0; k < width; k++) row[k] = (row[k] as number) + (own[k] as number) / length;
    }
    const length = lengthOf(row);
    const weight = length > 0 ? Math.log((words.length + 1) / list.length) / length : 0;
    for (let k = 0; k < width; k++) row[k] = (row[k] as number) * weight;
  }
  return { names: chosen.map(([name]) => name), rows };
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
}
