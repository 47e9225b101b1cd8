/** How much one query may look at; what it has found by then is its answer. */
const [maxMilliseconds, maxRows] = [5000, 300_000];

/** What is left for a query. */
export class Budget {
  readonly #until = performance.now() + maxMilliseconds;
  #rows = maxRows;

  get milliseconds(): number {
    return this.#until - performance.now();
  }

  /** Of relationships. */
  get rows(): number {
    return this.#rows;
  }

  get spent(): boolean {
    return this.#rows <= 0 || this.milliseconds <= 0;
  }

  take(rows: number): void {
    this.#rows -= rows;
  }
}
