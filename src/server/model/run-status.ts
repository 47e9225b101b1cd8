import type { JobError, LogStatus } from './job-log.ts';
import type { JobState } from './job-state.ts';

/** One job of a run as the node knows it, with what its log says. */
export interface RunJob {
  id: string;
  processor: string;
  /** The job that handed on to it, where the node knows that. */
  parent: string | null;
  /** The failed job in whose place it is: as its repetition, or where what was refused was handed on once more. */
  retries: string | null;
  state: JobState;
  error: string | null;
  /** Epoch milliseconds. */
  created: number;
  expires: number;
  /** Null while it has written no log. Of several the best counts. */
  log: {
    status: LogStatus;
    started: string | null;
    completed: string | null;
    error: JobError | null;
    promised: number;
  } | null;
}

export type RunPhase = 'pending' | 'running' | 'done' | 'error';

export interface FailedJob extends JobError {
  klados_id: string;
  job_id: string;
}

/** What is known of a run (interface.md, Workflow job status). */
export interface RunStatus {
  status: RunPhase;
  progress: { total: number; pending: number; running: number; done: number; error: number };
  /** Processors with running jobs. */
  current: string[];
  /** Jobs that failed and have neither been repeated nor made void by the failure of one that they came of. */
  errors: FailedJob[];
  started: string;
  completed: string | null;
}

/** The error of a job that wrote no end of its log before its grants ended. */
export const timeout: JobError = {
  code: 'TIMEOUT',
  message: 'the processor did not finish before its permissions ended',
  retryable: true,
};

/** Where a job stands now: its log says so; without one the answer to its request does; and at its end time is up. */
export function phaseOf(job: RunJob, nowMs: number): { phase: RunPhase; error: JobError | null } {
  const { log, state } = job;
  if (log && log.status !== 'running') return { phase: log.status, error: log.error };
  if (!log && state === 'refused')
    return { phase: 'error', error: { code: 'REJECTED', message: job.error ?? 'refused', retryable: true } };
  if (nowMs >= job.expires) return { phase: 'error', error: late(job) };
  return { phase: log ? 'running' : 'pending', error: null };
}

function late({ log, state, error }: RunJob): JobError {
  if (log) return timeout;
  const sent = state === 'accepted' ? 'the processor took it' : (error ?? 'it was not sent');
  return { ...timeout, message: `the processor wrote no log before its permissions ended (${sent})` };
}

/**
 * The state of a run from all its jobs (processors.md 3.9). `stuck`: scatters of it whose gather nobody will begin, which
 * counts only once nothing else is under way.
 */
export function runStatus(jobs: readonly RunJob[], stuck: readonly StuckBatch[], nowMs: number): RunStatus {
  const known = jobs.map((job) => ({ job, ...phaseOf(job, nowMs) }));
  const spent = spentOf(known);
  const counting = known.filter(({ job }) => !spent.has(job.id));
  const errors = unresolved(counting);
  const live = known.filter(({ phase }) => phase === 'pending' || phase === 'running');
  const open =
    errors.length === 0 && live.length === 0 ? awaited(known, counting, nowMs) : { waiting: false, errors: [] };
  if (errors.length === 0 && live.length === 0 && !open.waiting) {
    const left = stuck.filter(({ job }) => !spent.has(job)).slice(0, maxStuck);
    errors.push(...open.errors, ...left.map((batch) => stuckError(batch, jobs)));
  }
  const underWay = live.length > 0 || open.waiting;
  const begun = known.some(({ job, phase }) => job.log !== null || phase === 'error');
  const count = (phase: RunPhase) => known.filter((one) => one.phase === phase).length;
  const status = underWay ? (begun ? 'running' : 'pending') : errors.length > 0 ? 'error' : 'done';
  return {
    status,
    progress: {
      total: known.length,
      pending: count('pending'),
      running: count('running'),
      done: count('done'),
      error: count('error'),
    },
    current: [...new Set(known.filter((one) => one.phase === 'running').map(({ job }) => job.processor))],
    errors,
    started: startOf(jobs),
    completed: underWay ? null : endOf(known, nowMs),
  };
}

/**
 * The state of a batch of which `rest` have not become jobs yet: each counts as one that waits, and when the time of all is up,
 * which the first that became a job tells, as one that was never sent.
 */
