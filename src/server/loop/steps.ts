import { setImmediate } from 'node:timers/promises';

/** How long a step may hold the event loop: its delay stays below 10 ms with the requests that come between. */
const stepMs = 2;

/** Cuts long work into steps, between which everything that waits on the event loop has its turn. */
export class Steps {
  #until = performance.now() + stepMs;

  /** Whether the step has lasted long enough: time to `await next()`. */
  due(): boolean {
    return performance.now() >= this.#until;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#until = performance.now() + stepMs;
  }

  /** Does work that can pause wherever it yields. */
  async through<T>(work: Iterator<void, T, undefined>): Promise<T> {
    for (let one = work.next(); ; one = work.next()) {
      if (one.done) return one.value;
      if (this.due()) await this.next();
    }
  }
}
