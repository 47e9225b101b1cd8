import { BusyError, ValidationError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';

/** For whom something is read, as far as its turn depends on it. */
export type Asker = Pick<Caller, 'actor' | 'hasLeft'>;

/** How many may wait that somebody asked for. */
const maxWaiting = 200;
/** So many of them may be of callers of whom nothing is known. */
const maxStrangers = 100;
const retryAfter = 5;

interface Waiting {
  /** Null for the node's own work, which is never refused: nobody would ask again. */
  asker: Asker | null;
  begin: () => void;
  refuse: (reason: Error) => void;
}

/**
 * Turns at a few threads. Those of callers of whom nothing is known and those of all others come alternately, so that whoever
 * reaches the node cannot put off everybody with a key; and who has left has no turn.
 */
export class Turns {
  readonly #most: number;
  #taken = 0;
  #known: Waiting[] = [];
  #strangers: Waiting[] = [];
  #isStrangersTurn = false;

  readonly #what: string;

  /** `most`: how many have their turn at once. `what` waits for one, in the words of a refusal. */
  constructor(most: number, what: 'long reads' | 'searches' | 'large requests') {
    this.#most = most;
    this.#what = what;
  }

  /** Those that wait. */
  get waiting(): number {
    return this.#known.length + this.#strangers.length;
  }

  /** @throws BusyError where too many wait; ValidationError where `asker` has left before its turn */
  async take<T>(asker: Asker | null, work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#most) this.#taken++;
    else await this.#wait(asker);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(asker: Asker | null): Promise<void> {
    const isStranger = asker?.actor.kind === 'anonymous';
    if (asker && this.#isFull(isStranger)) {
      this.#known = stayed(this.#known);
      this.#strangers = stayed(this.#strangers);
      if (this.#isFull(isStranger)) throw this.#busy(isStranger);
    }
    return new Promise<void>((begin, refuse) => {
      (isStranger ? this.#strangers : this.#known).push({ asker, begin, refuse });
    });
  }

  #isFull(isStranger: boolean): boolean {
    const asked = this.#known.filter(({ asker }) => asker !== null).length + this.#strangers.length;
    return asked >= maxWaiting || (isStranger && this.#strangers.length >= maxStrangers);
  }

  #busy(isStranger: boolean): BusyError {
    const [whose, way] = isStranger ? [' without credentials', ', or show some'] : ['', ''];
    return new BusyError(retryAfter, `Too many ${this.#what}${whose} wait for their turn; try again${way}.`);
  }

  #next(): void {
    let next = this.#shift();
    while (next && hasLeft(next)) next = this.#shift();
    if (next) next.begin();
    else this.#taken--;
  }

  #shift(): Waiting | undefined {
    const lines = this.#isStrangersTurn ? [this.#strangers, this.#known] : [this.#known, this.#strangers];
    this.#isStrangersTurn = !this.#isStrangersTurn;
    return lines[0]?.shift() ?? lines[1]?.shift();
  }
}

/** Without those that have left. */
function stayed(line: Waiting[]): Waiting[] {
  return line.filter((one) => !hasLeft(one));
}

/** Whether nobody waits for it any more, which it is told then. */
function hasLeft({ asker, refuse }: Waiting): boolean {
  if (!asker?.hasLeft?.()) return false;
  refuse(ValidationError.at([], 'the client has gone'));
  return true;
}
