import type { Reader } from '../connection.ts';

/** Where to read on: after a job by its end and key. */
type Place = { expires: number; key: number } | null;

/**
 * Jobs whose time is up and whose processor has begun their log and not ended it, the first to end first; of a page of jobs. Not
 * those of which nobody knows where they run.
 */
export function lateJobs(db: Reader, nowMs: number, after: Place, limit = 500): { ids: string[]; next: Place } {
  const rows = db.all<{ key: number; id: string; expires: number; late: 0 | 1 }>(
    `SELECT key, id, expires, state <> 'unknown' AND EXISTS (
         SELECT 1 FROM job_log l JOIN entity e ON e.key = l.entity WHERE l.job = job.id AND l.klados = job.processor
           AND l.author = job.processor AND l.status = 'running' AND e.deleted = 0) AS late
       FROM job WHERE expires <= ? AND (expires, key) > (?, ?) ORDER BY expires, key LIMIT ?`,
    ...[nowMs, after?.expires ?? 0, after?.key ?? 0, limit],
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    ids: rows.filter(({ late }) => late === 1).map(({ id }) => id),
    next: last ? { expires: last.expires, key: last.key } : null,
  };
}
