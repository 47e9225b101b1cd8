import { NotFoundError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { TableViews } from '../../../store/listings/table-views.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import { findCollection } from '../../collections/lookup.ts';
import type { EntityWrites } from '../../entities/writes.ts';
import { parseTable, parseTypes, type TableQuery } from './query.ts';

export interface TablePageOptions extends TableQuery {
  view?: string | undefined;
  offset: number;
  limit: number;
}

/** Collections and their entities as the page's tables show them. All of it runs on reader threads and gives JSON text. */
export class TablesService {
  readonly #writes: EntityWrites;
  readonly #views = new TableViews();

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  async collections(
    caller: Caller,
    { q, ...page }: { q: string | undefined; limit: number; offset: number },
  ): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return q === undefined
      ? store.readLong('collectionsOverview', page, caller)
      : store.readLong('collectionsFound', { text: q, ...page }, caller);
  }

  async facets(caller: Caller, id: string, types: string | undefined): Promise<Uint8Array> {
    operator(caller);
    const names = parseTypes(types);
    const store = await this.#store(caller, id);
    const facets = await store.readLong('tableFacets', { collection: id, types: names }, caller);
    return joined(`{"collection_id":${JSON.stringify(id)},`, facets.subarray(1), '');
  }

  async page(caller: Caller, id: string, { view, offset, limit, ...query }: TablePageOptions): Promise<Uint8Array> {
    operator(caller);
    const { order, columns } = parseTable(id, query);
    const store = await this.#store(caller, id);
    const page = await this.#views.page(store, order, { view, offset, limit, columns }, caller);
    const head = JSON.stringify({ collection_id: id, view: page.view, total: page.total, offset });
    return joined(`${head.slice(0, -1)},"rows":`, page.rows, '}');
  }

  /** The collections that were deleted and can be restored. */
  async deletedCollections(caller: Caller, page: { limit: number; offset: number }): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#writes.store(caller);
    const rows = await store.readLong('deletedRows', { collection: null, ...page }, caller);
    return joined(`{"offset":${page.offset},`, rows.subarray(1), '');
  }

  /** What was deleted in a collection and can be restored. */
  async deleted(caller: Caller, id: string, page: { limit: number; offset: number }): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#store(caller, id);
    const rows = await store.readLong('deletedRows', { collection: id, ...page }, caller);
    return joined(`{"collection_id":${JSON.stringify(id)},"offset":${page.offset},`, rows.subarray(1), '');
  }

  /** @throws NotFoundError for what is no collection, and a deleted one */
  async #store(caller: Caller, id: string): Promise<NetworkStore> {
    const store = await this.#writes.store(caller);
    const { deleted } = store.read((db) => findCollection(this.#writes, db, caller, id));
    if (deleted) throw new NotFoundError();
    return store;
  }
}

function joined(before: string, bytes: Uint8Array, after: string): Uint8Array {
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
}
