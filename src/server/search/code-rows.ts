import type { CodeWeights } from './code-weights.ts';
import { hammingScan, type Memory, type Scan } from './hamming-scan.ts';

/** So many rows at most are scanned at once. */
export const mostAtOnce = 1024;
export const mostTypes = 65_536;
/** Of a memory: addresses have 32 bits. */
const [pageBytes, mostPages] = [65_536, 65_536];

/** Rows of a code, the number of its vector and that of its type, one after the other by their places, from 0 on. */
export class CodeRows {
  readonly #rowBytes: number;
  readonly #typesAt: number;
  readonly #foundAt: number;
  readonly #rowsAt: number;
  readonly #memory: Memory;
  readonly #scan: Scan;
  /** The memory as it is now. */
  #words = new Uint32Array();
  #bytes = new Uint8Array();
  /** What the last scan found, as pairs of a row's address and its distance. */
  found = new Uint32Array();

  constructor(bits: number) {
    const words = Math.ceil(bits / 64);
    this.#rowBytes = 8 * words + 8;
    this.#typesAt = this.#rowBytes;
    this.#foundAt = this.#typesAt + mostTypes;
    this.#rowsAt = this.#foundAt + 8 * mostAtOnce;
    const { memory, scan } = hammingScan({ words, types: this.#typesAt, found: this.#foundAt });
    this.#memory = memory;
    this.#scan = scan;
    this.#reserve(this.#rowsAt);
  }

  /** Throws a RangeError where all rows are more than 4 GB. */
  put(place: number, { seq, type, code }: { seq: number; type: number; code: Uint32Array }): void {
    const end = this.#addressOf(place + 1);
    if (end > 4 * this.#words.length) this.#reserve(end);
    const at = this.#addressOf(place) / 4;
    this.#words.fill(0, at, end / 4 - 2);
    this.#words.set(this.#fitting(code), at);
    this.#words[end / 4 - 2] = seq;
    this.#words[end / 4 - 1] = type;
  }

  /** The number of the type of the row in a place. */
  typeAt(place: number): number {
    return this.#words[this.#addressOf(place + 1) / 4 - 1] as number;
  }

  /** What the next scans look for: a code, and by its number whether a type may be among the hits. */
  ask(code: Uint32Array, types: Uint8Array): void {
    this.#words.fill(0, 0, this.#typesAt / 4);
    this.#words.set(this.#fitting(code));
    new Uint8Array(this.#memory.buffer, this.#typesAt, mostTypes).set(types);
  }

  /**
   * Looks at the rows from a place to below another, at least one and at most `mostAtOnce`; how many of them may be hits and
   * differ in at most so many bits.
   */
  scan(from: number, to: number, limit: number): number {
    return (this.#scan(this.#addressOf(from), this.#addressOf(to), limit) - this.#foundAt) / 8;
  }

  /** The number of the vector of a row, by its address. */
  seqOf(row: number): number {
    return this.#words[(row + this.#rowBytes) / 4 - 2] as number;
  }

  /** How near to a vector what has the code of a row is likely to lie: more is nearer. */
  nearness(row: number, weights: CodeWeights): number {
    return weights.of(this.#bytes, row);
  }

  /** Of a damaged index a code may be longer than a row has room for. */
  #fitting(code: Uint32Array): Uint32Array {
    return code.subarray(0, (this.#rowBytes - 8) / 4);
  }

  #addressOf(place: number): number {
    return this.#rowsAt + place * this.#rowBytes;
  }

  #reserve(bytes: number): void {
    const have = this.#memory.buffer.byteLength;
    const needed = Math.ceil((bytes - have) / pageBytes);
    const spare = Math.min(Math.ceil(have / 8 / pageBytes), mostPages - have / pageBytes);
    this.#memory.grow(Math.max(needed, spare));
    this.#words = new Uint32Array(this.#memory.buffer);
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.found = new Uint32Array(this.#memory.buffer, this.#foundAt, 2 * mostAtOnce);
  }
}
