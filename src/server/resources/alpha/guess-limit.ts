import { clientOf } from '../../model/addresses.ts';

/** Wrong guesses that an address has free, and how soon it gets one back, in milliseconds. */
const most = 20;
const regained = 15_000;
/** Addresses that are remembered. */
const maxAddresses = 10_000;

/** How often each address has shown a wrong secret lately, in memory that stays within bounds. */
export class GuessLimit {
  /** When the wrong guesses of an address will all be forgotten; those that were wrong last are at the end. */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** For how many seconds an address has to wait until it may guess again; 0: not at all. */
  waitOf(address: string): number {
    const debt = (this.#until.get(clientOf(address)) ?? 0) - this.#now();
    return Math.max(0, Math.ceil((debt - (most - 1) * regained) / 1000));
  }

  note(address: string): void {
    const key = clientOf(address);
    const until = Math.max(this.#until.get(key) ?? 0, this.#now()) + regained;
    this.#until.delete(key);
    this.#until.set(key, until);
    for (const [oldest] of this.#until) {
      if (this.#until.size <= maxAddresses) break;
      this.#until.delete(oldest);
    }
  }
}
