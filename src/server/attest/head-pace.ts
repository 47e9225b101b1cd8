import { type MoveTime, WriteRush } from '../store/write-rush.ts';

/** A head is signed at most this often while commits come and nobody waits for one. */
const headEveryMs = 1000;
/** Where very many come, it is looked so often whether they still do. */
const lookMs = 100;

/** When the next head is due. */
export class HeadPace {
  readonly #rush = new WriteRush();
  /** When the newest was signed. */
  #signed = Number.NEGATIVE_INFINITY;

  signed(now: number): void {
    this.#signed = now;
  }

  isDue(now: number): boolean {
    return now - this.#signed >= headEveryMs;
  }

  /** See MoveWork: milliseconds until the log takes up what has moved. */
  rest(rested: number, at: MoveTime): number {
    this.#rush.look(at);
    return Math.max(Math.ceil(this.#signed + headEveryMs - at.now), this.#rush.goesOn(rested) ? lookMs : 0);
  }
}
