import type { RunStatus } from '../../model/run-status.ts';
import type { Reader } from '../connection.ts';
import { statusOfRun } from './jobs.ts';

interface RunNow {
  run: string;
  nowMs: number;
}

/** So many of the jobs that failed are told. */
const told = 1000;

/** The state of a run as it is told: a hundred thousand of its jobs may have failed. */
export function toldStatus(db: Reader, now: RunNow): RunStatus {
  const status = statusOfRun(db, now);
  return { ...status, errors: status.errors.slice(0, told) };
}

/** How many jobs of a run failed, and those of them that may be repeated; of these codes alone, where some are given. */
export function failuresOfRun(
  db: Reader,
  { codes, ...now }: RunNow & { codes: readonly string[] | null },
): { failed: number; repeatable: string[] } {
  const { errors } = statusOfRun(db, now);
  const repeatable = errors.filter(({ code, retryable }) => retryable && (codes === null || codes.includes(code)));
  return { failed: errors.length, repeatable: repeatable.map(({ job_id }) => job_id) };
}
