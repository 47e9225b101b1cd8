import { join } from 'node:path';
import Database from 'better-sqlite3';
import { UnavailableError } from '../errors.ts';

/**
 * Takes the data folder for this process: an exclusive transaction on `<data>/lock.db`, which the system frees when the
 * process ends, however it ends (decisions.md, address).
 * @throws UnavailableError where another process has it
 */
export function lockFolder(data: string): Disposable {
  const db = new Database(join(data, 'lock.db'), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error;
    throw new UnavailableError(
      `Another process uses the data folder ${data}: stop it (its address is in node.json there), or name another folder with --data.`,
    );
  }
  return {
    [Symbol.dispose]() {
      db.close();
    },
  };
}
