import { type MoveTime, WriteRush } from '../store/write-rush.ts';

/** How long a slice may last: so long does closing wait at most. */
const sliceMs = 150;
/** What comes within this time is taken up together, unless somebody waits. */
const gatherMs = 100;
/**
 * Where somebody waits for the index, it rests only where moves come faster than this a second, and after slices that are
 * short: whoever writes meanwhile notices little of it.
 */
const hurriedMovesPerSecond = 2000;
const [hurriedSliceMs, hurriedRestMs] = [30, 60];

/** How long the index works and rests, by how fast moves come. */
export class IndexPace {
  readonly #rush = new WriteRush();
  #isShort = false;

  /** Milliseconds that the next slice may last. */
  get sliceMs(): number {
    return this.#isShort ? hurriedSliceMs : sliceMs;
  }

  /** See MoveWork. */
  rest(hurried: boolean, rested: number, at: MoveTime): number {
    if (hurried && rested > 0) return 0;
    const rate = this.#rush.look(at);
    this.#isShort = hurried && rate > hurriedMovesPerSecond;
    if (hurried) return this.#isShort ? hurriedRestMs : 0;
    return rested === 0 || this.#rush.goesOn(rested) ? gatherMs : 0;
  }
}
