/** What is under way, for those who wait until it has ended. */
export class UnderWay {
  readonly #ends = new Set<Promise<void>>();

  /** Something begins, to be disposed of when it ends. */
  begin(): Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.add(promise);
    return {
      [Symbol.dispose]: () => {
        this.#ends.delete(promise);
        resolve();
      },
    };
  }

  /** Until nothing is under way. */
  async ended(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends);
  }
}
