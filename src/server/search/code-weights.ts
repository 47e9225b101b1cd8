/**
 * What a vector says to each bit of a code: its number where the bit is set, and less by as much where it is not. The sum is
 * what is known of the product with the vector that the code is of, which the mere count of bits that differ tells less well.
 */
export class CodeWeights {
  /** Of each byte of a code, for each value that it may have. */
  readonly #sums: Float32Array;
  readonly #bytes: number;

  constructor(vector: Float32Array) {
    this.#bytes = Math.ceil(vector.length / 8);
    this.#sums = new Float32Array(256 * this.#bytes);
    for (let byte = 0; byte < this.#bytes; byte++) {
      const at = 256 * byte;
      for (let bit = 0; bit < 8; bit++) this.#sums[at] = (this.#sums[at] as number) - (vector[8 * byte + bit] ?? 0);
      // Each value has one bit more than a smaller one.
      for (let value = 1; value < 256; value++) {
        const bit = 31 - Math.clz32(value);
        const without = this.#sums[at + value - (1 << bit)] as number;
        this.#sums[at + value] = without + 2 * (vector[8 * byte + bit] ?? 0);
      }
    }
  }

  /** The sum for the code that begins at a place among bytes. */
  of(bytes: Uint8Array, at: number): number {
    let sum = 0;
    for (let byte = 0; byte < this.#bytes; byte++)
      sum += this.#sums[256 * byte + (bytes[at + byte] as number)] as number;
    return sum;
  }
}
