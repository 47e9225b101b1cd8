import { isDeepStrictEqual } from 'node:util';
import { commandOf } from '../../model/endpoints.ts';
import { isEntityId } from '../../model/ids.ts';
import { jobLogOf, type LogStatus, logType } from '../../model/job-log.ts';
import type { Manifest } from '../../model/manifest.ts';
import type { Reader, Writer } from '../connection.ts';
import { findStanding } from '../entities.ts';
import { entityKey } from '../entity-keys.ts';
import { firstAuthor, hasAuthor, makerOf } from '../versions.ts';

/** Keeps what a log's current version says where runs look for it; of a deleted one, what it said last. */
export function projectJobLog(
  db: Writer,
  { key, manifest }: { key: number; manifest: Manifest },
  before: Manifest | null,
): void {
  if (manifest.type !== logType && before?.type !== logType) return;
  if (manifest.type === logType && manifest.deleted) return;
  const log = jobLogOf(manifest);
  if (log === null) {
    db.run('DELETE FROM job_log WHERE entity = ?', key);
    return;
  }
  // Of a history without its beginning whoever wrote the first version that came here stands for the author.
  const author = firstAuthor(db, manifest.id) ?? null;
  db.run(
    `INSERT INTO job_log (entity, job, klados, author, status, started, completed, code, message, retryable, promised)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (entity) DO UPDATE SET job = excluded.job, klados = excluded.klados, author = coalesce(?, author),
         status = excluded.status, started = excluded.started, completed = excluded.completed, code = excluded.code,
         message = excluded.message, retryable = excluded.retryable, promised = excluded.promised`,
    key,
    log.job,
    log.klados,
    author ?? manifest.edited_by.user_id,
    log.status,
    log.started,
    log.completed,
    log.error?.code ?? null,
    log.error?.message ?? null,
    log.error ? Number(log.error.retryable) : null,
    log.promised,
    author,
  );
}

/**
 * Whether the row of an entity says what its current version does, given that; of a deleted one it may say anything. Times are left
 * out: earlier programs read one without a zone in the node's own.
 */
export function isLogKept(db: Reader, entity: number, manifest: Manifest): boolean {
  if (manifest.type !== logType || manifest.deleted) return true;
  const log = jobLogOf(manifest);
  const found = db.get<{ author: string }>(
    'SELECT author, job, klados, status, code, message, retryable, promised FROM job_log WHERE entity = ?',
    entity,
  );
  if (log === null || found === undefined) return log === null && found === undefined;
  const { author, ...row } = found;
  // Where the beginning came later, it may be whoever wrote the first version that was here.
  if (author !== firstAuthor(db, manifest.id) && !hasAuthor(db, entity, author)) return false;
  const { job, klados, status, error, promised } = log;
  const { code = null, message = null } = error ?? {};
  const retryable = error && Number(error.retryable);
  return isDeepStrictEqual(row, { job, klados, status, code, message, retryable, promised });
}

/** How many rows are of no log. */
export function strayLogs(db: Reader): number {
  const sql = `SELECT count(*) AS n FROM job_log l WHERE NOT EXISTS
    (SELECT 1 FROM entity e WHERE e.key = l.entity AND e.type = ?)`;
  return db.get<{ n: number }>(sql, logType)?.n ?? 0;
}

/** A log by its entity's id, be it deleted or not. */
export interface StoredLog {
  id: string;
  job: string;
  klados: string;
  author: string;
  status: LogStatus;
}

/** Undefined for what is no log, or is not here. */
export function findLog(db: Reader, id: string): StoredLog | undefined {
  const key = entityKey(db, id);
  if (key === undefined) return undefined;
  const row = db.get<Omit<StoredLog, 'id'>>('SELECT job, klados, author, status FROM job_log WHERE entity = ?', key);
  return row && { id, ...row };
}

/**
 * Whether what somebody wrote in a log counts for a job of a processor: its own does, and that of whoever made it or had it
 * made, whose key its worker may have (processors.md does not say with which key logs are written); they could make one of its
 * own for it, so nobody can say more by that than without. A command that the node runs has its log from the node alone.
 */
export function speaksFor(db: Reader, author: string, processor: string): boolean {
  if (author === processor) return true;
  return !isCommand(db, processor) && author === makerOf(db, processor);
}

/** Whether the node runs a processor itself. */
export function isCommand(db: Reader, processor: string): boolean {
  return commandOf(findStanding(db, processor)?.manifest.properties.endpoint) !== null;
}

/** The logs of a job that count for its processor and are not deleted, the oldest first. */
export function logsOfJob(db: Reader, job: string, klados: string): StoredLog[] {
  return db
    .all<StoredLog>(
      `SELECT e.id, l.job, l.klados, l.author, l.status FROM job_log l JOIN entity e ON e.key = l.entity
        WHERE l.job = ? AND l.klados = ? AND e.deleted = 0 ORDER BY l.entity`,
      job,
      klados,
    )
    .filter(({ author }) => speaksFor(db, author, klados));
}

/** The entity of a job's log by its processor: of several the one that came to an end counts, then the newest. */
export function findLogOf(db: Reader, job: string, klados: string): string | undefined {
  const logs = logsOfJob(db, job, klados);
  return (logs.findLast(({ status }) => status === 'done') ?? logs.at(-1))?.id;
}

/** The ids of what a log says that its job made; processors write it, so only texts are taken. */
export function outputsOf(db: Reader, log: string): string[] {
  return db
    .all<{ value: unknown }>(
      `SELECT o.value FROM entity e, json_each(e.json, '$.properties.log_data.entry.outputs') o WHERE e.id = ?`,
      log,
    )
    .flatMap(({ value }) => (typeof value === 'string' && isEntityId(value) ? [value] : []));
}
