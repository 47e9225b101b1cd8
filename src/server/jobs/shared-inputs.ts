import type { Reader } from '../store/connection.ts';
import type { NewJob } from '../store/jobs/job-rows.ts';
import { type SharedInput, sharedInput } from '../store/jobs/jobs.ts';
import { mostAtOnce } from './at-once.ts';

/** Characters of JSON: what is longer takes as long to be sent as to be read. */
const mostLength = 16 * 2 ** 20;

/**
 * What batches give to all their jobs, which stands in no job's row; that of the last few is kept, since all of a batch is looked
 * through for it.
 */
export class SharedInputs {
  readonly #kept = new Map<string, SharedInput>();
  #length = 0;

  /** The whole input of a job: what its batch gives to all, under what it is given itself. Undefined where it is given nothing. */
  inputOf(db: Reader, { id, run, parent, request: { input } }: Pick<NewJob, 'id' | 'run' | 'parent' | 'request'>) {
    // What is handed on is given what was handed on alone.
    const shared = parent === null && run !== id ? this.#of(db, run).input : undefined;
    return shared ? { ...shared, ...input } : input;
  }

  #of(db: Reader, run: string): SharedInput {
    const found = this.#kept.get(run) ?? sharedInput(db, run);
    this.#drop(run);
    this.#kept.set(run, found);
    this.#length += found.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostAtOnce.all && this.#length <= mostLength) break;
      this.#drop(oldest);
    }
    return found;
  }

  #drop(run: string): void {
    this.#length -= this.#kept.get(run)?.length ?? 0;
    this.#kept.delete(run);
  }
}
