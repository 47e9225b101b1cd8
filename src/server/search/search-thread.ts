import type { Within } from '../store/search/search-hits.ts';
import { openSearchReader, searchFileNumber } from '../store/search/search-index.ts';
import { type FailedWork, workOrFailure } from '../store/threads/failed-work.ts';
import { Finder } from './finder.ts';
import type { Ranked } from './fuse.ts';
import type { IndexFiles } from './index-thread.ts';
import { presented, type Shape } from './present.ts';
import { type RankAnswer, type RankJob, rank } from './rank-jobs.ts';

/** There is no index yet. */
export interface Missing {
  missing: true;
}

/** Hits as JSON text (UTF-8 of an array). */
export interface Presented {
  results: Uint8Array;
  count: number;
  /** The ids of the collections that were chosen. */
  collections: string[];
  /** Whether not all that matches was looked at. */
  late: boolean;
}

/** A hit as other parts of the node use it. */
export interface Hit {
  id: string;
  /** The store's key. */
  key: number;
  /** 0..1 */
  score: number;
}

type Ordered<T> = T & { files: IndexFiles };
type Answered<T> = T | Missing | FailedWork;

const open = new Map<string, { finder: Finder; number: number; fileId: string | null }>();

export function rankHits({ files, job }: Ordered<{ job: RankJob }>): Answered<RankAnswer & { hits: Hit[] }> {
  return answered(files, (finder) => {
    const { ranked, ...rest } = rank(finder, job);
    const ids = finder.idsOf(ranked);
    return { ranked, ...rest, hits: ranked.map(({ key, score }, i) => ({ id: ids[i] ?? '', key, score })) };
  });
}

export function answerJob({ files, job, shape }: Ordered<{ job: RankJob; shape: Shape }>): Answered<Presented> {
  return answered(files, (finder) =>
    finder.db.snapshot((db) => {
      const { ranked, collections, late, crowded } = rank(finder, job);
      return { ...bytes(presented(db, ranked, shape)), collections, late: late || crowded };
    }),
  );
}

/** What was found before, as far as it still fits. */
export function presentAgain({
  files,
  ranked,
  within,
  shape,
}: Ordered<{ ranked: Ranked[]; within: Within; shape: Shape }>): Answered<Presented> {
  return answered(files, (finder) =>
    finder.db.snapshot((db) => {
      const keys = ranked.map(({ key }) => key);
      const still = new Set(finder.fitting(keys, within));
      const left = ranked.filter(({ key }) => still.has(key));
      return { ...bytes(presented(db, left, shape)), collections: [], late: false };
    }),
  );
}

export function similarities({
  files,
  texts,
  others,
}: Ordered<{ texts: string[]; others: string[] }>): Answered<number[]> {
  return answered(files, (finder) => finder.similarities(texts, others));
}

export function closeFinders(): void {
  for (const file of [...open.keys()]) close(file);
}

function bytes({ results, count }: { results: string; count: number }): Pick<Presented, 'results' | 'count'> {
  return { results: new TextEncoder().encode(results), count };
}

function answered<T extends object>(files: IndexFiles, work: (finder: Finder) => T): Answered<T> {
  return workOrFailure<T | Missing>(
    () => {
      const finder = finderOf(files);
      return finder ? work(finder) : { missing: true };
    },
    () => close(files.index),
  );
}

/** A file that was deleted and made again is another one, and so is a database that the node has opened since. */
function finderOf(files: IndexFiles): Finder | undefined {
  const number = searchFileNumber(files.index);
  const known = open.get(files.index);
  if (known && known.number === number && known.fileId === files.fileId) return known.finder;
  close(files.index);
  const db = openSearchReader(files.database, files.index, files.fileId);
  if (!db) return undefined;
  const finder = new Finder(db);
  open.set(files.index, { finder, number, fileId: files.fileId });
  return finder;
}

function close(file: string): void {
  open.get(file)?.finder.db.close();
  open.delete(file);
}
