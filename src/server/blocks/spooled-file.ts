import type { FileHandle } from 'node:fs/promises';

const windowBytes = 256 * 1024;

/** Reads a file that does not change while it is read: in order, or by place through one window of 256 kB. */
export class SpooledFile {
  private readonly file: FileHandle;
  private window: Uint8Array = new Uint8Array(0);
  private from = 0;

  constructor(file: FileHandle) {
    this.file = file;
  }

  /** The whole file. The chunks share one buffer: each is gone when the next is asked for. */
  async *all(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.pieces(0, Number.POSITIVE_INFINITY, Buffer.allocUnsafeSlow(windowBytes));
  }

  /** A range in chunks of their own, shorter where the file ends. */
  async *range(offset: number, length: number): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of this.pieces(offset, length, Buffer.allocUnsafeSlow(Math.min(windowBytes, length))))
      yield new Uint8Array(piece);
  }

  /** The bytes at a place, a copy; shorter where the file ends. Neighbours are read along, before and after. */
  async at(offset: number, length: number): Promise<Uint8Array> {
    if (offset < this.from || offset + length > this.from + this.window.length) {
      const from = offset - (offset % windowBytes);
      const to = Math.ceil((offset + length) / windowBytes) * windowBytes;
      const window = Buffer.allocUnsafeSlow(to - from);
      let read = 0;
      for await (const piece of this.pieces(from, to - from, window)) read += piece.length;
      this.window = window.subarray(0, read);
      this.from = from;
    }
    return new Uint8Array(this.window.subarray(offset - this.from, offset - this.from + length));
  }

  /** Reads a range through `buffer`: over and over where the range is longer, else each piece behind the other. */
  private async *pieces(offset: number, length: number, buffer: Buffer): AsyncGenerator<Buffer, void, undefined> {
    let done = 0;
    while (done < length) {
      const at = length <= buffer.length ? done : 0;
      const space = Math.min(buffer.length - at, length - done);
      const { bytesRead } = await this.file.read(buffer, at, space, offset + done);
      if (bytesRead === 0) return;
      yield buffer.subarray(at, at + bytesRead);
      done += bytesRead;
    }
  }
}
