const empty = new Uint8Array(0);

/**
 * The bytes of a stream, as a reader of lengths and blocks wants them: held only as far as asked for. What a peer claims
 * to send is never allocated ahead, only what has come; chunks may be of any size and the source may reuse its buffer.
 */
export class ByteQueue {
  /** Where the next byte stands in the stream. */
  position = 0;
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Uint8Array = empty;
  private start = 0;
  private end = 0;
  private owned = true;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Waits until `count` bytes are held; false where the stream ends before. */
  async fill(count: number): Promise<boolean> {
    while (this.length < count) {
      this.own();
      const next = await this.source.next();
      if (next.done) return false;
      this.append(next.value);
    }
    return true;
  }

  /** The held byte at an index counted from the next one. */
  peek(index: number): number {
    return this.held[this.start + index] as number;
  }

  /** A copy of the next `count` held bytes, which are then passed. */
  take(count: number): Uint8Array {
    const bytes = new Uint8Array(this.held.subarray(this.start, this.start + count));
    this.start += count;
    this.position += count;
    return bytes;
  }

  /** Ends the source early. */
  async close(): Promise<void> {
    await this.source.return?.();
  }

  /** Before the source is asked again, what remains of its last chunk becomes ours. */
  private own(): void {
    if (this.length === 0) this.replace(empty, 0);
    else if (!this.owned) this.replace(new Uint8Array(this.held.subarray(this.start, this.end)), this.length);
    this.owned = true;
  }

  private append(chunk: Uint8Array): void {
    const before = this.length;
    if (before === 0) {
      this.replace(chunk, chunk.length);
      this.owned = false;
      return;
    }
    if (this.end + chunk.length > this.held.length) {
      const needed = before + chunk.length;
      const room = needed > this.held.length ? new Uint8Array(Math.max(needed, 2 * before)) : this.held;
      room.set(this.held.subarray(this.start, this.end));
      this.replace(room, before);
    }
    this.held.set(chunk, this.end);
    this.end += chunk.length;
  }

  private replace(held: Uint8Array, length: number): void {
    this.held = held;
    this.start = 0;
    this.end = length;
  }
}
