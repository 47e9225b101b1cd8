/** How long a slice may last: so long does closing wait at most. */
const sliceMs = 150;
/** What comes within this time is taken up together, unless somebody waits. */
const gatherMs = 100;
/** As long as moves come faster than this a second, writes are given the time: there is rest until they do not, or for so long. */
const busyMovesPerSecond = 500;
const busyMs = 5000;
/**
 * Where somebody waits for the index, it rests only where moves come faster than this a second, and after slices that are
 * short: whoever writes meanwhile notices little of it.
 */
const rushMovesPerSecond = 2000;
const [rushSliceMs, rushMs] = [30, 60];

/** How long the index works and rests, by how fast moves come: requests and writes come before it. */
export class IndexPace {
  /** The last move when it was asked before, and the time of it. */
  #seen = { move: 0, at: Number.NEGATIVE_INFINITY };
  #isRushed = false;

  /** Milliseconds that the next slice may last. */
  get sliceMs(): number {
    return this.#isRushed ? rushSliceMs : sliceMs;
  }

  /** See MoveWork. `lastMove`: the number of the last move at `now`, in milliseconds of any clock that goes evenly. */
  rest(hurried: boolean, rested: number, { lastMove, now }: { lastMove: number; now: number }): number {
    if (hurried && rested > 0) return 0;
    const rate = (1000 * (lastMove - this.#seen.move)) / (now - this.#seen.at);
    this.#seen = { move: lastMove, at: now };
    this.#isRushed = hurried && rate > rushMovesPerSecond;
    if (hurried) return this.#isRushed ? rushMs : 0;
    const isBusy = rested > 0 && rested < busyMs && rate > busyMovesPerSecond;
    return rested === 0 || isBusy ? gatherMs : 0;
  }
}
