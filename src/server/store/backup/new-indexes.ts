import Database from 'better-sqlite3';
import { StorageError } from '../../errors.ts';
import { isFull } from '../storage-error.ts';

const noRoom =
  'There is not enough room for the indexes, on the disk of the data folder or on that of temporary files (SQLITE_TMPDIR). Free some space on both; nothing was restored.';

/**
 * Makes every index of a database anew from its tables: a backup has them as they were, and a disk may have damaged them without
 * anybody's having seen it. Where that cannot be (two rows have what only one may have), all stay as they are, which verify tells.
 */
export function makeIndexesAnew(file: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.exec('REINDEX');
  } catch (error) {
    if (isFull(error)) throw new StorageError(noRoom, true);
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(?:CONSTRAINT|CORRUPT)/.test(error.code)) throw error;
  } finally {
    db.close();
  }
}
