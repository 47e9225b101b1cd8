import { fromJson } from '../../model/from-json.ts';
import type { JobRequest } from '../../model/job-request.ts';
import { phaseOf, type RunJob, type RunPhase, type RunStatus } from '../../model/run-status.ts';
import type { Reader } from '../connection.ts';
import { findLogOf, outputsOf } from './job-logs.ts';
import { batchRest, jobsOfRun, statusOfRun } from './jobs.ts';

/** An entity by its name, as far as it is known here. */
export interface Named {
  id: string;
  label: string;
}

/** What was started with a run: a workflow, a single processor, or one klados on many targets. */
export type RunKind = 'rhiza' | 'agent' | 'klados' | 'batch';

/** A run in a list. Times are ISO 8601. */
export interface RunLine {
  job_id: string;
  kind: RunKind;
  processor: Named;
  target: Named;
  job_collection: string;
  created_at: string;
  expires_at: string;
  /** `unknown`: only the agent can say. */
  status: RunPhase | 'unknown';
  progress: RunStatus['progress'];
  completed_at: string | null;
  /** The first of what failed. */
  error: { code: string; message: string } | null;
}

export interface RunListQuery {
  /** Only runs that began with this processor. */
  processor: string | null;
  /** Only those that began before the one of this key. */
  before: number | null;
  limit: number;
  nowMs: number;
}

interface FirstJob {
  key: number;
  run: string;
  type: 'agent' | 'klados';
  processor: string;
  rhiza: string | null;
  target: string;
  collection: string;
  state: RunJob['state'];
  error: string | null;
  created: number;
  expires: number;
}

const first = 'key, run, type, processor, rhiza, target, collection, state, error, created, expires';

/** A page of all runs, newest first. `next`: the `before` of the following page, null on the last one. A long read. */
export function listRuns(
  db: Reader,
  { processor, before, limit, nowMs }: RunListQuery,
): { runs: RunLine[]; next: number | null } {
  const found = db.all<FirstJob>(
    `SELECT ${first} FROM job j WHERE key < ? ${processor === null ? '' : 'AND ? = ifnull(rhiza, processor)'}
       AND NOT EXISTS (SELECT 1 FROM job e WHERE e.run = j.run AND e.key < j.key) ORDER BY key DESC LIMIT ?`,
    before ?? Number.MAX_SAFE_INTEGER,
    ...(processor === null ? [] : [processor]),
    limit + 1,
  );
  const page = found.slice(0, limit);
  const runs = page.map((job) => lineOf(db, job, nowMs));
  return { runs, next: found.length > limit ? (page.at(-1)?.key ?? null) : null };
}

/** One job of a run. */
export interface RunJobLine {
  job_id: string;
  processor: Named;
  /** Its step, in a workflow. */
  step: string | null;
  /** The job that handed on to it, and the failed one that it repeats. */
  parent: string | null;
  retries: string | null;
  batch: { index: number; total: number } | null;
  status: RunPhase | 'unknown';
  sending: RunJob['state'];
  sending_error: string | null;
  error: { code: string; message: string; retryable: boolean } | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  expires_at: string;
  /** The entity of its log. */
  log: string | null;
  /** What it works on, and what it made; the first of each, and how many there are. */
  targets: string[];
  target_count: number;
  outputs: string[];
  output_count: number;
}

export interface RunQuery {
  /** Any job of the run, or the run itself. */
  job: string;
  /** Only jobs that failed, and those that repeat others. */
  failed: boolean;
  offset: number;
  limit: number;
  nowMs: number;
}

