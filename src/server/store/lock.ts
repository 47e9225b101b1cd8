import { join } from 'node:path';
import Database from 'better-sqlite3';
import { StorageError, UnavailableError } from '../errors.ts';
import { storageError } from './storage-error.ts';

/**
 * Takes the data folder for this process: an exclusive transaction on `<data>/lock.db`, which the system frees when the
 * process ends, however it ends (decisions.md, address).
 * @throws UnavailableError where another process has it, StorageError where the folder cannot be used
 */
export function lockFolder(data: string): Disposable {
  let db: Database.Database | undefined;
  try {
    db = new Database(join(data, 'lock.db'), { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) {
      const { reason, full } = storageError(error);
      throw new StorageError(reason, full);
    }
    throw new UnavailableError(
      `Another process uses the data folder ${data}: stop it (its address is in node.json there), or name another folder with --data.`,
    );
  }
  const held = db;
  return {
    [Symbol.dispose]() {
      held.close();
    },
  };
}
