/**
 * The undos of imports that are under way. What is taken in beside one is half deleted and half brought back, by which of them comes
 * to it first, so each waits for the other to end or is refused.
 */
export class UndosUnderWay {
  readonly #ends = new Set<Promise<void>>();

  /** One begins, to be disposed of when it ends. */
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

  /** Until none is under way. */
  async ended(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends);
  }
}
