import { UnreachableError } from '../errors.ts';
import type { Unusable } from './manifests.ts';
import { FailedAnswerError } from './remote-errors.ts';

/** After so many failures in a row it is asked whether it answers at all. */
const few = 10;
/** So many more failures than it has done anything end a run; of what it has done at most `credit` counts. */
const [most, credit] = [40, 200];

/** The remote answers, and failed at so much that no more is tried. */
class OutOfPatienceError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/**
 * How long a remote is borne with that fails at single things: for as long as it does about as much else, so that what it
 * fails at holds back nothing else, while a remote that fails at everything ends the run soon. What is asked for at once fails
 * after everything else has been answered, since it is tried again, so the order says nothing.
 */
export class Patience {
  readonly #alive: () => Promise<unknown>;
  #inRow = 0;
  #balance = 0;
  #ended: OutOfPatienceError | null = null;

  /** `alive` asks for something that a remote answers if it answers anything, and throws where it does not. */
  constructor(alive: () => Promise<unknown>) {
    this.#alive = alive;
  }

  /** With the same remote, for what has failed before. */
  another(): Patience {
    return new Patience(this.#alive);
  }

  /** What it failed at says nothing of what comes now. */
  anew(): void {
    this.#inRow = 0;
    this.#balance = 0;
    this.#ended = null;
  }

  /** It has done what it was asked for, or said why not: so many things. */
  worked(things = 1): void {
    this.#inRow = 0;
    this.#balance = Math.max(-credit, this.#balance - things);
  }

  /** It failed at one thing, as `words` say. @throws UnreachableError where it seems to fail at everything */
  async failed(words: string): Promise<void> {
    this.#inRow++;
    this.#balance++;
    if (this.#balance >= most)
      throw new OutOfPatienceError(
        `${words}. It failed at so much (${most} more than it answered) that no more was tried; the log of the other side says why.`,
      );
    if (this.#inRow % few === 0) await this.#alive();
  }

  /** Whether no more is to be read: what has been, is kept first. */
  get isOver(): boolean {
    return this.#ended !== null;
  }

  /** @throws UnreachableError where no more is to be read */
  check(): void {
    if (this.#ended) throw this.#ended;
  }

  /**
   * What is read of one entity; where the remote fails at that, this is the entity's trouble, also where that was one too many:
   * `check` says so, when what was read beside it is kept.
   * @throws UnreachableError
   */
  async reading<T>(read: () => Promise<T>): Promise<T | Unusable> {
    const done = await this.#try(read, () => 1);
    return 'found' in done ? done.found : { trouble: 'failing', evidence: done.words };
  }

  /**
   * What is read of many at once, of how many `answered` says; null where the remote fails at that: it may do so for the sake of
   * one of them.
   */
  async readingMany<T>(read: () => Promise<T>, answered: (found: T) => number): Promise<T | null> {
    const done = await this.#try(read, answered);
    return 'found' in done ? done.found : null;
  }

  async #try<T>(read: () => Promise<T>, answered: (found: T) => number): Promise<{ found: T } | { words: string }> {
    let found: T;
    try {
      found = await read();
    } catch (error) {
      if (!(error instanceof FailedAnswerError)) throw error;
      await this.#borne(error.message);
      return { words: error.message };
    }
    this.worked(answered(found));
    return { found };
  }

  async #borne(words: string): Promise<void> {
    try {
      await this.failed(words);
    } catch (error) {
      if (!(error instanceof OutOfPatienceError)) throw error;
      this.#ended ??= error;
    }
  }
}

/** What ended the work because patience was over, which ends nothing beside it; null where all was done. @throws what else went wrong */
export async function untilSpent(work: () => Promise<void>): Promise<UnreachableError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof OutOfPatienceError)) throw error;
    return error;
  }
}