/** A run with a page of its jobs, in the order in which they came; null where there is none. A long read. */
export function readRun(
  db: Reader,
  { job, failed, offset, limit, nowMs }: RunQuery,
): { run: RunLine; jobs: RunJobLine[]; total: number } | null {
  const run = db.get<{ run: string }>('SELECT run FROM job WHERE id = ?', job)?.run ?? job;
  const begun = db.get<FirstJob>(`SELECT ${first} FROM job WHERE run = ? ORDER BY key LIMIT 1`, run);
  if (!begun) return null;
  const all = jobsOfRun(db, run);
  const wanted = failed ? failedOf(db, run, all, nowMs) : all;
  const jobs = wanted.slice(offset, offset + limit).map((one) => jobLine(db, one, nowMs));
  return { run: lineOf(db, begun, nowMs, all), jobs, total: wanted.length };
}

/** Without its repetition nobody would see of a job that it was repeated. */
function failedOf(db: Reader, run: string, jobs: RunJob[], nowMs: number): RunJob[] {
  const sql = "SELECT id FROM job WHERE run = ? AND type = 'agent'";
  const ofAgents = new Set(db.all<{ id: string }>(sql, run).map(({ id }) => id));
  const hasFailed = (job: RunJob) => phaseOf(job, nowMs).phase === 'error' && (!ofAgents.has(job.id) || isUnsent(job));
  return jobs.filter((job) => job.retries !== null || hasFailed(job));
}

function lineOf(db: Reader, job: FirstJob, nowMs: number, jobs?: RunJob[]): RunLine {
  const { run, type, rhiza, processor, target, collection, created, expires } = job;
  const isBatch = batchRest(db, run) !== undefined;
  // What an agent does is in no log that the node reads, and that its time is up says nothing of it.
  const known = type !== 'agent' || isUnsent(job);
  const status = statusOfRun(db, { run, nowMs: known ? nowMs : Math.min(nowMs, created) }, jobs);
  const failed = status.errors[0];
  return {
    job_id: run,
    kind: rhiza === null ? (isBatch ? 'batch' : type) : 'rhiza',
    processor: named(db, rhiza ?? processor),
    target: named(db, target),
    job_collection: collection,
    created_at: iso(created),
    expires_at: iso(expires),
    status: known ? status.status : 'unknown',
    progress: status.progress,
    completed_at: known ? status.completed : null,
    error: known && failed ? { code: failed.code, message: failed.message } : null,
  };
}

/** What the agent knows nothing of. */
function isUnsent({ state }: Pick<RunJob, 'state'>): boolean {
  return state === 'refused' || state === 'queued';
}

const shown = 20;

function jobLine(db: Reader, job: RunJob, nowMs: number): RunJobLine {
  const row = db.get<{ type: string; request: string }>('SELECT type, request FROM job WHERE id = ?', job.id);
  const request = fromJson(row?.request ?? '{}') as Partial<JobRequest>;
  const { phase, error } = phaseOf(job, nowMs);
  const known = row?.type !== 'agent' || isUnsent(job);
  const targets = request.target_entities ?? (request.target_entity === undefined ? [] : [request.target_entity]);
  const log = findLogOf(db, job.id, job.processor);
  const outputs = log === undefined ? [] : outputsOf(db, log);
  const batch = request.rhiza?.batch;
  return {
    job_id: job.id,
    processor: named(db, job.processor),
    step: request.rhiza?.path.at(-1) ?? null,
    parent: job.parent,
    retries: job.retries,
    batch: batch ? { index: batch.index, total: batch.total } : null,
    status: known ? phase : 'unknown',
    sending: job.state,
    sending_error: job.error,
    error: known ? error : null,
    created_at: iso(job.created),
    started_at: job.log?.started ?? null,
    completed_at: job.log?.completed ?? null,
    expires_at: iso(job.expires),
    log: log ?? null,
    targets: targets.slice(0, shown),
    target_count: targets.length,
    outputs: outputs.slice(0, shown),
    output_count: outputs.length,
  };
}

function named(db: Reader, id: string): Named {
  const row = db.get<{ label: string | null }>('SELECT substr(label, 1, 300) AS label FROM entity WHERE id = ?', id);
  return { id, label: row?.label ?? '' };
}

const iso = (ms: number): string => new Date(ms).toISOString();
