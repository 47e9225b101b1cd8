import { ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import { idOn, type Network } from '../../model/ids.ts';
import { requireUser } from '../../model/permissions.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { Shape } from '../../search/present.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { answerWith, collectionsIn, filterOf } from './body.ts';
import type {
  DiscoverBody,
  MySearchBody,
  SearchAgentsBody,
  SearchCollectionsBody,
  SearchEntitiesBody,
} from './wire.ts';

export interface SearchSurroundings {
  writes: EntityWrites;
  engine: SearchEngine;
  /** The operator's id on main. */
  operator: string;
  /** The collection of approved agents; null for the operator's own collections. */
  official: string | null;
}

/** wire-contract.md 1.6: so many collections are searched by POST /users/me/search. */
const maxMine = 25;
const placed = ['type', 'collection_id'] as const;
/** What is found by endpoints of its own, unless `types` asks for it. */
const besideEntities = ['collection', 'user'];

/** Searches by text (interface.md, Search). All of it runs on the search thread and gives JSON text. */
export class SearchService {
  readonly #env: SearchSurroundings;

  constructor(env: SearchSurroundings) {
    this.#env = env;
  }

  async entities(caller: Caller, body: SearchEntitiesBody): Promise<Uint8Array> {
    const store = await this.#allowed(caller, 'search:query', body);
    const { query, types, limit: k = 20, per_collection_limit: perCollection } = body;
    const collection_ids = collectionsIn(caller, body);
    const within = {
      ...(collection_ids.length > 0 && { collections: collection_ids }),
      ...typed(types),
      filter: filterOf(body.filter),
    };
    const job = { kind: 'text', text: query, k, within, perCollection } as const;
    const found = await this.#env.engine.answer(store, job, shapeOf(body, placed), caller);
    const collections_searched = collection_ids.length;
    return answerWith(found, { collection_ids, collection_pis: collection_ids, query, collections_searched });
  }

  async discover(caller: Caller, body: DiscoverBody): Promise<Uint8Array> {
    const store = await this.#allowed(caller, 'search:query', body);
    const { query, types, limit: k = 20, collection_limit = 10, per_collection_limit = 5 } = body;
    const within = { ...typed(types), filter: filterOf(body.filter) };
    const job = {
      kind: 'discover',
      text: query,
      k,
      within,
      collections: collection_limit,
      perCollection: per_collection_limit,
    } as const;
    const found = await this.#env.engine.answer(store, job, shapeOf(body, placed), caller);
    return answerWith(found, { query, collections_searched: found.collections.length });
  }

  async collections(caller: Caller, body: SearchCollectionsBody): Promise<Uint8Array> {
    const store = await this.#allowed(caller, 'search:query', body);
    const { query, limit: k = 10, types: holding } = body;
    const within = {
      types: ['collection'],
      ...(holding !== undefined && holding.length > 0 && !holding.includes('collection') && { holding }),
      filter: filterOf(body.filter),
    };
    const job = { kind: 'text', text: query, k, within } as const;
    const found = await this.#env.engine.answer(store, job, shapeOf(body, ['type']), caller);
    return answerWith(found, { query });
  }

  async agents(caller: Caller, body: SearchAgentsBody): Promise<Uint8Array> {
    const store = await this.#allowed(caller, 'search:query', body);
    const { query, limit: k = 10, scope = 'official' } = body;
    const within = {
      types: ['agent'],
      ...(scope === 'official' && { collections: await this.#official(store, caller.network) }),
      filter: filterOf(body.filter),
    };
    const job = { kind: 'text', text: query, k, within } as const;
    const found = await this.#env.engine.answer(store, job, shapeOf(body, ['collection_id', 'status']), caller);
    return answerWith(found, { query });
  }

  async mine(caller: Caller, body: MySearchBody): Promise<Uint8Array> {
    const begun = performance.now();
    const store = await this.#allowed(caller, 'search:execute', body);
    const actor = registered(caller);
    const { ids } = actor.kind === 'processor' ? { ids: [actor.id] } : requireUser(actor, 'search their collections');
    const { query, type, role, include_public = false, limit: k = 20 } = body;
    const asked = { ids, ...(role !== undefined && { roles: [role] }), includeExpired: false, most: maxMine };
    const nearest = await store.readLong('nearestHeld', { ...asked, now: this.#env.writes.env.now() }, caller);
    const { ids: queried, total } = jsonOf(nearest) as { ids: string[]; total: number };
    const within = { collections: queried, orLoose: include_public, ...(type !== undefined && { types: [type] }) };
    const job = { kind: 'text', text: query, k, within } as const;
    const found = await this.#env.engine.answer(store, job, shapeOf(body, placed), caller);
    return answerWith(found, {
      query,
      collections_queried: queried.length,
      collections_total: total,
      include_public,
      execution_time_ms: Math.round(performance.now() - begun),
    });
  }

  async #allowed(caller: Caller, action: string, { query }: { query: string }): Promise<NetworkStore> {
    const actor = registered(caller);
    if (!query.isWellFormed()) throw ValidationError.at(['query'], 'holds an unpaired surrogate');
    const store = await this.#env.writes.store(caller);
    store.read((db) => this.#env.writes.env.permissions.require(db, actor, action, null));
    return store;
  }

  async #official(store: NetworkStore, network: Network): Promise<string[]> {
    const { official, operator, writes } = this.#env;
    if (official !== null) return [idOn(network, official)];
    const text = await store.readLong('rolesHeld', {
      ids: [idOn(network, operator)],
      roles: ['owner'],
      includeExpired: false,
      now: writes.env.now(),
      limit: Number.MAX_SAFE_INTEGER,
      offset: 0,
    });
    const { collections } = jsonOf(text) as { collections: { collection_id: string }[] };
    return collections.map(({ collection_id }) => collection_id);
  }
}

function typed(types: string[] | undefined) {
  return types === undefined || types.length === 0 ? { notTypes: besideEntities } : { types };
}

/** What a hit shows; its ids stand in both spellings that clients read (wire-contract.md 4.2). */
export function shapeOf({ expand = 'preview' }: { expand?: Shape['expand'] }, members: Shape['members']): Shape {
  const places = members.includes('collection_id') ? (['collection_pi'] as const) : [];
  return { expand, members: ['pi', ...members, ...places] };
}
