import * as dagCbor from '@ipld/dag-cbor';
import type { CID } from 'multiformats/cid';
import { varint } from './car-format.ts';

const chunkBytes = 256 * 1024;

/** Frames a CAR of version 1 into chunks of 256 kB, each a buffer of its own that is never written again. */
export class CarBuffer {
  private readonly full: Uint8Array[] = [];
  private open = Buffer.allocUnsafeSlow(chunkBytes);
  private used = 0;

  header(roots: CID[]): void {
    const bytes = dagCbor.encode({ version: 1, roots });
    this.add(varint(bytes.length));
    this.add(bytes);
  }

  /** `cid` in binary. */
  block(cid: Uint8Array, bytes: Uint8Array): void {
    this.begin(cid, bytes.length);
    this.add(bytes);
  }

  /** Begins a block whose `size` bytes follow by `add`. */
  begin(cid: Uint8Array, size: number): void {
    this.#length(cid.length + size);
    this.add(cid);
  }

  add(bytes: Uint8Array): void {
    if (bytes.length < chunkBytes - this.used) {
      this.open.set(bytes, this.used);
      this.used += bytes.length;
      return;
    }
    let from = 0;
    while (from < bytes.length) {
      const part = bytes.subarray(from, from + chunkBytes - this.used);
      this.open.set(part, this.used);
      this.used += part.length;
      from += part.length;
      if (this.used < chunkBytes) continue;
      this.full.push(this.open);
      this.open = Buffer.allocUnsafeSlow(chunkBytes);
      this.used = 0;
    }
  }

  #length(value: number): void {
    // One or two bytes mostly: they need no array.
    if (value < 0x80 || value >= 0x4000 || chunkBytes - this.used <= 2) this.add(varint(value));
    else {
      this.open[this.used++] = (value & 0x7f) | 0x80;
      this.open[this.used++] = value >> 7;
    }
  }

  /** The next chunk that is full. */
  chunk(): Uint8Array | undefined {
    return this.full.shift();
  }

  /** What is left after the last full chunk. */
  rest(): Uint8Array {
    return this.open.subarray(0, this.used);
  }
}
