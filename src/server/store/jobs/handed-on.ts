import type { RunJob } from '../../model/run-status.ts';
import type { Reader } from '../connection.ts';
import type { JobHead } from './jobs.ts';

/** What nobody took is asked for anew, and begins once only. */
const wasTaken = "(state <> 'refused' OR EXISTS (SELECT 1 FROM job_log l WHERE l.job = j.id))";

/** Whether a job of a run has begun that came of another one, and would begin once more with that. */
export function hasHandedOn(db: Reader, { run, id }: Pick<JobHead, 'run' | 'id'>): boolean {
  return db.get(`SELECT 1 FROM job j WHERE run = ? AND parent = ? AND ${wasTaken}`, run, id) !== undefined;
}

/** Jobs of a job's run behind which others have begun, which would begin once more with them. */
function handedOnBeside(db: Reader, job: string): ReadonlySet<string> {
  const sql = `SELECT DISTINCT parent FROM job j WHERE run = (SELECT run FROM job WHERE id = ?) AND parent IS NOT NULL
    AND ${wasTaken}`;
  return new Set(db.all<{ parent: string }>(sql, job).map(({ parent }) => parent));
}

/**
 * Jobs of one run, where none counts as retryable that has handed on: who ran it again after a stop of the node, and was refused a
 * handoff, knows nothing of what an earlier run of it had begun.
 */
export function withResumable(db: Reader, jobs: RunJob[]): RunJob[] {
  const refused = jobs.flatMap(({ id, log }) =>
    log?.error?.retryable && log.error.code === 'HANDOFF_REFUSED' ? [{ id, error: log.error }] : [],
  );
  const [first] = refused;
  if (!first) return jobs;
  const begun = handedOnBeside(db, first.id);
  for (const { id, error } of refused) error.retryable = !begun.has(id);
  return jobs;
}
