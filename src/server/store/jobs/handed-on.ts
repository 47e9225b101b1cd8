import type { RunJob } from '../../model/run-status.ts';
import type { Reader } from '../connection.ts';

/**
 * Those of some jobs behind which others have begun, which would begin once more with them. What nobody took is asked for anew, and
 * begins once only.
 */
export function handedOn(db: Reader, jobs: readonly string[]): ReadonlySet<string> {
  const sql = `SELECT p.value AS id FROM json_each(?) p WHERE EXISTS (SELECT 1 FROM job j
    WHERE j.parent = p.value AND (j.state <> 'refused' OR EXISTS (SELECT 1 FROM job_log l WHERE l.job = j.id)))`;
  return new Set(db.all<{ id: string }>(sql, JSON.stringify(jobs)).map(({ id }) => id));
}

/**
 * Jobs of one run, where none counts as retryable that has handed on: who ran it again after a stop of the node, and was refused a
 * handoff, knows nothing of what an earlier run of it had begun.
 */
export function withResumable(db: Reader, jobs: RunJob[]): RunJob[] {
  const refused = jobs.flatMap(({ id, log }) =>
    log?.error?.retryable && log.error.code === 'HANDOFF_REFUSED' ? [{ id, error: log.error }] : [],
  );
  if (refused.length === 0) return jobs;
  const begun = handedOn(
    db,
    refused.map(({ id }) => id),
  );
  for (const { id, error } of refused) error.retryable = !begun.has(id);
  return jobs;
}
