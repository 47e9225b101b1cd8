import { fromJson } from '../../model/from-json.ts';
import type { JobError, LogStatus } from '../../model/job-log.ts';
import type { JobRequest } from '../../model/job-request.ts';
import type { Sending } from '../../model/job-state.ts';
import type { JsonObject } from '../../model/manifest.ts';
import { batchStatus, type RunJob, type RunStatus, runStatus, type StuckBatch } from '../../model/run-status.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { withResumable } from './handed-on.ts';
import { isCommand, speaksFor } from './job-logs.ts';
import type { NewJob, NewJobBatch } from './job-rows.ts';

/** A job as it stands. */
export interface StoredJob extends Omit<NewJob, 'state' | 'attempts'> {
  sending: Sending;
}

/** What is known of a job but for its request, which may be long. */
export type JobHead = Pick<
  NewJob,
  | 'id'
  | 'run'
  | 'processor'
  | 'rhiza'
  | 'collection'
  | 'target'
  | 'parent'
  | 'retries'
  | 'asker'
  | 'created'
  | 'expires'
>;

const head = 'id, run, processor, rhiza, collection, target, parent, retries, asker, created, expires';

type Columns = Omit<NewJob, 'request'> & { request: string; error: string | null; retry_after: number | null };

const columns = `${head}, type, handoff, request, state, attempts, error, retry_after`;

function toJob({ request, state, attempts, error, retry_after, ...rest }: Columns): StoredJob {
  return {
    ...rest,
    request: fromJson(request) as JobRequest,
    sending: { state, attempts, error, retryAfter: retry_after },
  };
}

export function findJob(db: Reader, id: string): StoredJob | undefined {
  const row = db.get<Columns>(`SELECT ${columns} FROM job WHERE id = ?`, id);
  return row && toJob(row);
}

export function findJobHead(db: Reader, id: string): JobHead | undefined {
  return db.get<JobHead>(`SELECT ${head} FROM job WHERE id = ?`, id);
}

/** The newest job that was handed on with that digest. */
export function jobByHandoff(db: Reader, handoff: string): StoredJob | undefined {
  const row = db.get<Columns>(`SELECT ${columns} FROM job WHERE handoff = ? ORDER BY key DESC LIMIT 1`, handoff);
  return row && toJob(row);
}

/** The oldest job that was handed on with that digest of which nobody can tell whether it arrived, for the reason given, and whose time is not up. */
export function unknownByHandoff(db: Reader, handoff: string, why: string, nowMs: number): StoredJob | undefined {
  const sql = `SELECT ${columns} FROM job WHERE handoff = ? AND state = 'unknown' AND error = ? AND expires > ?
    ORDER BY key LIMIT 1`;
  const row = db.get<Columns>(sql, handoff, why, nowMs);
  return row && toJob(row);
}

/** The job that repeats another, directly. */
export function retryOf(db: Reader, id: string): StoredJob | undefined {
  const row = db.get<Columns>(`SELECT ${columns} FROM job WHERE retries = ? ORDER BY key DESC LIMIT 1`, id);
  return row && toJob(row);
}

/** The newest job of a processor in a target whose logs lie in a collection, whose grants have not ended and that was not repeated. */
export function liveJobIn(
  db: Reader,
  { processor, collection, target }: Pick<JobHead, 'processor' | 'collection' | 'target'>,
  nowMs: number,
): JobHead | undefined {
  return db.get<JobHead>(
    `SELECT ${head} FROM job WHERE collection = ? AND processor = ? AND expires > ? AND target = ?
        AND NOT EXISTS (SELECT 1 FROM job r WHERE r.retries = job.id) ORDER BY key DESC LIMIT 1`,
    collection,
    processor,
    nowMs,
    target,
  );
}

/** The condition of the index of those that wait or were sent: SQLite takes a partial index only where that stands in the query. */
export const inStateIndex = "state IN ('queued', 'sent', 'accepted')";

