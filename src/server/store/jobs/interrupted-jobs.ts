import type { Sending } from '../../model/job-state.ts';
import type { Reader } from '../connection.ts';
import { inStateIndex } from './jobs.ts';

/** The key of the newest job; 0 where there is none. */
export function lastJob(db: Reader): number {
  return db.get<{ key: number | null }>('SELECT max(key) AS key FROM job')?.key ?? 0;
}

const ownLog = 'SELECT 1 FROM job_log l WHERE l.job = job.id AND l.klados = job.processor AND l.author = job.processor';

/** Each state by itself: the index gives its jobs by their keys, and so these need not be sorted for each page. */
const interruptedIn = (state: 'sent' | 'accepted'): string =>
  `SELECT key, id, processor, created, state, attempts, error, retry_after, EXISTS (${ownLog}) AS begun FROM job
    WHERE state = '${state}' AND ${inStateIndex} AND key > ? AND key <= ? AND expires > ?
      AND NOT EXISTS (${ownLog} AND l.status <> 'running')`;

/**
 * Jobs whose request may be under way, or whose work is if it is done within the node; a page of ids by key, up to `last`. `begun`:
 * the processor has begun its log.
 */
export function interruptedJobs(
  db: Reader,
  { after, last, limit, nowMs }: { after: number; last: number; limit: number; nowMs: number },
): { key: number; id: string; processor: string; created: number; begun: boolean; sending: Sending }[] {
  const rows = db.all<
    Omit<Sending, 'retryAfter'> & {
      key: number;
      id: string;
      processor: string;
      created: number;
      retry_after: number | null;
      begun: 0 | 1;
    }
  >(
    `${interruptedIn('sent')} UNION ALL ${interruptedIn('accepted')} ORDER BY key LIMIT ?`,
    ...[after, last, nowMs, after, last, nowMs],
    limit,
  );
  return rows.map(({ key, id, processor, created, retry_after, begun, ...rest }) => ({
    key,
    id,
    processor,
    created,
    begun: begun === 1,
    sending: { ...rest, retryAfter: retry_after },
  }));
}

/** Whether the processor of a job has begun its log, and not ended it. */
export function hasOpenLog(db: Reader, id: string): boolean {
  const sql = `SELECT 1 FROM job WHERE id = ? AND EXISTS (${ownLog} AND l.status = 'running')`;
  return db.get(sql, id) !== undefined;
}