export function batchStatus(
  status: RunStatus,
  { run, rest, first }: { run: string; rest: number; first: RunJob | undefined },
  nowMs: number,
): RunStatus {
  if (rest === 0) return status;
  const { progress } = status;
  const total = progress.total + rest;
  if (first && nowMs >= first.expires) {
    const message = `${rest} more jobs of the batch were not sent before its permissions ended`;
    const { completed } = status;
    const ended = new Date(first.expires).toISOString();
    return {
      ...status,
      // One that failed may be under way once more.
      ...(completed !== null && { status: 'error', completed: completed > ended ? completed : ended }),
      progress: { ...progress, total, error: progress.error + rest },
      errors: [...status.errors, { klados_id: first.processor, job_id: run, ...timeout, message }],
    };
  }
  const begun = progress.total > 0 && status.status !== 'pending';
  return {
    ...status,
    status: begun ? 'running' : 'pending',
    progress: { ...progress, total, pending: progress.pending + rest },
    completed: null,
  };
}

interface Known {
  job: RunJob;
  phase: RunPhase;
  error: JobError | null;
}

/**
 * Jobs that count no more: those that were repeated, and all that came of one that failed or was repeated: it hands on again
 * when it is repeated. Jobs come after those that they came of.
 */
function spentOf(known: readonly Known[]): Set<string> {
  const repeated = new Set(known.flatMap(({ job }) => job.retries ?? []));
  const spent = new Set(repeated);
  const barren = new Set(repeated);
  for (const { job, phase } of known) {
    if (job.parent !== null && barren.has(job.parent)) spent.add(job.id);
    if (phase === 'error' || spent.has(job.id)) barren.add(job.id);
  }
  return spent;
}

function unresolved(counting: readonly Known[]): FailedJob[] {
  return counting.flatMap(({ job, error }) =>
    error === null ? [] : [{ klados_id: job.processor, job_id: job.id, ...error }],
  );
}

/**
 * Jobs that a finished one says it has handed on to and that have not come yet. Processors ask for them before they say
 * so; only where another program hands on for them may they come later, until the time of the one that said so is up.
 */
function awaited(
  known: readonly Known[],
  counting: readonly Known[],
  nowMs: number,
): { waiting: boolean; errors: FailedJob[] } {
  const children = new Map<string, number>();
  for (const { job } of known)
    if (job.parent !== null && job.retries === null) children.set(job.parent, (children.get(job.parent) ?? 0) + 1);
  const lacking = counting.filter(
    ({ job, phase }) => phase === 'done' && (job.log?.promised ?? 0) > (children.get(job.id) ?? 0),
  );
  const errors = lacking.map(({ job }) => ({
    klados_id: job.processor,
    job_id: job.id,
    ...timeout,
    message: 'jobs that it handed on to have not come before its permissions ended',
  }));
  return { waiting: lacking.some(({ job }) => nowMs < job.expires), errors };
}

/** A batch with open slots that no job will fill any more (processors.md 3.12). */
export interface StuckBatch {
  id: string;
  /** The scattering job. */
  job: string;
  klados: string | null;
}

const maxStuck = 10;

function stuckError({ id, job, klados }: StuckBatch, jobs: readonly RunJob[]): FailedJob {
  return {
    klados_id: klados ?? jobs.find((one) => one.id === job)?.processor ?? '',
    job_id: job,
    code: 'GATHER_STUCK',
    message: `slots of the batch ${id} are open and no job is left to fill them, so its gather step never began`,
    retryable: false,
  };
}

function startOf(jobs: readonly RunJob[]): string {
  const starts = jobs.flatMap(({ log }) => log?.started ?? []);
  if (starts.length > 0) return earliest(starts);
  const first = jobs.reduce((least, { created }) => Math.min(least, created), jobs[0]?.created ?? 0);
  return new Date(first).toISOString();
}

function earliest(times: readonly string[]): string {
  return times.reduce((least, time) => (time < least ? time : least));
}

/** The last end; of a job that never came to one, when its time was up; of one that does not say when, not before it began. */
function endOf(known: readonly Known[], nowMs: number): string {
  const ends = known.map(({ job: { log, created, expires }, error }) => {
    if (log?.completed) return Date.parse(log.completed);
    const isLate = error?.code === 'TIMEOUT' && log?.status !== 'error';
    return isLate ? expires : Math.max(created, log?.started ? Date.parse(log.started) : 0);
  });
  return new Date(ends.reduce((most, end) => Math.max(most, end), 0) || nowMs).toISOString();
}
