import type { Likely } from '../store/search/word-hits.ts';
import { CodeRows, mostAtOnce, mostTypes } from './code-rows.ts';
import { CodeWeights } from './code-weights.ts';

/** How many words of 32 bits the code of a vector of so many numbers takes. */
export function codeWords(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

/** Which numbers of a vector lie above the center, packed into whole words of 32 bits. */
export function codeOf(vector: Float32Array, center: Float32Array | null): Uint32Array {
  const code = new Uint32Array(codeWords(vector.length));
  for (let k = 0; k < vector.length; k++)
    if ((vector[k] as number) > (center?.[k] ?? 0)) code[k >> 5] = (code[k >> 5] as number) | (1 << (k & 31));
  return code;
}

/** What a scan looks at. */
export interface ScanFilter {
  /** Whether entities of a type may be among the hits. */
  type: (type: string) => boolean;
  /** Keys that alone may be among them; null for all. A table knows not all of them, and they may be repeated. */
  keys: readonly number[] | null;
}

export interface Coded {
  /** The entity's. */
  key: number;
  /** The vector's. */
  seq: number;
  type: string;
  code: Uint32Array;
}

/**
 * The codes of one model's vectors in memory. Scanning them chooses those that differ in the fewest bits, of which the
 * likeliest are then compared exactly: a thirtieth of the bytes, and hardly anything has to be sorted. All are scanned, however
 * many there are: a text is hardly nearer to its nearest than to most others, so that clusters of them find these only where most
 * of all are looked at (docs/scale.md).
 */
export class CodeTable {
  readonly #bits: number;
  readonly #rows: CodeRows;
  /** The place of each key, plus 1. */
  #places: Int32Array = new Int32Array(1024);
  #size = 0;
  readonly #typeNumbers = new Map<string, number>();
  /** How many codes there are of each type, by its number. */
  readonly #counts: number[] = [];

  constructor(dimensions: number) {
    this.#bits = dimensions;
    this.#rows = new CodeRows(dimensions);
  }

  /** Of all, also of what was deleted since. */
  get size(): number {
    return this.#size;
  }

  /** In the place of the key's earlier one; `seq`: of its vector. Throws a RangeError where all codes are more than 4 GB. */
  put({ key, seq, type, code }: Coded): void {
    if (key >= this.#places.length) this.#places = grown(this.#places, key + 1);
    const known = this.#places[key] as number;
    const place = known > 0 ? known - 1 : this.#size;
    const number = this.#numberOf(type);
    if (known > 0) this.#count(this.#rows.typeAt(place), -1);
    this.#count(number, 1);
    this.#rows.put(place, { seq, type: number, code });
    if (known > 0) return;
    this.#size++;
    this.#places[key] = place + 1;
  }

  #count(number: number, by: number): void {
    this.#counts[number] = (this.#counts[number] ?? 0) + by;
  }

  #numberOf(type: string): number {
    const known = this.#typeNumbers.get(type);
    if (known !== undefined) return known;
    const number = Math.min(this.#typeNumbers.size, mostTypes - 1);
    this.#typeNumbers.set(type, number);
    return number;
  }

  /** By its number, 1 for each type that is looked for. */
  #numbersOf(type: (type: string) => boolean): Uint8Array {
    const types = new Uint8Array(Math.min(this.#typeNumbers.size, mostTypes));
    for (const [name, number] of this.#typeNumbers) if (type(name)) types[number] = 1;
    return types;
  }

  /** Which entities may be of a type that is looked for: those without a code may. */
  likely(type: (type: string) => boolean): Likely {
    const types = this.#numbersOf(type);
    let count = 0;
    for (const [number, of] of this.#counts.entries()) if (types[number] === 1) count += of;
    const may = (key: number): boolean => {
      const place = this.#places[key] ?? 0;
      return place === 0 || types[this.#rows.typeAt(place - 1)] === 1;
    };
    return { may, part: this.#size === 0 ? 1 : count / this.#size };
  }

  /** At least `count` rows whose codes differ least from one (those that differ as much as the last come too). */
  nearest(code: Uint32Array, count: number, { type, keys }: ScanFilter): number[] {
    this.#rows.ask(code, this.#numbersOf(type));
    const best = new Best(count, this.#bits);
    const look = (from: number, to: number) => best.add(this.#rows.found, this.#rows.scan(from, to, best.limit));
    if (keys) this.#eachPlace(keys, (place) => look(place, place + 1));
    else
      for (let place = 0; place < this.#size; place += mostAtOnce)
        look(place, Math.min(place + mostAtOnce, this.#size));
    return best.rows();
  }

  /** The numbers of the vectors of those `count` of the rows that are likely to lie nearest to a vector. */
  likeliest(rows: readonly number[], vector: Float32Array, count: number): number[] {
    const seqOf = (row: number) => this.#rows.seqOf(row);
    if (rows.length <= count) return rows.map(seqOf);
    const weights = new CodeWeights(vector);
    const weighed = rows.map((row) => ({ row, nearness: this.#rows.nearness(row, weights) }));
    return weighed
      .sort((a, b) => b.nearness - a.nearness || a.row - b.row)
      .slice(0, count)
      .map(({ row }) => seqOf(row));
  }

  /** Of those of the keys that are here, each once. */
  #eachPlace(keys: readonly number[], take: (place: number) => void): void {
    const places = new Int32Array(keys.length);
    for (const [i, key] of keys.entries()) places[i] = this.#places[key] ?? 0;
    let last = 0;
    for (const place of places.sort()) {
      if (place !== last) take(place - 1);
      last = place;
    }
  }
}

/** Keeps the nearest of what it is given. What lies beyond `limit` is none of them. */
class Best {
  limit: number;
  readonly #count: number;
  /** How many lie at each distance, and how many within the limit. */
  readonly #counts: Uint32Array;
  #within = 0;
  readonly #rows: number[] = [];
  readonly #distances: number[] = [];

  constructor(count: number, limit: number) {
    this.#count = count;
    this.limit = limit;
    this.#counts = new Uint32Array(limit + 1);
  }

  /** The first `size` pairs of a row and its distance. */
  add(pairs: Uint32Array, size: number): void {
    for (let i = 0; i < 2 * size; i += 2) {
      const distance = pairs[i + 1] as number;
      if (distance > this.limit) continue;
      this.#rows.push(pairs[i] as number);
      this.#distances.push(distance);
      this.#counts[distance] = (this.#counts[distance] as number) + 1;
      this.#within++;
      while (this.#within - (this.#counts[this.limit] as number) >= this.#count)
        this.#within -= this.#counts[this.limit--] as number;
    }
  }

  rows(): number[] {
    return this.#rows.filter((_, i) => (this.#distances[i] as number) <= this.limit);
  }
}

function grown(array: Int32Array, size: number): Int32Array {
  const longer = new Int32Array(Math.max(size, 2 * array.length));
  longer.set(array);
  return longer;
}
