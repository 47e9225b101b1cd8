import { randomUUID } from 'node:crypto';
import { StorageError } from '../errors.ts';
import { openReader } from '../store/connection.ts';
import { emptyIndex, indexed, openIndexWriter, removeIndex, searchFileNumber } from '../store/search-index.ts';
import { storageError, storing } from '../store/storage-error.ts';
import { indexSlice, type Sliced, type Writing } from './index-slice.ts';

/** A network's databases: its entities, and the index. */
export interface IndexFiles {
  database: string;
  index: string;
}

/** What the database said; an error's class does not survive the way to another thread. */
export interface Failed {
  failed: { reason: string; full: boolean };
}

const open = new Map<string, Writing & { number: number }>();

/** One slice on this thread's own connections. */
export function slice({ files, ms }: { files: IndexFiles; ms: number }): Sliced | Failed {
  return answered(files, () => indexSlice(writingOf(files), ms));
}

/** Forgets everything that is indexed, so that the next slices make it anew. */
export function begin({ files }: { files: IndexFiles }): null | Failed {
  return answered(files, () => {
    const { index } = writingOf(files);
    indexed(index, () => emptyIndex(index, randomUUID()));
    return null;
  });
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
    main: openReader(files.database),
    terms: new Set<string>(),
    epoch: undefined,
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

function answered<T>(files: IndexFiles, work: () => T): T | Failed {
  try {
    return storing(work);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // A connection remembers pages, also bad ones.
    close(files.index);
    return { failed: storageError(error) };
  }
}