/** So many that wait are looked at before everything else has its turn: most may be of processors that take none now. */
const lookedAtOnce = 5000;

/**
 * Jobs to be sent whose time is not over, but some, and those of some processors, the oldest first, from after the one given by
 * its key. `next`: where to look on, null where no more wait.
 */
export function queuedJobs(
  db: Reader,
  {
    after,
    except,
    limit,
    nowMs,
  }: { after: number; except: Record<'ids' | 'processors', readonly string[]>; limit: number; nowMs: number },
): { jobs: StoredJob[]; next: number | null } {
  const waits = `state = 'queued' AND ${inStateIndex} AND key > ?`;
  const end = db.get<{ key: number }>(
    `SELECT key FROM job WHERE ${waits} ORDER BY key LIMIT 1 OFFSET ?`,
    after,
    lookedAtOnce - 1,
  );
  const rows = db.all<Columns & { key: number }>(
    `SELECT key, ${columns} FROM job
      WHERE ${waits} AND key <= ? AND expires > ?
        AND processor NOT IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT value FROM json_each(?))
      ORDER BY key LIMIT ?`,
    ...[after, end?.key ?? Number.MAX_SAFE_INTEGER, nowMs],
    ...[JSON.stringify(except.processors), JSON.stringify(except.ids), limit],
  );
  const last = rows.length === limit ? rows.at(-1) : end;
  return { jobs: rows.map(({ key: _, ...row }) => toJob(row)), next: last?.key ?? null };
}

type Waiting = Pick<Columns, 'id' | 'error'> & { key: number; handoff: string | null };

/** A page of the jobs that wait to be sent, by key, up to `last`: the digests of handoffs, and why what did not arrive is sent again. */
export function waitingJobs(
  db: Reader,
  { after, last, limit }: { after: number; last: number; limit: number },
): Waiting[] {
  const sql = `SELECT key, id, handoff, error FROM job
    WHERE state = 'queued' AND ${inStateIndex} AND key > ? AND key <= ? ORDER BY key LIMIT ?`;
  return db.all(sql, after, last, limit);
}

/** What a processor was granted, and until when, epoch milliseconds. */
export interface StoredGrant {
  actions: string[];
  expires: number;
}

interface GrantRow {
  actions: string;
  expires: number;
}

function toGrant({ actions, expires }: GrantRow): StoredGrant {
  return { actions: fromJson(actions) as string[], expires };
}

/** What a run granted a processor in its target collection; undefined where it granted nothing. */
export function grantOf(db: Reader, run: string, processor: string): StoredGrant | undefined {
  const sql = 'SELECT actions, expires FROM job_grant WHERE run = ? AND processor = ?';
  const row = db.get<GrantRow>(sql, run, processor);
  return row && toGrant(row);
}

/** All jobs of a run work in one target (handoff.ts, repetition.ts), so that the first tells: a batch has ten thousand. */
const liveGrants = `FROM job_grant g WHERE processor = ? AND expires > ?
  AND (SELECT j.target FROM job j WHERE j.run = g.run ORDER BY j.key LIMIT 1) = ?`;

/** What a processor was granted in a target collection by the run whose grant ends last; undefined where none is live. */
export function longestGrantIn(db: Reader, collection: string, processor: string, nowMs: number) {
  const sql = `SELECT actions, expires ${liveGrants} ORDER BY expires DESC LIMIT 1`;
  const row = db.get<GrantRow>(sql, processor, nowMs, collection);
  return row && toGrant(row);
}

/** What a processor was granted in a target collection by runs whose grants have not ended; of equal ones that which ends last. */
export function grantsIn(db: Reader, collection: string, processor: string, nowMs: number): StoredGrant[] {
  const sql = `SELECT actions, max(expires) AS expires ${liveGrants} GROUP BY actions`;
  return db.all<GrantRow>(sql, processor, nowMs, collection).map(toGrant);
}

