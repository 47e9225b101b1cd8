import { builtin, type Embedder, type Passage } from '../embedder.ts';
import { gramsOf } from '../tokens.ts';
import type { LatentFacts } from './facts.ts';
import { passageWords } from './passage-words.ts';
import { normalized } from './vectors.ts';

/** Words made into vectors lately. */
const maxKept = 4000;
/** A word that is only like known ones counts less than these. */
const unknownPart = 0.6;
/** So much of it must be known. */
const leastShared = 0.5;

/** Vectors by what was learned from the node's own texts. A text is the sum of its words, of which most were learned. */
export class LatentModel implements Embedder {
  readonly name = builtin;
  readonly dimensions: number;
  readonly #facts: LatentFacts;
  readonly #words = new Map<string, number>();
  readonly #grams = new Map<string, number>();
  readonly #kept = new Map<string, Float32Array | null>();
  /** How long the vector of a word usually is. */
  readonly #usual: number;

  constructor(facts: LatentFacts) {
    this.dimensions = facts.dimensions;
    this.#facts = facts;
    facts.words.forEach((word, i) => void this.#words.set(word, i));
    facts.grams.forEach((gram, i) => void this.#grams.set(gram, facts.words.length + i));
    const lengths = Array.from({ length: Math.min(500, facts.words.length) }, (_, i) => this.#length(i));
    this.#usual = lengths.sort((a, b) => a - b)[lengths.length >> 1] ?? 0;
  }

  /** @see Embedder */
  embed(passages: readonly Passage[]): (Float32Array | null)[] {
    return passages.map((passage) => this.#vector(passage));
  }

  #vector(passage: Passage): Float32Array | null {
    const sum = new Float32Array(this.dimensions);
    for (const [word, weight] of passageWords(passage)) {
      const own = this.#wordVector(word);
      if (own) for (let k = 0; k < sum.length; k++) sum[k] = (sum[k] as number) + weight * (own[k] as number);
    }
    return normalized(sum);
  }

  #wordVector(word: string): Float32Array | null {
    const known = this.#kept.get(word);
    if (known !== undefined) return known;
    const row = this.#words.get(word);
    const made = row === undefined ? this.#likeOthers(word) : this.#added(new Float32Array(this.dimensions), row);
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(word, made);
    return made;
  }

  /** A word that was not learned stands near those that share its runs of characters. */
  #likeOthers(word: string): Float32Array | null {
    if (word.length < 3) return null;
    const sum = new Float32Array(this.dimensions);
    const grams = new Set(gramsOf(word));
    let shared = 0;
    for (const gram of grams) {
      const row = this.#grams.get(gram);
      if (row === undefined) continue;
      shared++;
      this.#added(sum, row);
    }
    if (shared < grams.size * leastShared) return null;
    return normalized(sum)?.map((x) => x * this.#usual * unknownPart) ?? null;
  }

  #added(sum: Float32Array, row: number): Float32Array {
    const { rows, scales } = this.#facts;
    const [from, scale] = [row * sum.length, scales[row] as number];
    for (let k = 0; k < sum.length; k++) sum[k] = (sum[k] as number) + scale * (rows[from + k] as number);
    return sum;
  }

  #length(row: number): number {
    return Math.hypot(...this.#added(new Float32Array(this.dimensions), row));
  }
}
