import * as dagCbor from '@ipld/dag-cbor';

const firstBytes = 16 * 1024;

/**
 * Writes dag-cbor item by item into one growing buffer, for values that there are very many of: the caller keeps the
 * order of members and the counts.
 */
export class CborWriter {
  #buffer = Buffer.allocUnsafe(firstBytes);
  #used = 0;

  get length(): number {
    return this.#used;
  }

  /** The bytes so far; they change when more are written. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#used);
  }

  /** Bytes that are CBOR already. */
  raw(bytes: Uint8Array): void {
    this.#need(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** An item's head (see itemHead), with an argument up to 2^32-1. */
  head(major: number, argument: number): void {
    this.#need(5);
    const type = major << 5;
    if (argument < 24) this.#buffer[this.#used++] = type | argument;
    else if (argument < 0x100) {
      this.#buffer[this.#used++] = type | 24;
      this.#buffer[this.#used++] = argument;
    } else if (argument < 0x10000) {
      this.#buffer[this.#used++] = type | 25;
      this.#used = this.#buffer.writeUInt16BE(argument, this.#used);
    } else {
      this.#buffer[this.#used++] = type | 26;
      this.#used = this.#buffer.writeUInt32BE(argument, this.#used);
    }
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.head(3, length);
    this.#need(length);
    this.#used += this.#buffer.write(value, this.#used);
  }

  /** A number that is an integer from zero on. */
  count(value: number): void {
    if (value < 2 ** 32) this.head(0, value);
    else this.raw(dagCbor.encode(value));
  }

  /** A link to a binary CID: tag 42 around it behind a zero byte (the dag-cbor specification, Links). */
  link(cid: Uint8Array): void {
    this.head(6, 42);
    this.head(2, cid.length + 1);
    this.#need(cid.length + 1);
    this.#buffer[this.#used++] = 0;
    this.#buffer.set(cid, this.#used);
    this.#used += cid.length;
  }

  #need(count: number): void {
    if (this.#used + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#used + count));
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}
