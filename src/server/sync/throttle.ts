import { setTimeout as sleep } from 'node:timers/promises';

/** So much of what was not used is made up for, in milliseconds of the rate. */
const burstMs = 1000;

/**
 * What bytes cost: `paid` is the moment until which all bytes so far are accounted for, `wait` for how long nothing may
 * follow. Moments are milliseconds of one clock.
 */
export function pay(paid: number, bytes: number, at: number, bytesPerMs: number): { paid: number; wait: number } {
  const until = Math.max(paid, at - burstMs) + bytes / bytesPerMs;
  return { paid: until, wait: Math.max(0, until - at) };
}

/** Holds up whoever moves bytes, so that all of them together keep to a rate. */
export class Throttle {
  readonly #bytesPerMs: number;
  readonly #clock: () => number;
  #paid = Number.NEGATIVE_INFINITY;

  /** `clock`: milliseconds that only grow. */
  constructor(kilobitsPerSecond: number, clock: () => number) {
    this.#bytesPerMs = kilobitsPerSecond / 8;
    this.#clock = clock;
  }

  /** Resolves when more may follow. @throws the signal's reason */
  async pass(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const { paid, wait } = pay(this.#paid, bytes, this.#clock(), this.#bytesPerMs);
    this.#paid = paid;
    if (wait > 1) await sleep(wait, undefined, { signal });
  }
}
