import { setTimeout as delay } from 'node:timers/promises';
import { StorageError, UnavailableError } from '../errors.ts';
import type { NetworkStore } from './network-store.ts';

/** After a failure it is tried again. */
const againMs = 10_000;

/** What takes up the moves of a network, slice by slice. */
export interface MoveWork {
  /**
   * Milliseconds until the next slice, also where somebody waits for it: `hurried`. It is asked again after these, until it says
   * 0; `rested`: for how long there has been rest already.
   */
  rest(hurried: boolean, rested: number): number;
  /** Takes up a part; `hurried` where somebody waits for it. Says whether there is more. @throws StorageError */
  slice(hurried: boolean): Promise<boolean>;
  /** The reason where what failed gives none of its own. */
  reason: string;
  /** Told when it cannot go on, once for each reason. */
  failed(error: unknown): void;
}

/** Follows the moves of one network: wakes at each, rests between slices, tries again after a failure. */
export class MoveFollower {
  readonly #work: MoveWork;
  #following = Promise.resolve();
  #isFollowing = false;
  #woken = false;
  #closing = false;
  /** How many wait. */
  #hurried = 0;
  #pause = new AbortController();
  /** Ends with whoever follows: of rests that are not ended by those who wait. */
  readonly #closed = new AbortController();
  /** Resolved when a slice has ended, then replaced. */
  #turn = Promise.withResolvers<void>();
  #failure: StorageError | null = null;

  constructor(store: NetworkStore, work: MoveWork) {
    this.#work = work;
    store.onMoves(() => this.wake());
  }

  /** Why it cannot go on; null where it can. */
  get failure(): StorageError | null {
    return this.#failure;
  }

  wake(): void {
    this.#woken = true;
    if (this.#closing || this.#isFollowing) return;
    this.#isFollowing = true;
    this.#following = this.#follow();
  }

  /**
   * Goes on without rests until it is `reached`; false where it closes, or `late` resolves, before that.
   * @throws StorageError where it cannot go on
   */
  async until(reached: () => boolean, late?: Promise<false>): Promise<boolean> {
    const turns = this.turns(reached, late);
    for (;;) {
      const { done, value } = await turns.next();
      if (done) return value;
    }
  }

  /** The same, slice by slice. */
  async *turns(reached: () => boolean, late?: Promise<false>): AsyncGenerator<undefined, boolean, undefined> {
    this.#hurried++;
    try {
      while (!reached()) {
        if (this.#closing) return false;
        const turn = this.#turn.promise.then(() => true);
        if (!this.#isFollowing) this.wake();
        this.#pause.abort();
        if (!(await (late ? Promise.race([turn, late]) : turn))) return false;
        if (this.#failure) throw this.#failure;
        yield;
      }
      return true;
    } finally {
      this.#hurried--;
    }
  }

  /** Takes note of what failed, and says it once. */
  fail(error: unknown): void {
    const failure = error instanceof StorageError ? error : new StorageError(reasonOf(error) ?? this.#work.reason);
    if (this.#failure?.reason !== failure.reason) this.#work.failed(error);
    this.#failure = failure;
  }

  /** Ends with the slice in hand. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#pause.abort();
    this.#closed.abort();
    await this.#following;
    this.#turn.resolve();
  }

  /** Runs while there is something to take up, slice after slice. Does not throw. */
  async #follow(): Promise<void> {
    // What fails while it closes is not tried again.
    while (this.#woken && !this.#closing) {
      try {
        await this.#rest();
        if (this.#closing) break;
        this.#woken = false;
        const more = await this.#work.slice(this.#hurried > 0);
        this.#woken ||= more;
        this.#failure = null;
      } catch (error) {
        this.fail(error);
        this.#woken = true;
      }
      this.#turn.resolve();
      this.#turn = Promise.withResolvers();
    }
    // In the same turn as the last one's end, so that whoever waited for it can begin another one.
    this.#isFollowing = false;
  }

  async #rest(): Promise<void> {
    if (this.#failure) return this.#pauseFor(againMs, false);
    const begun = performance.now();
    for (let rested = 0; !this.#closing; rested = performance.now() - begun) {
      const hurried = this.#hurried > 0;
      const ms = this.#work.rest(hurried, rested);
      if (ms <= 0) return;
      await this.#pauseFor(ms, hurried);
    }
  }

  /** Ends early when it closes, and where nobody waited yet when somebody does. */
  async #pauseFor(ms: number, hurried: boolean): Promise<void> {
    const pause = hurried ? this.#closed : new AbortController();
    if (!hurried) this.#pause = pause;
    await delay(ms, undefined, { signal: pause.signal, ref: false }).catch(() => undefined);
  }
}

/** Of a thread that cannot be had, say. */
function reasonOf(error: unknown): string | null {
  const reason = error instanceof UnavailableError ? error.details?.reason : undefined;
  return typeof reason === 'string' ? reason : null;
}
