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

/** Whether a run has jobs, none of which ends at that time or later. */
export function isSpent(db: Reader, run: string, before: number): boolean {
  return (
    isThere(db, run) && db.get('SELECT 1 FROM job WHERE run = ? AND expires >= ? LIMIT 1', run, before) === undefined
  );
}

/** Grants and batches go with the last job. The logs are entities and stay. */
export function applyPrune(db: Writer, { run, before }: RunPruneRow): void {
  if (!isSpent(db, run, before)) return;
  db.run('DELETE FROM job WHERE key IN (SELECT key FROM job WHERE run = ? ORDER BY key LIMIT ?)', run, prunedAtOnce);
  if (isThere(db, run)) return;
  db.run('DELETE FROM job_grant WHERE run = ?', run);
  db.run('DELETE FROM job_batch WHERE id = ?', run);
}

function isThere(db: Reader, run: string): boolean {
  return db.get('SELECT 1 FROM job WHERE run = ? LIMIT 1', run) !== undefined;
}
