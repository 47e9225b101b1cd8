import { BusyError, ValidationError } from '../../errors.ts';
import { clientOf } from '../../model/addresses.ts';
import type { Caller } from '../../model/caller.ts';
import { TurnLine } from './turn-line.ts';

/** For whom something is read, as far as its turn depends on it. */
export type Asker = Pick<Caller, 'actor' | 'address' | 'hasLeft'>;

/** How many may wait that somebody asked for. */
const maxWaiting = 200;
/** So many of them may be of one caller, or of all of whom nothing is known. */
const maxOfOne = 100;
const retryAfter = 5;
/** The node's own work, which is never refused: nobody would ask again. */
const own = '';

interface Waiting {
  asker: Asker | null;
  begin: () => void;
  refuse: (reason: Error) => void;
}

/**
 * Turns at a few threads. Those of callers of whom nothing is known and those of all others come alternately, so that whoever
 * reaches the node cannot put off everybody with a key; among either each caller has a turn before another has the next, so
 * that nobody who asks for much puts off the others; and who has left has no turn.
 */
export class AskerTurns {
  readonly #most: number;
  #taken = 0;
  readonly #known = new TurnLine<Waiting>();
  readonly #strangers = new TurnLine<Waiting>();
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

  /**
   * What `goesOn` has had a turn before: it is not refused, and does not stand behind what its asker begins. Else most of what
   * is begun would be refused after its bytes have come, and begun again, and so on.
   * @throws BusyError where too many wait; ValidationError where `asker` has left before its turn
   */
  async take<T>(asker: Asker | null, work: () => Promise<T>, goesOn = false): Promise<T> {
    if (this.#taken < this.#most) this.#taken++;
    else await this.#wait(asker, goesOn);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(asker: Asker | null, goesOn: boolean): Promise<void> {
    if (asker && !goesOn && this.#refusal(asker)) {
      for (const line of [this.#known, this.#strangers]) line.sift((one) => !hasLeft(one));
      const refusal = this.#refusal(asker);
      if (refusal) throw new BusyError(retryAfter, refusal);
    }
    return new Promise<void>((begin, refuse) => {
      const line = isStranger(asker) ? this.#strangers : this.#known;
      line.push(goesOn ? `${partyOf(asker)} goes on` : partyOf(asker), { asker, begin, refuse });
    });
  }

  /** Why one more of this caller cannot wait; null where it can. */
  #refusal(asker: Asker): string | null {
    const busy = (whose: string, way: string) => `Too many ${this.#what}${whose} wait for their turn; ${way}.`;
    if (isStranger(asker) && this.#strangers.length >= maxOfOne)
      return busy(' without credentials', 'try again, or show some');
    if (this.#known.lengthOf(partyOf(asker)) >= maxOfOne) return busy(' of yours', 'wait for some of them');
    return this.waiting - this.#known.lengthOf(own) >= maxWaiting ? busy('', 'try again') : null;
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

function isStranger(asker: Asker | null): boolean {
  return asker?.actor.kind === 'anonymous';
}

/** Whose turns are counted together: a user's, whatever the key; strangers are told apart by where they ask from. */
function partyOf(asker: Asker | null): string {
  if (!asker) return own;
  const { actor, address } = asker;
  if (actor.kind === 'anonymous') return `from ${clientOf(address ?? '')}`;
  return actor.kind === 'service' ? (actor.onBehalfOf?.id ?? actor.id) : actor.id;
}

/** Whether nobody waits for it any more, which it is told then. */
function hasLeft({ asker, refuse }: Waiting): boolean {
  if (!asker?.hasLeft?.()) return false;
  refuse(ValidationError.at([], 'the client has gone'));
  return true;
}
