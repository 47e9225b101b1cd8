const firstBytes = 16 * 1024;
const mostKept = 1024 * 1024;
const shortText = 40;

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

  /** Begins anew. Of what a very large value has needed, nothing is kept. */
  clear(): void {
    this.#used = 0;
    if (this.#buffer.length > mostKept) this.#buffer = Buffer.allocUnsafe(firstBytes);
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
    if (value.length <= shortText && this.#shortAscii(value)) return;
    const length = Buffer.byteLength(value);
    this.head(3, length);
    this.#need(length);
    this.#used += this.#buffer.write(value, this.#used);
  }

  /** Texts such as names, of which there are most: a call out of JavaScript costs more than all of one. */
  #shortAscii(value: string): boolean {
    this.#need(2 + shortText);
    const start = this.#used;
    let at = value.length < 24 ? start + 1 : start + 2;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      this.#buffer[at++] = code;
    }
    this.head(3, value.length);
    this.#used = at;
    return true;
  }

  /** A finite number: an integer as one as far as JavaScript is exact, everything else with 64 bits. */
  number(value: number): void {
    if (!Number.isSafeInteger(value)) this.#float(value);
    else if (value >= 0) this.#integer(0, value);
    else this.#integer(1, -1 - value);
  }

  #integer(major: number, argument: number): void {
    if (argument < 2 ** 32) this.head(major, argument);
    else {
      this.#need(9);
      this.#buffer[this.#used++] = (major << 5) | 27;
      this.#used = this.#buffer.writeBigUInt64BE(BigInt(argument), this.#used);
    }
  }

  #float(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`dag-cbor has no ${value}`);
    this.#need(9);
    this.#buffer[this.#used++] = (7 << 5) | 27;
    this.#used = this.#buffer.writeDoubleBE(value, this.#used);
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
