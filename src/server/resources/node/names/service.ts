import { type Caller, operator } from '../../../model/caller.ts';
import { jsonOf } from '../../../model/from-json.ts';
import type { EntityWrites } from '../../entities/writes.ts';
import type { EntityId } from '../../wire.ts';
import type { NamedCollectionsView } from './wire.ts';

/** The names that queries and commands are written with. */
export class NamesService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /** JSON text. @throws ForbiddenError for everybody but the operator */
  async names(caller: Caller): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return store.readLong('names', {}, caller);
  }

  /** @throws ForbiddenError for everybody but the operator */
  async collections(caller: Caller, label: string): Promise<NamedCollectionsView> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return { ids: jsonOf(await store.readLong('collectionsLabelled', { label }, caller)) as EntityId[] };
  }
}
