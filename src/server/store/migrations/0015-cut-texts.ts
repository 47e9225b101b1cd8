import type Database from 'better-sqlite3';
import { jobLogOf } from '../../model/job-log.ts';
import { indexed } from '../../model/manifest.ts';
import { blockBytes, storedManifest } from '../blocks.ts';
import type { Writer } from '../connection.ts';
import { writerOf } from './writer-of.ts';

/** Half a character is stored as U+FFFD. Texts that end with one of their own come out as they are. */
const cutThrough = `SELECT l.entity, e.tip FROM job_log l JOIN entity e ON e.key = l.entity WHERE e.deleted = 0
  AND char(65533) IN (substr(l.job, -1), substr(l.klados, -1), substr(l.code, -1), substr(l.message, -1))`;

/** Earlier programs cut long texts of a job's log through characters, where a verification expects them whole (cut-text.ts). */
export function cutTexts(database: Database.Database): void {
  const db = writerOf(database);
  for (const { entity, tip } of db.all<{ entity: number; tip: number }>(cutThrough)) cutAnew(db, entity, tip);
}

function cutAnew(db: Writer, entity: number, tip: number): void {
  const log = logIn(db, tip);
  if (log === null) return;
  db.run(
    'UPDATE job_log SET job = ?, klados = ?, code = ?, message = ? WHERE entity = ?',
    log.job,
    log.klados,
    log.error?.code ?? null,
    log.error?.message ?? null,
    entity,
  );
}

/** What is damaged is left to a verification, which names it. */
function logIn(db: Writer, tip: number) {
  try {
    return jobLogOf(indexed(storedManifest(blockBytes(db, tip))));
  } catch {
    return null;
  }
}
