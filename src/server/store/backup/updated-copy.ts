import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { migrate, migrations } from '../migrations/migrate.ts';
import { storingLater } from '../storage-error.ts';

/**
 * A temporary copy of a network's database that nobody writes to, brought up to date, which goes when it is disposed of.
 * @throws StorageError where there is no room for it, or the database cannot be brought up to date
 */
export async function updatedCopy(database: string): Promise<{ database: string } & AsyncDisposable> {
  const folder = await storingLater(() => mkdtemp(join(tmpdir(), 'archeion-verify-')));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(database));
    await storingLater(async () => {
      await copyFile(database, copy);
      // A backup may be kept where nobody can write.
      await chmod(copy, 0o600);
      const db = new Database(copy);
      try {
        migrate(db, migrations);
      } finally {
        db.close();
      }
    });
    return { database: copy, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
