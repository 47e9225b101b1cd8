import type { JsonObject } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import type { NewJob } from '../store/jobs/job-rows.ts';
import { sharedInput } from '../store/jobs/jobs.ts';

/** About as many batches are sent at a time. */
const most = 4;

/** What batches give to all their jobs, which stands in no job's row; that of the last few is kept, for it may be long. */
export class SharedInputs {
  readonly #kept = new Map<string, JsonObject | undefined>();

  /** The whole input of a job: what its batch gives to all, under what it is given itself. Undefined where it is given nothing. */
  inputOf(db: Reader, { id, run, parent, request: { input } }: Pick<NewJob, 'id' | 'run' | 'parent' | 'request'>) {
    // What is handed on is given what was handed on alone.
    const shared = parent === null && run !== id ? this.#of(db, run) : undefined;
    return shared ? { ...shared, ...input } : input;
  }

  #of(db: Reader, run: string): JsonObject | undefined {
    const found = this.#kept.has(run) ? this.#kept.get(run) : sharedInput(db, run);
    this.#kept.delete(run);
    this.#kept.set(run, found);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }
}
