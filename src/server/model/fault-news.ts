/** A disk that is full fails everything, and the log may be on it. */
const [every, most] = [60_000, 100];

/** Faults that last are told of once a minute, each by its reason. */
export class FaultNews {
  readonly #told = new Map<string, number>();

  isNews(reason: string): boolean {
    const last = this.#told.get(reason);
    if (last !== undefined && performance.now() - last < every) return false;
    if (this.#told.size >= most) this.#told.clear();
    this.#told.set(reason, performance.now());
    return true;
  }
}
