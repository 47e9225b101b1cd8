import { BusyError } from '../errors.ts';
import type { Actor } from '../model/actor.ts';

const most = 100;
/** So many of them may be of callers of whom nothing is known. */
const mostAnonymous = 50;

/** Bounds how many look on at once. */
export class StreamSeats {
  #taken = 0;
  #anonymous = 0;

  /** One more looks on, until it is disposed of. @throws BusyError with `full` where too many do already */
  take({ kind }: Actor, full: string): Disposable {
    const anonymous = kind === 'anonymous' ? 1 : 0;
    if (this.#taken >= most || (anonymous && this.#anonymous >= mostAnonymous)) throw new BusyError(10, full);
    this.#taken++;
    this.#anonymous += anonymous;
    return {
      [Symbol.dispose]: () => {
        this.#taken--;
        this.#anonymous -= anonymous;
      },
    };
  }
}
