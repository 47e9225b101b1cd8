import { randomUUID } from 'node:crypto';
import { openReader } from '../store/connection.ts';
import {
  countDocs,
  emptyIndex,
  indexed,
  isSoundIndex,
  openIndexWriter,
  removeIndex,
  searchFileNumber,
} from '../store/search-index.ts';
import { type Failed, failing, isFailed } from './failed.ts';
import { indexSlice, type Sliced, type Writing } from './index-slice.ts';
import { VectorKeeper } from './vector-keeper.ts';

/** A network's databases: its entities, and the index. */
export interface IndexFiles {
  database: string;
  index: string;
}

/** It reads each entity once, in the order in which they came. */
const readerCacheKb = 2048;

const open = new Map<string, Writing & { number: number }>();

/** One slice on this thread's own connections. */
export function slice({ files, ms }: { files: IndexFiles; ms: number }): Sliced | Failed {
  const sliced = answered(files, () => indexSlice(writingOf(files), ms));
  if (!isFailed(sliced) || !sliced.failed.damaged || isSoundIndex(files.index)) return sliced;
  // Nothing is lost with it: the next slice begins anew.
  return answered(files, () => {
    removeIndex(files.index);
    return { cursor: 0, last: 0, behind: true, learning: true };
  });
}

/** Removes an index that is damaged, so that the next slices make it anew. */
export function mend({ files }: { files: IndexFiles }): null | Failed {
  return answered(files, () => {
    if (isSoundIndex(files.index)) return null;
    close(files.index);
    removeIndex(files.index);
    return null;
  });
}

/** Forgets everything that is indexed, so that the next slices make it anew. */
export function begin({ files }: { files: IndexFiles }): null | Failed {
  const begun = answered(files, () => {
    const { index } = writingOf(files);
    indexed(index, () => emptyIndex(index, randomUUID()));
    return null;
  });
  return begun?.failed.damaged ? mend({ files }) : begun;
}

/** How many entities are indexed. */
export function counted({ files }: { files: IndexFiles }): { entities: number } | Failed {
  return answered(files, () => ({ entities: countDocs(writingOf(files).index) }));
}

export function closeIndexes(): void {
  for (const file of [...open.keys()]) close(file);
}

/** A file that somebody deleted meanwhile is made anew. */
function writingOf(files: IndexFiles): Writing {
  const known = open.get(files.index);
  if (known && known.number === searchFileNumber(files.index)) return known;
  close(files.index);
  if (known) removeIndex(files.index);
  const index = openIndexWriter(files.index);
  const writing = {
    index,
    main: openReader(files.database, readerCacheKb),
    terms: new Set<string>(),
    epoch: undefined,
    vectors: new VectorKeeper(index),
    number: searchFileNumber(files.index),
  };
  open.set(files.index, writing);
  return writing;
}

function close(file: string): void {
  const connections = open.get(file);
  open.delete(file);
  connections?.main.close();
  connections?.index.close();
}

function answered<T extends object | null>(files: IndexFiles, work: () => T): T | Failed {
  const outcome = failing(work);
  // A connection remembers pages, also bad ones.
  if (isFailed(outcome)) close(files.index);
  return outcome;
}
