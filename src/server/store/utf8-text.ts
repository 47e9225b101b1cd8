/** A text of very many parts as UTF-8. Parts that come again and again are best given as bytes: they are only copied. */
export class Utf8Text {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add(...parts: (string | Uint8Array)[]): void {
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      this.#parts.push(bytes);
      this.#length += bytes.length;
    }
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** In memory of their own, as they may go to another thread. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}
