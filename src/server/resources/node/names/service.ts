import { type Caller, operator } from '../../../model/caller.ts';
import type { EntityWrites } from '../../entities/writes.ts';

/** The names that queries are written with. */
export class NamesService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** JSON text. @throws ForbiddenError for everybody but the operator */
  async names(caller: Caller): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return store.readLong('names', {});
  }
}