/** The processors of a run. */
export function grantedIn(db: Reader, run: string): string[] {
  return db
    .all<{ processor: string }>('SELECT processor FROM job_grant WHERE run = ? ORDER BY processor', run)
    .map(({ processor }) => processor);
}

/**
 * The oldest batch of which not all have become jobs, with how many have, but for those of some processors. Whose it is shows by
 * its grant; its body may be long.
 */
export function openBatch(db: Reader, except: readonly string[]): { id: string; next: number } | undefined {
  return db.get(
    `SELECT id, next FROM job_batch b WHERE next < total AND NOT EXISTS (
       SELECT 1 FROM job_grant g WHERE g.run = b.id AND g.processor IN (SELECT value FROM json_each(?)))
     ORDER BY id LIMIT 1`,
    JSON.stringify(except),
  );
}

/** All of a batch; it may be long. */
export function findBatch(db: Reader, id: string): NewJobBatch | undefined {
  const row = db.get<{ body: string }>('SELECT body FROM job_batch WHERE id = ?', id);
  return row && (fromJson(row.body) as NewJobBatch);
}

/** What all jobs of a batch are given; undefined where that is nothing. `length`: of its JSON, in characters. */
export interface SharedInput {
  input: JsonObject | undefined;
  length: number;
}

/** All of the batch is looked through; as one that gives nothing where there is no such batch. */
export function sharedInput(db: Reader, batch: string): SharedInput {
  const sql = "SELECT json_extract(body, '$.job.request.input') AS input FROM job_batch WHERE id = ?";
  const json = db.get<{ input: string | null }>(sql, batch)?.input ?? null;
  return json === null ? { input: undefined, length: 0 } : { input: fromJson(json) as JsonObject, length: json.length };
}

/** Whose jobs a batch makes, and where their logs go; undefined where there is no such batch. */
export function batchPlace(db: Reader, id: string): { processor: string; collection: string } | undefined {
  return db.get(
    `SELECT json_extract(body, '$.job.processor') AS processor, json_extract(body, '$.job.collection') AS collection
       FROM job_batch WHERE id = ?`,
    id,
  );
}

/** How many of a batch have not become jobs yet; undefined where there is no such batch. */
export function batchRest(db: Reader, id: string): number | undefined {
  return db.get<{ rest: number }>('SELECT total - next AS rest FROM job_batch WHERE id = ?', id)?.rest;
}

/** The first job of a run. */
export function firstOf(db: Reader, run: string): JobHead | undefined {
  return db.get<JobHead>(`SELECT ${head} FROM job WHERE run = ? ORDER BY key LIMIT 1`, run);
}

/** Whether a run has more jobs than that; all of them are not counted for it. */
export function hasMoreJobs(db: Reader, run: string, than: number): boolean {
  return db.get('SELECT 1 FROM job WHERE run = ? LIMIT 1 OFFSET ?', run, than) !== undefined;
}

interface RunRow {
  id: string;
  processor: string;
  parent: string | null;
  retries: string | null;
  state: Sending['state'];
  error: string | null;
  created: number;
  expires: number;
  status: LogStatus | null;
  author: string | null;
  started: string | null;
  completed: string | null;
  code: string | null;
  message: string | null;
  retryable: number | null;
  promised: number | null;
}

const selectRun = `SELECT j.id, j.processor, j.parent, j.retries, j.state, j.error, j.created, j.expires, l.status,
    l.author, l.started, l.completed, l.code, l.message, l.retryable, l.promised
    FROM job j LEFT JOIN job_log l ON l.job = j.id AND l.klados = j.processor`;

/** All jobs of a run with what those logs say that count for them. */
export function jobsOfRun(db: Reader, run: string): RunJob[] {
  return withResumable(db, merged(db, db.each<RunRow>(`${selectRun} WHERE j.run = ? ORDER BY j.key, l.entity`, run)));
}

