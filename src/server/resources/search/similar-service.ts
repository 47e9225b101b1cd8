import { type Caller, registered } from '../../model/caller.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { RankAnswer, RankJob } from '../../search/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { RecentMap } from '../../store/recent-map.ts';
import type { Within } from '../../store/search-hits.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { answerWith, idOf } from './body.ts';
import { shapeOf } from './service.ts';
import type { SimilarCollectionsBody, SimilarItemsBody } from './wire.ts';

export interface SimilarSurroundings {
  writes: EntityWrites;
  entities: EntitiesService;
  engine: SearchEngine;
}

interface Kept extends RankAnswer {
  /** Epoch milliseconds. */
  made: number;
}

/** What was found is answered again for so long, unless the entity changed. */
const keptMs = 10 * 60_000;
const maxKept = 500;

/** Searches for what is like something (interface.md, Search). */
export class SimilarService {
  readonly #env: SimilarSurroundings;
  /** What was found lately, by what was asked; what does not fit any more is left out when it is answered. */
  readonly #kept = new RecentMap<string, Kept>(maxKept);

  constructor(env: SimilarSurroundings) {
    this.#env = env;
  }

  async collections(caller: Caller, body: SimilarCollectionsBody): Promise<Uint8Array> {
    const id = idOf(caller, body, 'id', 'pi');
    const { store, tip } = await this.#source(caller, id, 'collection');
    const within = { types: ['collection'] };
    const job = { kind: 'like', id, k: body.limit ?? 10, within } as const;
    const found = await this.#found(store, job, tip, body.refresh ?? false);
    const { results, count } = await this.#env.engine.present(store, found.ranked, within, shapeOf(body, []));
    return answerWith(results, { source_id: id, result_count: count, ...found.from });
  }

  async items(caller: Caller, body: SimilarItemsBody): Promise<Uint8Array> {
    const id = idOf(caller, body, 'id', 'pi');
    const collection = idOf(caller, body, 'collection_id', 'collection_pi');
    const { store, tip } = await this.#source(caller, id);
    await this.#source(caller, collection, 'collection');
    const { limit: k = 20, tier1_limit = 10, tier2_limit = 5, include_same_collection: same = true } = body;
    const job = {
      kind: 'alike',
      ...{ id, collection, k, same },
      collections: tier1_limit,
      perCollection: tier2_limit,
    } as const;
    const found = await this.#found(store, job, tip, body.refresh ?? false);
    const within: Within = { except: [id] };
    const shape = shapeOf(body, ['type', 'collection_id']);
    const { results, count } = await this.#env.engine.present(store, found.ranked, within, shape);
    const collections_searched = found.collections.length;
    return answerWith(results, { source_id: id, collections_searched, result_count: count, ...found.from });
  }

  /** A live entity that the caller may view, with its tip. */
  async #source(caller: Caller, id: string, type?: string): Promise<{ store: NetworkStore; tip: string }> {
    const actor = registered(caller);
    const { writes, entities } = this.#env;
    const store = await writes.store(caller);
    return store.read((db) => {
      writes.env.permissions.require(db, actor, 'search:similar', null);
      const { cid } = entities.viewedRow(db, caller, id, type);
      return { store, tip: cid };
    });
  }

  async #found(
    store: NetworkStore,
    job: RankJob,
    tip: string,
    refresh: boolean,
  ): Promise<RankAnswer & { from: object }> {
    const key = JSON.stringify([store.network, tip, job]);
    const now = this.#env.writes.env.now();
    const known = this.#kept.get(key);
    const fresh = known && !refresh && now - known.made < keptMs;
    const found = fresh ? known : { ...(await this.#env.engine.rank(store, job)), made: now };
    if (!fresh) this.#kept.set(key, found);
    const { ranked, collections, made } = found;
    return { ranked, collections, from: { cached: fresh === true, cached_at: new Date(made).toISOString() } };
  }
}
