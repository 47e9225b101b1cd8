import type { Passage } from '../embedder.ts';
import { gramsOf } from '../tokens.ts';
import { type LatentFacts, putRow } from './facts.ts';
import { multiplied, orthonormalized, type SparseRows, type Steps } from './matrix.ts';
import { passageWords } from './passage-words.ts';
import { randomNumbers } from './random-numbers.ts';

const latentDimensions = 256;
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
 * randomized range finder with power iterations, in steps of some milliseconds. It is used once.
 */
export class LatentLearner {
  readonly #ids = new Map<string, number>();
  /** In how many texts a word is. */
  readonly #texts: number[] = [];
  /** Of text after text its words and how much each counts, and where each text ends. */
  #terms = new Int32Array(1 << 16);
  #weights = new Float32Array(1 << 16);
  readonly #ends: number[] = [];

  get size(): number {
    return this.#ends.length;
  }

  add(passage: Passage): void {
    const counts = passageWords(passage);
    let at = this.#ends.at(-1) ?? 0;
    if (at + counts.size > this.#terms.length) this.#grow(at + counts.size);
    for (const [word, weight] of counts) {
      let id = this.#ids.get(word);
      if (id === undefined) {
        id = this.#texts.length;
        this.#ids.set(word, id);
        this.#texts.push(0);
      }
      this.#texts[id] = (this.#texts[id] ?? 0) + 1;
      this.#terms[at] = id;
      this.#weights[at++] = weight;
    }
    this.#ends.push(at);
  }

  #grow(least: number): void {
    const [terms, weights] = [this.#terms, this.#weights];
    const length = Math.max(least, Math.ceil(1.5 * terms.length));
    this.#terms = new Int32Array(length);
    this.#terms.set(terms);
    this.#weights = new Float32Array(length);
    this.#weights.set(weights);
  }

  /** What is learned from all that was added; null where that is too little. */
  *learned(): Steps<LatentFacts | null> {
    const chosen = this.#chosen();
    if (chosen.length < leastWords) return null;
    const rarity = chosen.map(({ n }) => Math.log((this.size + 1) / (n + 0.5)));
    const texts = yield* this.#rows(chosen, rarity);
    const words = chosen.map(({ word }) => word);
    const width = Math.min(latentDimensions, Math.ceil(Math.min(words.length, this.size) / wordsEach));
    let basis = yield* randomSigns(words.length * width);
    for (let round = 0; round < rounds; round++)
      basis = yield* orthonormalized(yield* multiplied(texts, basis, width), width);
    const center = yield* centerOf(texts, basis, width);
    for (let i = 0; i < basis.length; i++) basis[i] = (basis[i] as number) * (rarity[Math.floor(i / width)] as number);
    yield;
    const grams = gramsAmong(words);
    yield;
    const count = words.length + grams.length;
    const small = { rows: new Int8Array(count * width), scales: new Float32Array(count) };
    for (let i = 0; i < words.length; i++) putRow(small, i, basis.subarray(i * width, (i + 1) * width));
    yield;
    for (const [number, { having }] of grams.entries()) {
      if (number % 100 === 99) yield;
      putRow(small, words.length + number, gramRow(having, { basis, width, words: words.length }));
    }
    return { dimensions: width, words, grams: grams.map(({ gram }) => gram), center, ...small };
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

  /** The texts as rows of length 1, in the place of what was gathered. */
  *#rows(chosen: readonly { id: number }[], rarity: readonly number[]): Steps<SparseRows> {
    const numbers = new Int32Array(this.#texts.length).fill(-1);
    for (const [i, { id }] of chosen.entries()) numbers[id] = i;
    this.#ids.clear();
    const starts = new Int32Array(this.size + 1);
    const [terms, weights] = [this.#terms, this.#weights];
    let [at, from] = [0, 0];
    for (const [row, end] of this.#ends.entries()) {
      if (row % 500 === 499) yield;
      let squares = 0;
      for (; from < end; from++) {
        const number = numbers[terms[from] as number] as number;
        if (number < 0) continue;
        const weight = (weights[from] as number) * (rarity[number] as number);
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

/** The runs of characters in most words, with the numbers of the words that have them. */
function gramsAmong(words: readonly string[]): { gram: string; having: number[] }[] {
  const all = new Map<string, number[]>();
  for (const [i, word] of words.entries())
    for (const gram of new Set(gramsOf(word))) {
      const list = all.get(gram);
      if (list) list.push(i);
      else all.set(gram, [i]);
    }
  return [...all]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, maxGrams)
    .map(([gram, having]) => ({ gram, having }));
}

/** A run of characters points where the words point that have it; one of few words counts most. */
function gramRow(
  having: readonly number[],
  { basis, width, words }: { basis: Float32Array; width: number; words: number },
): Float32Array {
  const row = new Float32Array(width);
  for (const i of having) {
    const own = basis.subarray(i * width, (i + 1) * width);
    const length = lengthOf(own);
    if (length > 0) for (let k = 0; k < width; k++) row[k] = (row[k] as number) + (own[k] as number) / length;
  }
  const length = lengthOf(row);
  const weight = length > 0 ? Math.log((words + 1) / having.length) / length : 0;
  for (let k = 0; k < width; k++) row[k] = (row[k] as number) * weight;
  return row;
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const x of vector) squares += x * x;
  return Math.sqrt(squares);
}
