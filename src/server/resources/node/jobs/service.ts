import { NotFoundError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import type { EntityWrites } from '../../entities/writes.ts';

/** All that was started on this node, by whomever, for its operator. It runs on reader threads and gives JSON text. */
export class RunsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  async list(
    caller: Caller,
    { processor = null, before = null, limit }: { processor?: string | null; before?: number | null; limit: number },
  ): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return store.readLong('runs', { processor, before, limit, nowMs: this.#writes.env.now() }, caller);
  }

  /** @throws NotFoundError where the node knows no such job */
  async read(
    caller: Caller,
    job: string,
    page: { failed: boolean; offset: number; limit: number },
  ): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    const run = await store.readLong('run', { job, ...page, nowMs: this.#writes.env.now() }, caller);
    if (run.length <= 'null'.length) throw new NotFoundError('Job not found');
    return run;
  }
}
