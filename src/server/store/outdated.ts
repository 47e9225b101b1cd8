import { StorageError } from '../errors.ts';
import { type Connection, openReader } from './connection.ts';
import { knownVersion, type Migration, migrations } from './migrations/migrate.ts';

/** Whether an earlier program has written a database, which is brought up to date when it is opened to be written. */
export function isOutdated(database: string): boolean {
  const version = asked(database, ({ db }) => knownVersion(db, migrations)) ?? 0;
  return version > 0 && version < migrations.length;
}

/** Whether a database has no tables yet, since the start that made it failed. */
export function isOnlyBegun(database: string): boolean {
  return asked(database, (db) => db.get('SELECT 1 FROM sqlite_schema') === undefined) ?? false;
}

/** Null where it cannot be asked. */
function asked<T>(database: string, question: (db: Connection) => T): T | null {
  let db: Connection | null = null;
  try {
    db = openReader(database);
    return question(db);
  } catch {
    // What is wrong with it opening it tells, and so does verifying.
    return null;
  } finally {
    db?.close();
  }
}

/**
 * To be called before a database is read by another way than opening it to be written, which tells by itself. A network's
 * where its steps are not given; `fileId`: as of openReader. @throws StorageError where a newer program has written it
 */
export function refuseNewer(
  database: string,
  {
    steps = migrations,
    name,
    fileId = null,
  }: { steps?: readonly Migration[]; name?: string; fileId?: string | null } = {},
): void {
  let db: Connection | null = null;
  try {
    db = openReader(database, fileId);
  } catch {
    // What is wrong with it verifying tells.
    return;
  }
  try {
    knownVersion(db.db, steps, name);
  } catch (error) {
    if (error instanceof StorageError) throw error;
  } finally {
    db.close();
  }
}
