import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';

/**
 * The value of dag-cbor bytes: what JSON can say, and links (CID). Reads what `encodeValue` writes in half the time of
 * `@ipld/dag-cbor` and with little garbage, and keeps a byte order mark at the beginning of a text, which the library
 * drops. All other bytes are the library's, which refuses them or knows what they mean. Throws where they are no dag-cbor.
 */
export function decodeValue(bytes: Uint8Array): unknown {
  try {
    return new UsualBytes(bytes).whole();
  } catch (error) {
    if (error !== unusual) throw error;
    return dagCbor.decode(bytes);
  }
}

/** Thrown where the bytes are not such as `encodeValue` writes. */
const unusual = Symbol('unusual bytes');
/** More than any manifest has that this node makes (model/json-value.ts). */
const maxDepth = 256;

/** Short ASCII texts that came last, such as the names of members: there are few, and they come again and again. */
const names: (string | undefined)[] = new Array(1024).fill(undefined);
const longestName = 16;

class UsualBytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  whole(): unknown {
    const value = this.#value(maxDepth);
    if (this.#at !== this.#bytes.length) throw unusual;
    return value;
  }

  #value(depth: number): unknown {
    if (depth === 0 || this.#at >= this.#bytes.length) throw unusual;
    const first = this.#bytes[this.#at] as number;
    switch (first >> 5) {
      case 0:
        return this.#argument();
      case 1:
        return this.#negative();
      case 3:
        return this.#text();
      case 4:
        return this.#list(depth);
      case 5:
        return this.#map(depth);
      case 6:
        return this.#link();
      case 7:
        return this.#simple(first);
      default:
        throw unusual;
    }
  }

  /** An item's number, in its shortest form and as far as JavaScript is exact. */
  #argument(): number {
    const at = this.#at;
    const minor = (this.#bytes[at] as number) & 31;
    if (minor < 24) {
      this.#at = at + 1;
      return minor;
    }
    const size = 1 << (minor - 24);
    if (minor > 27 || at + 1 + size > this.#bytes.length) throw unusual;
    this.#at = at + 1 + size;
    if (minor === 24) return above(23, this.#bytes[at + 1] as number);
    if (minor === 25) return above(0xff, this.#bytes.readUInt16BE(at + 1));
    if (minor === 26) return above(0xffff, this.#bytes.readUInt32BE(at + 1));
    return above(0xffffffff, Number(this.#bytes.readBigUInt64BE(at + 1)));
  }

  #negative(): number {
    const number = -1 - this.#argument();
    if (number < Number.MIN_SAFE_INTEGER) throw unusual;
    return number;
  }

  #text(): string {
    const length = this.#argument();
    const start = this.#at;
    const end = start + length;
    if (end > this.#bytes.length) throw unusual;
    this.#at = end;
    return length <= longestName ? this.#short(start, length) : this.#unicode(start, end);
  }

  #short(start: number, length: number): string {
    const bytes = this.#bytes;
    const middle = bytes[start + (length >> 1)] as number;
    const last = bytes[start + length - 1] as number;
    const place = length === 0 ? 0 : (67 * length + 31 * (bytes[start] as number) + 7 * middle + 3 * last) & 1023;
    const known = names[place];
    if (known !== undefined && known.length === length) {
      let i = 0;
      while (i < length && known.charCodeAt(i) === bytes[start + i]) i++;
      if (i === length) return known;
    }
    const text = this.#unicode(start, start + length);
    // Only of these the letters are the bytes.
    if (text.length === length) names[place] = text;
    return text;
  }

  #unicode(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end);
    // That sign also stands for bytes that are no UTF-8.
    if (text.includes('\ufffd') && !Buffer.from(text).equals(this.#bytes.subarray(start, end))) throw unusual;
    return text;
  }

  #list(depth: number): unknown[] {
    const length = this.#argument();
    const items: unknown[] = [];
    for (let i = 0; i < length; i++) items.push(this.#value(depth - 1));
    return items;
  }

  /** Names have to ascend, so that none comes twice. */
  #map(depth: number): Record<string, unknown> {
    const length = this.#argument();
    const members: Record<string, unknown> = {};
    let before = this.#at;
    for (let i = 0; i < length; i++) {
      const at = this.#at;
      if (at >= this.#bytes.length || (this.#bytes[at] as number) >> 5 !== 3) throw unusual;
      const name = this.#text();
      const after = this.#at;
      if (i > 0 && !this.#ascends(before, at, after)) throw unusual;
      before = at;
      const value = this.#value(depth - 1);
      // An assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(members, name, { value, configurable: true, enumerable: true, writable: true });
      else members[name] = value;
    }
    return members;
  }

  /** Whether one text, with its head, stands before another one: a longer text has a greater head. */
  #ascends(before: number, at: number, end: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; at + i < end; i++) {
      const difference = (bytes[at + i] as number) - (bytes[before + i] as number);
      if (difference !== 0) return difference > 0;
    }
    return false;
  }

  /** Tag 42 around a CID behind a zero byte (the dag-cbor specification, Links). */
  #link(): CID {
    if (this.#argument() !== 42 || (this.#bytes[this.#at] ?? 0) >> 5 !== 2) throw unusual;
    const length = this.#argument();
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length || this.#bytes[start] !== 0) throw unusual;
    return CID.decode(Uint8Array.from(this.#bytes.subarray(start + 1, this.#at)));
  }

  #simple(first: number): unknown {
    const at = this.#at;
    this.#at += first === 0xfb ? 9 : 1;
    if (first === 0xf4) return false;
    if (first === 0xf5) return true;
    if (first === 0xf6) return null;
    if (first !== 0xfb || this.#at > this.#bytes.length) throw unusual;
    const number = this.#bytes.readDoubleBE(at + 1);
    if (!Number.isFinite(number)) throw unusual;
    return number;
  }
}

function above(least: number, value: number): number {
  if (value <= least || value > Number.MAX_SAFE_INTEGER) throw unusual;
  return value;
}
