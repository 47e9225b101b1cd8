import type { Within } from '../store/search/search-hits.ts';
import type { Finder } from './finder.ts';
import { fuse, type Ranked } from './fuse.ts';

/** Jobs about a text. `vector`: of the text, where the vectors that are searched are made elsewhere. */
export type TextJob = { text: string; k: number; within: Within; vector?: QueryVector | undefined } & (
  | { kind: 'text'; perCollection?: number | undefined }
  /** First the collections that fit best, then what fits in these. */
  | { kind: 'discover'; collections: number; perCollection: number }
);

export interface QueryVector {
  /** Of the embedder that made it. */
  name: string;
  values: Float32Array;
}

/** What can be asked of an index, as plain data. `k`: how many at most; `perCollection`: of each collection that is searched. */
export type RankJob = TextJob | { kind: 'like'; id: string; k: number; within: Within } | AlikeJob;

/** What is like an entity, in the collections that are like `collection` and, with `same`, in that one. */
interface AlikeJob {
  kind: 'alike';
  id: string;
  collection: string;
  k: number;
  collections: number;
  perCollection: number;
  same: boolean;
}

/** Among what that is sought, once these collections are chosen. */
export function alikeWithin({ collection, same }: AlikeJob, collections: readonly string[]): Within {
  return { collections, notTypes: ['collection'], ...(!same && { notCollections: [collection] }) };
}

export interface RankAnswer {
  ranked: Ranked[];
  /** The ids of the collections that were chosen. */
  collections: string[];
  /** Whether there was more to look at than time for it, and whether more matched than was ranked. */
  late: boolean;
  crowded: boolean;
}

/** Hits by which collections are chosen. */
const choosing = 300;

export function rank(finder: Finder, job: RankJob): RankAnswer {
  finder.begin();
  const ranked = rankedBy(finder, job);
  return { ...ranked, late: finder.late, crowded: finder.crowded };
}

function rankedBy(finder: Finder, job: RankJob): Omit<RankAnswer, 'late' | 'crowded'> {
  switch (job.kind) {
    case 'text': {
      const { text, k, vector, perCollection } = job;
      const find = (within: Within, count: number) => finder.find({ text, k: count, within, vector });
      const ranked =
        perCollection === undefined ? find(job.within, k) : spread(finder, find, { ...job, perCollection });
      return { ranked, collections: [] };
    }
    case 'like':
      return { ranked: finder.like(job), collections: [] };
    case 'discover':
      return discover(finder, job);
    case 'alike': {
      const { id, collection, same, k, perCollection } = job;
      const near = finder.like({ id: collection, k: job.collections, within: { types: ['collection'] } });
      const collections = [...(same ? [collection] : []), ...finder.idsOf(near)];
      const find = (within: Within, count: number) => finder.like({ id, k: count, within });
      const within = alikeWithin(job, collections);
      return { ranked: spread(finder, find, { k, within, perCollection }), collections };
    }
  }
}

function discover(finder: Finder, job: Extract<TextJob, { kind: 'discover' }>): Omit<RankAnswer, 'late' | 'crowded'> {
  const { text, k, vector, perCollection } = job;
  const byThemselves = finder.find({ text, vector, k: job.collections, within: { types: ['collection'] } });
  const hits = finder.find({ text, vector, k: choosing, within: job.within });
  // No more of them than of the others: what is in both comes first, and all that hold any hit would put that of the best one last.
  const holding = [...new Set(finder.collectionsOf(hits).flatMap((key) => key ?? []))].slice(0, job.collections);
  const chosen = fuse([
    { keys: byThemselves.map(({ key }) => key), weight: 1 },
    { keys: holding, weight: 1 },
  ]).slice(0, job.collections);
  const collections = finder.idsOf(chosen);
  const find = (within: Within, count: number) => finder.find({ text, vector, k: count, within });
  const within = { ...job.within, collections };
  return { ranked: spread(finder, find, { k, within, perCollection }), collections };
}

/**
 * The best, of which none of the collections that are searched (all, if none are named) has more than so many: what is full is
 * left out of the next pass, until there are enough, nothing more is found, or the time is up.
 */
function spread(
  finder: Finder,
  find: (within: Within, count: number) => Ranked[],
  { k, within, perCollection }: { k: number; within: Within; perCollection: number },
): Ranked[] {
  const taken = new Map<number, Ranked>();
  const counts = new Map<number, number>();
  const full = new Set<number>();
  const searched = within.collections ? new Set(finder.keysOf(within.collections)) : null;
  const asked = Math.max(3 * k, 100);
  let most = 1;
  // Each pass fills a collection that the ones before have left, so there are no more than collections and results.
  for (let pass = 0; taken.size < k && (pass === 0 || !finder.isOverdue()); pass++) {
    const before = full.size;
    const found = find(notIn(finder, full, within), asked);
    for (const { key, score } of found) {
      if (taken.size === k) break;
      if (taken.has(key)) continue;
      const homes = finder.allCollectionsOf({ key }).filter((home) => searched === null || searched.has(home));
      if (homes.some((home) => full.has(home))) continue;
      for (const home of homes) {
        counts.set(home, (counts.get(home) ?? 0) + 1);
        if (counts.get(home) === perCollection) full.add(home);
      }
      most = Math.min(most, score);
      // Of a later pass nothing comes before what an earlier one had.
      taken.set(key, { key, score: pass === 0 ? score : most });
    }
    if (found.length < asked || full.size === before) break;
  }
  return [...taken.values()];
}

/** The fewer collections are left to be searched, the less there is to look at. */
function notIn(finder: Finder, full: ReadonlySet<number>, within: Within): Within {
  if (full.size === 0) return within;
  const filled = new Set(finder.idsOf([...full].map((key) => ({ key }))));
  const { collections, notCollections = [] } = within;
  return {
    ...within,
    ...(collections && { collections: collections.filter((id) => !filled.has(id)) }),
    notCollections: [...notCollections, ...filled],
  };
}
