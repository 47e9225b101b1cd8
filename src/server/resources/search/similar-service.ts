import { type Caller, registered } from '../../model/caller.ts';
import { RecentMap } from '../../model/recent-map.ts';
import type { SearchEngine } from '../../search/engine.ts';
import type { Shape } from '../../search/present.ts';
import { alikeWithin, type RankAnswer, type RankJob } from '../../search/rank-jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Asker } from '../../store/threads/asker-turns.ts';
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

interface Asked {
  asker: Asker;
  store: NetworkStore;
  tip: string;
  job: Extract<RankJob, { kind: 'like' | 'alike' }>;
  shape: Shape;
  refresh?: boolean | undefined;
}

/** What was found is answered again for so long, unless the entity changed or something of it is gone, or lies elsewhere. */
const keptMs = 10 * 60_000;
const maxKept = 500;

/** Searches for what is like something (interface.md, Search). */
export class SimilarService {
  readonly #env: SimilarSurroundings;
  /** What was found lately, by what was asked. */
  readonly #kept = new RecentMap<string, Kept>(maxKept);

  constructor(env: SimilarSurroundings) {
    this.#env = env;
  }

  async collections(caller: Caller, body: SimilarCollectionsBody): Promise<Uint8Array> {
    const id = idOf(caller, body, 'id', 'pi');
    const { store, tip } = await this.#source(caller, id, 'collection');
    const job = { kind: 'like', id, k: body.limit ?? 10, within: { types: ['collection'] } } as const;
    const { shown, from } = await this.#shown({
      asker: caller,
      store,
      tip,
      job,
      shape: shapeOf(body, []),
      refresh: body.refresh,
    });
    return answerWith(shown, { source_id: id, source_pi: id, ...from });
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
    const shape = shapeOf(body, ['type', 'collection_id']);
    const asked = { asker: caller, store, tip, job, shape, refresh: body.refresh };
    const { shown, collections, from } = await this.#shown(asked);
    return answerWith(shown, { source_id: id, source_pi: id, collections_searched: collections.length, ...from });
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

  /** What is found, or was found lately and all of it still fits. `tip` is the source's. */
  async #shown({ asker, store, tip, job, shape, refresh = false }: Asked) {
    const { engine, writes } = this.#env;
    const present = ({ ranked, collections }: RankAnswer) => {
      const within = job.kind === 'alike' ? alikeWithin(job, collections) : job.within;
      return engine.present(store, { ranked, within, shape }, asker);
    };
    const key = JSON.stringify([store.network, tip, job]);
    const now = writes.env.now();
    const known = this.#kept.get(key);
    if (known && !refresh && now - known.made < keptMs) {
      const shown = await present(known);
      if (shown.count === known.ranked.length)
        return { shown, collections: known.collections, from: made(known, true) };
    }
    const lacked = engine.lacking(store) !== null;
    const found = { ...(await engine.rank(store, job, asker)), made: now };
    // What was found in a part of all is not all that is like it.
    const late = found.late || found.crowded;
    if (!lacked && !late) this.#kept.set(key, found);
    const shown = { ...(await present(found)), late };
    return { shown, collections: found.collections, from: made(found, false) };
  }
}

function made({ made: time }: Kept, cached: boolean) {
  return { cached, cached_at: new Date(time).toISOString() };
}
