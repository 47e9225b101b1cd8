import Database from 'better-sqlite3';

/**
 * Makes every index of a database anew from its tables: a backup has them as they were, and a disk may have damaged them without
 * anybody's having seen it. Where that cannot be (two rows have what only one may have), all stay as they are, which verify tells.
 */
export function makeIndexesAnew(file: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.exec('REINDEX');
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(?:CONSTRAINT|CORRUPT)/.test(error.code)) throw error;
  } finally {
    db.close();
  }
}
