/** How much of one turn of the event loop goes to what shares it, in milliseconds. */
const mostPerTurn = 1;

/**
 * Spreads what comes in bursts, and is a lot of work each, over turns of the event loop: invocations that one look at the
 * sockets brings, or that one group commit wrote. What there is room for runs at once, the rest in the next turns, in order.
 * Short work in bursts is done sooner without: creations of entities come to four fifths of their rate in turns.
 */
export class LoopShare {
  readonly #waiting: (() => void)[] = [];
  readonly #perTurn: number;
  /** When the turn began; null between bursts. */
  #begun: number | null = null;
  #running = false;

  constructor(perTurn: number = mostPerTurn) {
    this.#perTurn = perTurn;
  }

  /** Runs `work`, which must not throw, soon. What it sets going without waiting for anything counts as its own time. */
  run(work: () => void): void {
    this.#waiting.push(work);
    if (this.#begun === null) this.#begin();
    if (this.#running) return;
    this.#running = true;
    process.nextTick(this.#next);
  }

  #begin(): void {
    this.#begun = performance.now();
    setImmediate(this.#turn);
  }

  /** Another turn of the loop. */
  readonly #turn = (): void => {
    this.#begun = null;
    if (this.#waiting.length === 0) return;
    this.#begin();
    if (this.#running) return;
    this.#running = true;
    this.#next();
  };

  readonly #next = (): void => {
    const work =
      this.#begun !== null && performance.now() - this.#begun < this.#perTurn ? this.#waiting.shift() : undefined;
    if (!work) {
      this.#running = false;
      return;
    }
    // After every promise that the work has resolved, and what hangs on it.
    queueMicrotask(() => process.nextTick(this.#next));
    work();
  };
}

/** The one of this thread. */
export const loopShare = new LoopShare();
