/** How long one turn may hold the event loop, in milliseconds. */
const slice = 2;

/**
 * Shares the event loop among runs of short steps: whatever many there are, only one of them works between two looks
 * at everything else.
 */
export class LoopTurns {
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Works off the items, a turn after the other. */
  async each<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length; ) {
      await this.next();
      const start = performance.now();
      do work(items[at++] as T);
      while (at < items.length && performance.now() - start < slice);
    }
  }

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
