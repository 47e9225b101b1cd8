/** Which numbers of a vector lie above the center, packed into whole words of 32 bits. */
export function codeOf(vector: Float32Array, center: Float32Array | null): Uint32Array {
  const code = new Uint32Array(Math.ceil(vector.length / 32));
  for (let k = 0; k < vector.length; k++)
    if ((vector[k] as number) > (center?.[k] ?? 0)) code[k >> 5] = (code[k >> 5] as number) | (1 << (k & 31));
  return code;
}

/** What a scan looks at. */
export interface Looked {
  /** Whether entities of a type may be among the hits. */
  type: (type: string) => boolean;
  /** Keys that alone may be among them, each with a 1; null for all. */
  keys: Uint8Array | null;
}

/**
 * The codes of one model's vectors in memory. Scanning them chooses those that differ in the fewest bits, which are then
 * compared exactly: a hundredth of the bytes, and nothing has to be sorted.
 */
export class CodeTable {
  readonly #wide: number;
  #codes: Uint32Array;
  #keys: Int32Array;
  #types: Uint16Array;
  #distances: Uint16Array;
  /** The place of each key, plus 1. */
  #places = new Int32Array(1024);
  #size = 0;
  readonly #typeNumbers = new Map<string, number>();

  constructor(dimensions: number) {
    this.#wide = Math.ceil(dimensions / 32);
    this.#codes = new Uint32Array(1024 * this.#wide);
    this.#keys = new Int32Array(1024);
    this.#types = new Uint16Array(1024);
    this.#distances = new Uint16Array(1024);
  }

  /** Of all, also of what was deleted since. */
  get size(): number {
    return this.#size;
  }

  /** In the place of the key's earlier one. */
  put(key: number, type: string, code: Uint32Array): void {
    if (key >= this.#places.length) this.#places = grown(this.#places, key + 1);
    let place = (this.#places[key] as number) - 1;
    if (place < 0) {
      place = this.#size++;
      this.#places[key] = place + 1;
      if (place >= this.#keys.length) this.#grow();
    }
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = Math.min(this.#typeNumbers.size, 65_535);
      this.#typeNumbers.set(type, number);
    }
    this.#keys[place] = key;
    this.#types[place] = number;
    this.#codes.set(code.subarray(0, this.#wide), place * this.#wide);
  }

  #grow(): void {
    const size = 2 * this.#keys.length;
    this.#keys = grown(this.#keys, size);
    this.#types = grown(this.#types, size);
    this.#distances = new Uint16Array(size);
    this.#codes = grown(this.#codes, size * this.#wide);
  }

  /** At least `count` of the keys whose codes differ least from one (those that differ as much as the last come too). */
  nearest(code: Uint32Array, count: number, looked: Looked): number[] {
    const bits = 32 * this.#wide;
    this.#measure(code);
    const counts = this.#masked(looked, bits);
    let [limit, sum] = [0, counts[0] as number];
    while (sum < count && limit < bits) sum += counts[++limit] as number;
    const keys: number[] = [];
    for (let place = 0; place < this.#size; place++)
      if ((this.#distances[place] as number) <= limit) keys.push(this.#keys[place] as number);
    return keys;
  }

  /** How many bits of each code differ. */
  #measure(code: Uint32Array): void {
    const [codes, distances, wide] = [this.#codes, this.#distances, this.#wide];
    for (let place = 0, at = 0; place < this.#size; place++) {
      let distance = 0;
      for (let i = 0; i < wide; i++, at++) {
        let x = (codes[at] as number) ^ (code[i] as number);
        x -= (x >>> 1) & 0x55555555;
        x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
        distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      }
      distances[place] = distance;
    }
  }

  /** How many there are of each distance; what must not be among the hits is beyond all. */
  #masked({ type, keys: alone }: Looked, bits: number): Uint32Array {
    const counts = new Uint32Array(bits + 1);
    const allowed = new Uint8Array(65_536);
    let every = alone === null;
    for (const [name, number] of this.#typeNumbers)
      if (type(name)) allowed[number] = 1;
      else every = false;
    const [distances, keys, types] = [this.#distances, this.#keys, this.#types];
    for (let place = 0; place < this.#size; place++) {
      const distance = distances[place] as number;
      const is =
        every || (allowed[types[place] as number] === 1 && (alone === null || alone[keys[place] as number] === 1));
      if (is) counts[distance] = (counts[distance] as number) + 1;
      else distances[place] = 65_535;
    }
    return counts;
  }
}

function grown<T extends Int32Array | Uint16Array | Uint32Array>(array: T, size: number): T {
  const longer = new (array.constructor as new (size: number) => T)(Math.max(size, 2 * array.length));
  longer.set(array);
  return longer;
}
