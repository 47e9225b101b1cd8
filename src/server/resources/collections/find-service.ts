import { ValidationError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
import { incomplete } from '../search/body.ts';
import { viewedCollection } from './lookup.ts';

export interface LookupOptions {
  label?: string | undefined;
  type?: string | undefined;
  limit: number;
}

export interface SearchOptions {
  q?: string | undefined;
  similar_to?: string | undefined;
  type?: string | undefined;
  limit: number;
}

/** Finds collections, and entities in one. All of it runs on other threads and gives JSON text. */
export class CollectionFindService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;
  readonly #engine: SearchEngine;

  constructor({ writes, entities, engine }: { writes: EntityWrites; entities: EntitiesService; engine: SearchEngine }) {
    this.#engine = engine;
    this.#writes = writes;
    this.#entities = entities;
  }

  /** Every collection of the network (wire-contract.md 4.4: public, for sitemaps). */
  async catalog(caller: Caller, page: { limit: number; offset: number }): Promise<Uint8Array> {
    const store = await this.#writes.store(caller);
    return store.readLong('catalog', page, caller);
  }

  async lookUp(caller: Caller, id: string, options: LookupOptions): Promise<Uint8Array> {
    if (options.label === undefined && options.type === undefined)
      refuse([{ path: ['label'], message: 'is required where no `type` is given' }]);
    const store = await this.#viewed(caller, id);
    return store.readLong('lookUp', { collection: id, ...options }, caller);
  }

  /** How many entities of each type a collection has, and from a sample which properties and relationships these have. */
  async facets(caller: Caller, id: string): Promise<Uint8Array> {
    const store = await this.#viewed(caller, id);
    return store.readLong('tableFacets', { collection: id, types: [] }, caller);
  }

  async search(caller: Caller, id: string, { q, similar_to, type, limit }: SearchOptions): Promise<Uint8Array> {
    if (similar_to !== undefined) checkNetwork(caller.network, similar_to, ['similar_to']);
    if ((q === undefined) === (similar_to === undefined))
      throw ValidationError.at(['q'], 'give either `q` or `similar_to`');
    const store = await this.#viewed(caller, id);
    if (q !== undefined) return store.readLong('searchLabels', { collection: id, part: q, type, limit }, caller);
    return this.#similar(store, caller, id, { to: similar_to ?? '', type, limit });
  }

  async #similar(
    store: NetworkStore,
    caller: Caller,
    collection: string,
    { to, type, limit }: { to: string; type: string | undefined; limit: number },
  ): Promise<Uint8Array> {
    store.read((db) => this.#entities.viewedRow(db, caller, to));
    const types = type === undefined ? undefined : await this.#typesNamed(store, caller, { collection, type });
    const within = { collections: [collection], types };
    const job = { kind: 'like', id: to, k: limit, within } as const;
    const { results, late, lacking } = await this.#engine.answer(
      store,
      job,
      { expand: 'none', members: ['type'] },
      caller,
    );
    const found = JSON.parse(Buffer.from(results).toString()) as { label: string }[];
    const entities = found.map((entity) => ({ ...entity, label: entity.label === '' ? null : entity.label }));
    const answer = { collection_id: collection, similar_to: to, entities, count: entities.length };
    return Buffer.from(JSON.stringify({ ...answer, ...(late && { truncated: true }), ...incomplete(lacking) }));
  }

  /** The index knows types as they are written; here their case does not count. */
  async #typesNamed(store: NetworkStore, caller: Caller, of: { collection: string; type: string }): Promise<string[]> {
    return JSON.parse(Buffer.from(await store.readLong('typesNamed', of, caller)).toString());
  }

  async #viewed(caller: Caller, id: string): Promise<NetworkStore> {
    accepted(caller);
    const store = await this.#writes.store(caller);
    store.read((db) => viewedCollection({ writes: this.#writes, entities: this.#entities }, db, caller, id));
    return store;
  }
}
