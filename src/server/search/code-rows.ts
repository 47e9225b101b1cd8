import { hammingScan, type Memory, type Scan } from './hamming-scan.ts';

/** So many rows at most are scanned at once. */
export const mostAtOnce = 1024;
export const mostTypes = 65_536;
const pageBytes = 65_536;

/** Rows of a code, its key and the number of its type, one after the other by their places, from 0 on. */
export class CodeRows {
  readonly #rowBytes: number;
  readonly #typesAt: number;
  readonly #foundAt: number;
  readonly #rowsAt: number;
  readonly #memory: Memory;
  readonly #scan: Scan;
  /** The memory as it is now. */
  #words = new Uint32Array();
  /** What the last scan found, as pairs of key and distance. */
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
  put(place: number, { key, type, code }: { key: number; type: number; code: Uint32Array }): void {
    const end = this.#addressOf(place + 1);
    if (end > 4 * this.#words.length) this.#reserve(end);
    this.#words.set(code, this.#addressOf(place) / 4);
    this.#words[end / 4 - 2] = key;
    this.#words[end / 4 - 1] = type;
  }

  /** What the next scans look for: a code, and by its number whether a type may be among the hits. */
  ask(code: Uint32Array, types: Uint8Array): void {
    this.#words.set(code);
    new Uint8Array(this.#memory.buffer, this.#typesAt, mostTypes).set(types);
  }

  /**
   * Looks at the rows from a place to below another, at least one and at most `mostAtOnce`; how many of them may be hits and
   * differ in at most so many bits.
   */
  scan(from: number, to: number, limit: number): number {
    return (this.#scan(this.#addressOf(from), this.#addressOf(to), limit) - this.#foundAt) / 8;
  }

  #addressOf(place: number): number {
    return this.#rowsAt + place * this.#rowBytes;
  }

  #reserve(bytes: number): void {
    const have = this.#memory.buffer.byteLength;
    this.#memory.grow(Math.ceil(Math.max(bytes - have, have / 8) / pageBytes));
    this.#words = new Uint32Array(this.#memory.buffer);
    this.found = new Uint32Array(this.#memory.buffer, this.#foundAt, 2 * mostAtOnce);
  }
}
