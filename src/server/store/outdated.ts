import { type Connection, openReader } from './connection.ts';
import { knownVersion, migrations } from './migrations/migrate.ts';

/** Whether an earlier program has written a database, which is brought up to date when it is opened to be written. */
export function isOutdated(database: string): boolean {
  let db: Connection | null = null;
  try {
    db = openReader(database);
    return knownVersion(db.db, migrations) < migrations.length;
  } catch {
    // What is wrong with it opening it tells, and so does verifying.
    return false;
  } finally {
    db?.close();
  }
}
