import type { Reader, Writer } from '../connection.ts';

/** A part of a run's records that go, if none of its jobs ends at `before` (epoch milliseconds) or later. */
export interface RunPruneRow {
  kind: 'job_prune';
  run: string;
  before: number;
}

/** So many jobs go in one write. */
const prunedAtOnce = 500;

/** Where to read on: after a job by its end and key. */
export interface SpentPage {
  runs: string[];
  next: { expires: number; key: number } | null;
}

/** Runs of which a job ended before a time, the oldest first; a page of jobs, so a run may come in several. */
export function spentPage(db: Reader, before: number, after: SpentPage['next'], limit = 500): SpentPage {
  const rows = db.all<{ key: number; run: string; expires: number }>(
    'SELECT key, run, expires FROM job WHERE expires < ? AND (expires, key) > (?, ?) ORDER BY expires, key LIMIT ?',
    before,
    after?.expires ?? 0,
    after?.key ?? 0,
    limit,
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    runs: [...new Set(rows.map(({ run }) => run))],
    next: last ? { expires: last.expires, key: last.key } : null,
  };
}

/**
 * Whether of a run none of so many jobs ends at a time (epoch milliseconds) or later, from after the one given by its key; `next`:
 * where to look on, null where that were the last. A batch has very many.
 */
export function spentJobs(
  db: Reader,
  run: string,
  { before, after, limit = 2000 }: { before: number; after: number; limit?: number },
): { spent: boolean; next: number | null } {
  const { n, end, key } = db.get<{ n: number; end: number | null; key: number | null }>(
    `SELECT count(*) AS n, max(expires) AS end, max(key) AS key
       FROM (SELECT expires, key FROM job WHERE run = ? AND key > ? ORDER BY key LIMIT ?)`,
    ...[run, after, limit],
  ) ?? { n: 0, end: null, key: null };
  return { spent: end === null || end < before, next: n === limit ? key : null };
}

/** The key of the oldest job of a run; undefined where it has none. */
export function oldestJob(db: Reader, run: string): number | undefined {
  return db.get<{ key: number }>('SELECT key FROM job WHERE run = ? ORDER BY key LIMIT 1', run)?.key;
}

/** Grants and batches go with the last job. The logs are entities and stay. */
export function applyPrune(db: Writer, { run, before }: RunPruneRow): void {
  const isLive = db.get('SELECT 1 FROM job WHERE run = ? AND expires >= ? LIMIT 1', run, before) !== undefined;
  if (isLive || oldestJob(db, run) === undefined) return;
  db.run('DELETE FROM job WHERE key IN (SELECT key FROM job WHERE run = ? ORDER BY key LIMIT ?)', run, prunedAtOnce);
  if (oldestJob(db, run) !== undefined) return;
  db.run('DELETE FROM job_grant WHERE run = ?', run);
  db.run('DELETE FROM job_batch WHERE id = ?', run);
}
