import { statSync } from 'node:fs';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { StorageError } from '../errors.ts';
import { opening, storing } from './storage-error.ts';

/**
 * Notes which file a database is, and gives a check that its path still leads there. A connection goes on writing to a file that was
 * moved away or deleted, where nobody would find it, and a new one would make an empty database in its place. `noted`: what
 * fileIdentity gave before. @throws StorageError
 */
export function sameFileCheck(file: string, noted: string | null = fileIdentity(file)): () => void {
  return () => {
    if (fileIdentity(file) !== noted) throw new StorageError(moved(file, 'nothing of this was kept'));
  };
}

/** Which files the databases are that the node has open, by their paths; what fileIdentity gives. */
export type OpenFiles = Readonly<Record<string, string | null>>;

/**
 * Opens a database that another thread of this process may have open, as the file `noted` (what fileIdentity gave; null: whichever there
 * is). SQLite takes no lock against its own process: the first read of another file at that path would empty the memory (-shm) in
 * which the threads share what of the log was written, and all since the last checkpoint would be lost. Opening reads nothing yet.
 * @throws StorageError, with nothing left open
 */
export function openSameFile(file: string, noted: string | null, options: Database.Options = {}): Database.Database {
  const check = () => {
    if (noted !== null && fileIdentity(file) !== noted) throw new StorageError(moved(file, 'no other one was opened'));
  };
  // Before, too: where there is none, one would be made.
  check();
  const db = opening(file, () => new Database(file, options));
  try {
    check();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * To be called before something that lies beside a database is looked for, or put there: where its disk was taken away nothing of the
 * node is there, and what is in its place is no place for more. @throws StorageError
 */
export function requirePlace(file: string, noted: string | null): void {
  if (storing(() => fileIdentity(file)) !== noted)
    throw new StorageError(moved(file, 'what belongs to it was neither read nor written'));
}

/** Which file there is at a path, whatever it is called; null where there is none. */
export function fileIdentity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

function moved(file: string, so: string): string {
  return (
    `The database ${basename(file)} was moved away or replaced while the node runs, and ${so}. ` +
    'Put it back, or stop the node and start it again.'
  );
}