/** One job as part of a run. */
export function runJob(db: Reader, id: string): RunJob | undefined {
  return withResumable(db, merged(db, db.all<RunRow>(`${selectRun} WHERE j.id = ? ORDER BY l.entity`, id)))[0];
}

/** One row for each log becomes one job. */
function merged(db: Reader, rows: Iterable<RunRow>): RunJob[] {
  const jobs: RunJob[] = [];
  // Of most logs the processor is the author; who made it takes a read.
  const counting = new Map<string, boolean>();
  for (const row of rows) {
    const job = toRunJob(row, counts(db, row, counting) && !isGivenUp(db, row));
    const last = jobs.at(-1);
    if (last?.id !== job.id) jobs.push(job);
    else if (better(job.log, last.log)) last.log = job.log;
  }
  return jobs;
}

function counts(db: Reader, { author, processor }: RunRow, known: Map<string, boolean>): boolean {
  if (author === null || author === processor) return author !== null;
  const key = `${author} ${processor}`;
  const found = known.get(key) ?? speaksFor(db, author, processor);
  known.set(key, found);
  return found;
}

/** Whether the node begins a command's job no more whose log says that it runs. */
function isGivenUp(db: Reader, { state, status, processor }: RunRow): boolean {
  return state === 'refused' && status === 'running' && isCommand(db, processor);
}

function toRunJob(
  { status, author: _, started, completed, code, message, retryable, promised, ...job }: RunRow,
  counts: boolean,
): RunJob {
  if (status === null || !counts) return { ...job, log: null };
  const error: JobError | null = code === null ? null : { code, message: message ?? '', retryable: retryable === 1 };
  return { ...job, log: { status, started, completed, error, promised: promised ?? 0 } };
}

const rank = { error: 0, running: 1, done: 2 };

/** A processor that was told twice may have run twice: what it brought to an end counts. */
function better(one: RunJob['log'], than: RunJob['log']): boolean {
  return one !== null && (than === null || rank[one.status] > rank[than.status]);
}

/** Milliseconds: so far the clock may have been set back since a run began. */
const setBack = 24 * 3_600_000;

/**
 * Batches of a run, given its first job, that have open slots. One that no job names was made twice, unless it scatters nothing.
 * The collection may hold many runs, and lists what was made since this one began at once.
 */
function openScatters(db: Reader, { collection, created }: JobHead, run: string): StuckBatch[] {
  const key = entityKey(db, collection);
  if (key === undefined) return [];
  return db.all(
    `SELECT e.id, json_extract(e.json, '$.properties.job_id') AS job,
       json_extract(e.json, '$.properties.gather_klados') AS klados
       FROM listing l JOIN entity e ON e.key = l.entity
       JOIN job j ON j.id = json_extract(e.json, '$.properties.job_id') AND j.run = ?
      WHERE l.collection = ? AND l.created_at >= ? AND l.type = 'batch'
        AND json_extract(e.json, '$.properties.status') = 'pending'
        AND (json_extract(e.json, '$.properties.total') = 0 OR EXISTS (
          SELECT 1 FROM job n WHERE n.run = ? AND json_extract(n.request, '$.rhiza.batch.id') = e.id))`,
    ...[run, key, new Date(created - setBack).toISOString(), run],
  );
}

/**
 * The state of a run (model/run-status.ts), of a batch with what has not become jobs yet. Several reads: of one snapshot, as `jobs`
 * are where they have been read already, since there may be very many.
 */
export function statusOfRun(
  db: Reader,
  { run, nowMs }: { run: string; nowMs: number },
  jobs: RunJob[] = jobsOfRun(db, run),
): RunStatus {
  const status = runStatus(jobs, [], nowMs);
  const root = status.status === 'done' ? firstOf(db, run) : undefined;
  const stuck = root ? openScatters(db, root, run) : [];
  const known = stuck.length === 0 ? status : runStatus(jobs, stuck, nowMs);
  return batchStatus(known, { run, rest: batchRest(db, run) ?? 0, first: jobs[0] }, nowMs);
}
