import type { Random } from './random.ts';

/** A question to another machine: whatever it answers comes back, or `Lost` is thrown. */
export interface Call<T = unknown> {
  run: () => T;
  /** What a client may be told instead of the answer: a status for writes and reads alike. */
  refuse: (status: number) => T;
  /** The same answer, falsified; undefined where there is nothing to falsify. */
  lie?: (answer: T) => T;
}

export class Lost extends Error {}

/** A machine's work: it yields where time passes, a call where another machine is asked. */
export type Work<T = void> = Generator<Call | null, T, unknown>;

export interface Faults {
  /** Chances of each, 0 to 1. */
  lostRequest: number;
  lostAnswer: number;
  twice: number;
  refused: number;
  lie: number;
}

export const calm: Faults = { lostRequest: 0, lostAnswer: 0, twice: 0, refused: 0, lie: 0 };

/** One question through the generator, typed. */
export function* ask<T>(call: Call<T>): Work<T> {
  return (yield call as Call) as T;
}

/** Work under way. */
export class Process {
  #work: Work;
  #answer: { value: unknown } | { lost: true } = { value: undefined };
  readonly node: string;
  readonly peer: string;
  done = false;

  constructor(node: string, peer: string, work: Work) {
    this.node = node;
    this.peer = peer;
    this.#work = work;
  }

  /** On to the next place where time passes; the call that waits there is made, with whatever befalls it. */
  step(faults: Faults, random: Random, apart: boolean): void {
    const result = 'lost' in this.#answer ? this.#work.throw(new Lost()) : this.#work.next(this.#answer.value);
    this.done = result.done === true;
    this.#answer = { value: undefined };
    if (result.done || result.value === null) return;
    this.#answer = through(result.value, faults, random, apart);
  }
}

function refused(call: Call, status: number): { value: unknown } | { lost: true } {
  try {
    return { value: call.refuse(status) };
  } catch (error) {
    if (error instanceof Lost) return { lost: true };
    throw error;
  }
}

function through(call: Call, faults: Faults, random: Random, apart: boolean): { value: unknown } | { lost: true } {
  if (apart || random.chance(faults.lostRequest)) return { lost: true };
  if (random.chance(faults.refused)) {
    const status = random.pick([403, 404, 429, 500]);
    // A server may have done what it answers 500 to.
    if (status === 500 && random.chance(0.5)) call.run();
    return refused(call, status);
  }
  const first = call.run();
  const answer = random.chance(faults.twice) ? random.pick([first, call.run()]) : first;
  if (random.chance(faults.lostAnswer)) return { lost: true };
  return { value: call.lie && random.chance(faults.lie) ? call.lie(answer) : answer };
}
