import type Database from 'better-sqlite3';
import type { Writer } from '../connection.ts';
import { earliestEdit } from '../versions.ts';
import { writerOf } from './writer-of.ts';

/** Logs whose history another one took the place of. */
const replaced = `SELECT l.entity FROM job_log l
  WHERE (SELECT count(*) FROM block b WHERE b.entity = l.entity AND b.ver = 1) > 1`;

/**
 * Earlier programs took the user as whom a remote keeps a job's log for the author of the log that was written here, so that the
 * job stood as if nobody had begun it.
 */
export function logAuthors(database: Database.Database): void {
  const db = writerOf(database);
  for (const { entity } of db.all<{ entity: number }>(replaced)) {
    const author = authorOf(db, entity);
    if (author !== undefined) db.run('UPDATE job_log SET author = ? WHERE entity = ?', author, entity);
  }
}

/** What is damaged is left to a verification, which names it. */
function authorOf(db: Writer, entity: number): string | undefined {
  try {
    return earliestEdit(db, entity)?.user_id;
  } catch {
    return undefined;
  }
}
