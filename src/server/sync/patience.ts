import { UnreachableError } from '../errors.ts';
import type { Unusable } from './manifests.ts';
import { FailedAnswerError } from './remote.ts';

/** After so many failures in a row it is asked whether it answers at all, and after so many nothing more is tried. */
const few = 10;
const most = 40;

/**
 * How long a remote is borne with that fails at single things: for as long as it does others in between, so that what it
 * fails at holds back nothing else, while a remote that fails at everything ends the run soon.
 */
export class Patience {
  readonly #alive: () => Promise<unknown>;
  #inRow = 0;

  /** `alive` asks for something that a remote answers if it answers anything, and throws where it does not. */
  constructor(alive: () => Promise<unknown>) {
    this.#alive = alive;
  }

  /** It has done what it was asked for, or said why not. */
  worked(): void {
    this.#inRow = 0;
  }

  /** It failed at one thing, as `words` say. @throws UnreachableError where it seems to fail at everything */
  async failed(words: string): Promise<void> {
    this.#inRow++;
    if (this.#inRow >= most)
      throw new UnreachableError(
        `${words}. It failed at ${most} things one after the other, so that no more was tried; the log of the other side says why.`,
      );
    if (this.#inRow % few === 0) await this.#alive();
  }

  /** What is read of one entity; where the remote fails at that, this is the entity's trouble. @throws UnreachableError */
  async reading<T>(read: () => Promise<T>): Promise<T | Unusable> {
    const done = await this.#try(read);
    return 'found' in done ? done.found : { trouble: 'failing', evidence: done.words };
  }

  /** What is read of many at once; null where the remote fails at that: it may do so for the sake of one of them. */
  async readingMany<T>(read: () => Promise<T>): Promise<T | null> {
    const done = await this.#try(read);
    return 'found' in done ? done.found : null;
  }

  async #try<T>(read: () => Promise<T>): Promise<{ found: T } | { words: string }> {
    let found: T;
    try {
      found = await read();
    } catch (error) {
      if (!(error instanceof FailedAnswerError)) throw error;
      await this.failed(error.message);
      return { words: error.message };
    }
    this.worked();
    return { found };
  }
}
