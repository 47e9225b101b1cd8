import { randomUUID } from 'node:crypto';
import { getPriority, platform, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { openReader } from '../store/connection.ts';
import {
  countDocs,
  docOf,
  emptyIndex,
  indexed,
  isSoundIndex,
  openIndexWriter,
  removeIndex,
  searchFileNumber,
} from '../store/search/search-index.ts';
import { sourceRow } from '../store/search/search-source.ts';
import { type FailedWork, isFailed, workOrFailure } from '../store/threads/failed-work.ts';
import { embeddedOf, type IndexStand, indexSlice, type Writing } from './index-slice.ts';
import { notBegun } from './not-begun.ts';
import { sameTexts } from './text.ts';
import { type Embedded, type Supplied, VectorKeeper } from './vector-keeper.ts';

/** A network's databases: its entities, and the index. */
export interface IndexFiles {
  database: string;
  /** Which file the database is (store/file-identity.ts). */
  fileId: string | null;
  index: string;
}

/** It reads each entity once, in the order in which they came. */
const readerCacheKb = 2048;

export interface SliceOrder {
  files: IndexFiles;
  /** How long it may last. */
  ms: number;
  /** The name of the embedder whose vectors there should be. */
  embedder: string;
}

/**
 * Where a thread has a priority of its own: where processors are few, requests and writes come before the index. Counted from what the
 * node has, as it may have been started to give way itself.
 */
if (!isMainThread && platform() === 'linux')
  try {
    setPriority(Math.min(getPriority() + 10, 19));
  } catch {
    // A sandbox may forbid it; the index is made all the same.
  }

/** With which files they are: the index's number, the database's place. */
const open = new Map<string, Writing & { number: number; fileId: string | null }>();

/** One slice on this thread's own connections. */
export function slice({ files, ms, embedder }: SliceOrder): IndexStand | FailedWork {
  const sliced = answered(files, () => {
    const writing = writingOf(files);
    writing.vectors.want(embedder);
    return indexSlice(writing, ms);
  });
  if (!isFailed(sliced) || !sliced.failed.damaged || isSoundIndex(files.index)) return sliced;
  // Nothing is lost with it: the next slice begins anew.
  return answered(files, () => {
    removeIndex(files.index);
    return notBegun;
  });
}

/** Removes an index that is damaged, so that the next slices make it anew. */
export function mend({ files }: { files: IndexFiles }): null | FailedWork {
  return answered(files, () => {
    if (isSoundIndex(files.index)) return null;
    close(files.index);
    removeIndex(files.index);
    return null;
  });
}

/** Forgets everything that is indexed, so that the next slices make it anew. */
export function begin({ files }: { files: IndexFiles }): null | FailedWork {
  const begun = answered(files, () => {
    const { index } = writingOf(files);
    indexed(index, () => emptyIndex(index, randomUUID()));
    return null;
  });
  return begun?.failed.damaged ? mend({ files }) : begun;
}

/** Texts of which an embedder elsewhere has made no vectors yet. */
export interface Lacking {
  entities: (Embedded & { id: string; digest: string })[];
  /** Whether these are the next in their order, not ones that changed. */
  pass: boolean;
  /** The last of them, also of those that are here no more; 0 for none. */
  last: number;
}

export function lacking({ files, embedder, limit }: { files: IndexFiles; embedder: string; limit: number }) {
  return answered<Lacking>(files, () => {
    const { vectors, main, index } = writingOf(files);
    vectors.want(embedder);
    const { keys, pass } = vectors.lacking(limit);
    const entities = main.snapshot((db) => embeddedOf(db, keys));
    return {
      entities: entities.map((one) => ({ ...one, digest: docOf(index, one.key)?.digest ?? '' })),
      pass,
      last: keys.at(-1) ?? 0,
    };
  });
}

/** Their vectors; those of texts that changed meanwhile are no more needed, and are asked for anew. */
export interface Supply {
  files: IndexFiles;
  embedder: string;
  dimensions: number;
  pass: boolean;
  last: number;
  supplied: (Supplied & { digest: string })[];
}

export function supply({ files, embedder, supplied, ...made }: Supply): null | FailedWork {
  return answered(files, () => {
    const { vectors, main, index } = writingOf(files);
    vectors.want(embedder);
    indexed(index, () => {
      const valid = supplied.filter((one) => {
        const doc = docOf(index, one.key);
        return doc && sameTexts(doc.digest, one.digest);
      });
      const typed = main.snapshot((db) =>
        valid.map((one) => ({ ...one, type: sourceRow(db, one.key)?.type ?? one.type })),
      );
      vectors.supply(typed, made);
    });
    return null;
  });
}

/** How many entities are indexed. */
export function counted({ files }: { files: IndexFiles }): { entities: number } | FailedWork {
  return answered(files, () => ({ entities: countDocs(writingOf(files).index) }));
}

export function closeIndexes(): void {
  for (const file of [...open.keys()]) close(file);
}

/** A file that somebody deleted meanwhile is made anew; beside another database than before it is opened again. */
function writingOf(files: IndexFiles): Writing {
  const known = open.get(files.index);
  const isSame = known?.number === searchFileNumber(files.index);
  if (known && isSame && known.fileId === files.fileId) return known;
  close(files.index);
  if (known && !isSame) removeIndex(files.index);
  const main = openReader(files.database, files.fileId, readerCacheKb);
  try {
    const index = openIndexWriter(files.index);
    const writing = {
      ...{ index, main, vectors: new VectorKeeper(index) },
      terms: new Set<string>(),
      epoch: undefined,
      number: searchFileNumber(files.index),
      fileId: files.fileId,
    };
    open.set(files.index, writing);
    return writing;
  } catch (error) {
    main.close();
    throw error;
  }
}

function close(file: string): void {
  const connections = open.get(file);
  open.delete(file);
  connections?.main.close();
  connections?.index.close();
}

function answered<T extends object | null>(files: IndexFiles, work: () => T): T | FailedWork {
  const forget = () => close(files.index);
  try {
    return workOrFailure(work, forget);
  } catch (error) {
    // What is kept beside a connection may be of what was rolled back.
    forget();
    throw error;
  }
}
