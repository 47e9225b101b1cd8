/** The head of a CBOR item (RFC 8949, 3): major type 0..7 and its argument in the shortest form, up to 2^32-1. */
export function itemHead(major: number, argument: number): Uint8Array {
  const type = major << 5;
  if (argument < 24) return Uint8Array.of(type | argument);
  if (argument < 0x100) return Uint8Array.of(type | 24, argument);
  if (argument < 0x10000) return Uint8Array.of(type | 25, argument >> 8, argument);
  return Uint8Array.of(type | 26, argument >>> 24, argument >> 16, argument >> 8, argument);
}

/**
 * Walks CBOR without building its values: no recursion and no allocation, so that hostile bytes cost their length and
 * nothing more. Every method throws RangeError where the bytes do not hold what it reads.
 */
export class ItemScanner {
  position = 0;
  /** Of the last head: a value, a length or a count. */
  argument = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Reads one item's head and answers its major type. A float's or simple value's bytes are passed over with it. */
  head(): number {
    const first = this.byte();
    const major = first >> 5;
    const minor = first & 31;
    if (minor < 24) this.argument = minor;
    else if (minor > 27) throw new RangeError('an item of indefinite length');
    else {
      let value = 0;
      for (let left = 1 << (minor - 24); left > 0; left--) value = value * 256 + this.byte();
      this.argument = value;
    }
    const space = this.bytes.length - this.position;
    if (major >= 2 && major <= 5 && this.argument > space)
      throw new RangeError('an item that is longer than its block');
    return major;
  }

  /** The bytes of a string whose head was just read. */
  content(): Uint8Array {
    const start = this.position;
    this.position += this.argument;
    return this.bytes.subarray(start, this.position);
  }

  /** Passes over the next item whole and answers how many items that were, itself and those within it. */
  skip(): number {
    let items = 0;
    for (let left = 1; left > 0; left--) {
      const major = this.head();
      items++;
      if (major === 2 || major === 3) this.position += this.argument;
      else if (major === 4) left += this.argument;
      else if (major === 5) left += 2 * this.argument;
      else if (major === 6) left += 1;
    }
    return items;
  }

  private byte(): number {
    const value = this.bytes[this.position];
    if (value === undefined) throw new RangeError('an item that is cut off');
    this.position++;
    return value;
  }
}

/** How many items the bytes hold, for a bound before they are decoded. Throws RangeError where they are not one CBOR item. */
export function countItems(bytes: Uint8Array): number {
  const scanner = new ItemScanner(bytes);
  const items = scanner.skip();
  if (scanner.position !== bytes.length) throw new RangeError('bytes after the end of its value');
  return items;
}
