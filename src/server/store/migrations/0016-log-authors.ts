import type Database from 'better-sqlite3';
import type { Writer } from '../connection.ts';
import { firstAuthor } from '../versions.ts';
import { writerOf } from './writer-of.ts';

/** Logs whose history another one took the place of. */
const replaced = `SELECT l.entity, e.id FROM job_log l JOIN entity e ON e.key = l.entity
  WHERE (SELECT count(*) FROM block b WHERE b.entity = l.entity AND b.ver = 1) > 1`;

/**
 * Earlier programs took the user as whom a remote keeps a job's log for the author of the log that was written here, so that the
 * job stood as if nobody had begun it.
 */
export function logAuthors(database: Database.Database): void {
  const db = writerOf(database);
  for (const { entity, id } of db.all<{ entity: number; id: string }>(replaced)) {
    const author = authorOf(db, id);
    if (author !== undefined) db.run('UPDATE job_log SET author = ? WHERE entity = ?', author, entity);
  }
}

/** What is damaged is left to a verification, which names it. */
function authorOf(db: Writer, id: string): string | undefined {
  try {
    return firstAuthor(db, id);
  } catch {
    return undefined;
  }
}
