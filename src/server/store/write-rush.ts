/** As long as moves come faster than this a second, writes are given the time: there is rest until they do not, or for so long. */
const rushMovesPerSecond = 500;
const longestMs = 5000;

/** The number of the last move, and the time of it in milliseconds of any clock that goes evenly. */
export interface MoveTime {
  lastMove: number;
  now: number;
}

/** How fast moves come, for what works in the background: requests and writes come before it. */
export class WriteRush {
  /** The last move when it was asked before. */
  #seen: MoveTime = { lastMove: 0, now: Number.NEGATIVE_INFINITY };
  #perSecond = 0;

  /** Takes a look; moves a second since the look before it, 0 at the first. */
  look({ lastMove, now }: MoveTime): number {
    this.#perSecond = (1000 * (lastMove - this.#seen.lastMove)) / (now - this.#seen.now);
    this.#seen = { lastMove, now };
    return this.#perSecond;
  }

  /** Whether to go on resting, by the last look; `rested`: for how many milliseconds there has been rest. */
  goesOn(rested: number): boolean {
    return rested > 0 && rested < longestMs && this.#perSecond > rushMovesPerSecond;
  }
}
