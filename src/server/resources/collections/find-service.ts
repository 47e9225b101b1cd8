import { UnavailableError, ValidationError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
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

/** Finds collections, and entities in one by their labels. All of it runs on reader threads and gives JSON text. */
export class CollectionFindService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;

  constructor({ writes, entities }: { writes: EntityWrites; entities: EntitiesService }) {
    this.#writes = writes;
    this.#entities = entities;
  }

  /** Every collection of the network (wire-contract.md 4.4: public, for sitemaps). */
  async catalog(caller: Caller, page: { limit: number; offset: number }): Promise<Uint8Array> {
    const store = await this.#writes.store(caller);
    return store.readLong('catalog', page);
  }

  async lookUp(caller: Caller, id: string, options: LookupOptions): Promise<Uint8Array> {
    if (options.label === undefined && options.type === undefined)
      refuse([{ path: ['label'], message: 'is required where no `type` is given' }]);
    const store = await this.#viewed(caller, id);
    return store.readLong('lookUp', { collection: id, ...options });
  }

  /** @throws UnavailableError for `similar_to` */
  async search(caller: Caller, id: string, { q, similar_to, type, limit }: SearchOptions): Promise<Uint8Array> {
    if (similar_to !== undefined) checkNetwork(caller.network, similar_to, ['similar_to']);
    if ((q === undefined) === (similar_to === undefined))
      throw ValidationError.at(['q'], 'give either `q` or `similar_to`');
    const store = await this.#viewed(caller, id);
    if (q === undefined) throw noSimilarity();
    return store.readLong('searchLabels', { collection: id, part: q, type, limit });
  }

  async #viewed(caller: Caller, id: string): Promise<NetworkStore> {
    accepted(caller);
    const store = await this.#writes.store(caller);
    store.read((db) => viewedCollection({ writes: this.#writes, entities: this.#entities }, db, caller, id));
    return store;
  }
}

function noSimilarity(): UnavailableError {
  const reason = 'This node keeps no embeddings, so it finds nothing similar. Search with `q` for a part of the label.';
  return new UnavailableError('Service unavailable', { service: 'search', reason });
}
