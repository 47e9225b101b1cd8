import type { Kind } from './client.ts';

/** Some time of a load. */
export interface Lap {
  /** Milliseconds by kind of request, in the order of their answers. */
  times: ReadonlyMap<Kind, readonly number[]>;
  errors: number;
}

/** Counts the answers of a load, lap by lap. */
export class Tally {
  /** What went wrong, the first ones in words. */
  readonly problems: string[] = [];
  #errors = 0;
  #times = new Map<Kind, number[]>();

  answered(kind: Kind, ms: number): void {
    const times = this.#times.get(kind);
    if (times) times.push(ms);
    else this.#times.set(kind, [ms]);
  }

  failed(problem: string): void {
    this.#errors++;
    if (this.problems.length < 20) this.problems.push(problem);
  }

  /** What has been counted since the lap before. */
  lap(): Lap {
    const lap = { times: this.#times, errors: this.#errors };
    this.#times = new Map();
    this.#errors = 0;
    return lap;
  }
}

export function answersOf({ times }: Lap): number {
  return [...times.values()].reduce((sum, { length }) => sum + length, 0);
}
