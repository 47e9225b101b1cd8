/** Those that wait, by whom they are for: each of these has a turn before another one has its next. */
export class TurnLine<T> {
  /** Nobody stands here with nothing; whose turn comes next is first. */
  readonly #parties = new Map<string, T[]>();

  get length(): number {
    return this.#parties.values().reduce((sum, { length }) => sum + length, 0);
  }

  lengthOf(party: string): number {
    return this.#parties.get(party)?.length ?? 0;
  }

  push(party: string, one: T): void {
    const waiting = this.#parties.get(party);
    if (waiting) waiting.push(one);
    else this.#parties.set(party, [one]);
  }

  shift(): T | undefined {
    for (const [party, waiting] of this.#parties) {
      this.#parties.delete(party);
      const next = waiting.shift();
      if (waiting.length > 0) this.#parties.set(party, waiting);
      return next;
    }
    return undefined;
  }

  /** Keeps those that stay. */
  sift(stays: (one: T) => boolean): void {
    for (const [party, waiting] of this.#parties) {
      const left = waiting.filter(stays);
      if (left.length > 0) this.#parties.set(party, left);
      else this.#parties.delete(party);
    }
  }
}
