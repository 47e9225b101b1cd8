import type Database from 'better-sqlite3';
import { StorageError } from '../errors.ts';

const unknown =
  'The disk could not be read or written; it is not known whether this write was kept. Check the disk, look, then try again.';

/**
 * All of `fn` in a transaction of its own, as durable as the connection makes its commits, or nothing. Every database whose writes
 * somebody is answered for is written through this. Throws what failed; a StorageError of its own where the commit failed and nobody
 * knows whether it is kept.
 */
export function durably<T>(db: Database.Database, fn: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  let isEnding = false;
  try {
    const result = fn();
    isEnding = true;
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(db);
    if (isEnding && mayStand(error) && !writeOver(db)) throw new StorageError(unknown);
    throw error;
  }
}

function rollBack(db: Database.Database): void {
  try {
    if (db.inTransaction) db.exec('ROLLBACK');
  } catch {
    // What matters is the first error; a transaction that never ends is never kept either.
  }
}

/** Whether a commit that failed may be whole in the log. One that could not be written there is not. */
function mayStand(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_WRITE';
}

/**
 * Takes away what a commit that failed has left: where no more than its sync failed, it stands whole in the log, and would count when
 * the database is next opened, unless another commit is written over it. False where that fails, too.
 */
function writeOver(db: Database.Database): boolean {
  try {
    db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
    return true;
  } catch {
    return false;
  }
}
