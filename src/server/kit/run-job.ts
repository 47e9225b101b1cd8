import { derivedId } from '../model/ids.ts';
import { timeout } from '../model/run-status.ts';
import { type Batches, slotOfParts } from './batch.ts';
import { type HandedOn, type HandoffPorts, handOn, type Output } from './handoff.ts';
import { failedInPart, failureOf, isRefusalOf, JobError, type JobFailure } from './job-error.ts';
import { JobLog, type LogMessage, type Writer } from './job-log.ts';
import { type KladosJob, targetsOf, type WorkflowJob } from './job-request.ts';
import type { NodeApi } from './node-api.ts';
import { type Patience, patientNode, untilAnswered } from './patience.ts';
import type { BatchPlace } from './starter.ts';

/** What a handler works with. */
export interface Work {
  job: KladosJob;
  /** The entities that the job is about. */
  targets: string[];
  input: Record<string, unknown>;
  /** The node; what is asked while it is away or busy waits for it. */
  api: NodeApi;
  /** Aborted when the job's grants are about to end, or the worker ends. */
  signal: AbortSignal;
  /** A line in the job's log. */
  note(level: LogMessage['level'], message: string, metadata?: Record<string, unknown>): void;
  /** An error to throw, with a code of one's own; `retryable`: whether the same job may succeed when it is resumed. */
  error(code: string, message: string, retryable?: boolean): Error;
}

/** What a handler has made: ids of entities, or with them what routes of the workflow look at. */
export type MadeOutput = string | { entity_id: string; [property: string]: unknown };

export interface Made {
  outputs: MadeOutput[];
  /** Of the job as a whole: what the route of a gather looks at. */
  outputProperties?: Record<string, unknown>;
}

/** The work of a klados. What it throws ends the job; `work.error` makes errors with codes. */
export type Handler = (work: Work) => Promise<Made | MadeOutput[]>;

export interface Runner extends Writer {
  api: NodeApi;
  /** One for all jobs of the program. */
  batches: Batches;
  /** Epoch milliseconds. */
  now: () => number;
  signal: AbortSignal;
  /** Whether the log of a job that is stopped with the program ends with that: nobody runs it again by himself. */
  endsStopped?: boolean;
  /** Told that the work is done and handed on, before the log says so. Does not throw. */
  onDone?: (work: DoneWork) => Promise<void>;
}

/** What a job came to, until its log says so. */
export interface DoneWork {
  outputs: string[];
  handed: HandedOn;
  messages: LogMessage[];
}

/** How a job ended: with its outputs, with an error in its log, or `ended` where an earlier run of it had ended already. */
export type Ended = { state: 'done' } | { state: 'ended' } | { state: 'error'; failure: JobFailure };

/**
 * One job from its log to its handoff (processors.md, 2.10). Ids of what it writes follow from the job's, so that a job
 * that was interrupted and is run again writes nothing twice. While the node is away or busy it waits, as long as its grants
 * last.
 * @throws where not even the log could be written
 */
export async function runJob(runner: Runner, job: KladosJob, handler: Handler): Promise<Ended> {
  const ports = portsOf(runner, job);
  const log = new JobLog(ports, job, runner);
  if ((await log.start()) !== 'running') return { state: 'ended' };
  const left = Math.max(0, Date.parse(job.expires_at) - runner.now());
  const worksFor = Math.ceil(left - endingOf(left));
  const signal = AbortSignal.any([runner.signal, AbortSignal.timeout(Math.min(worksFor, maxTimeout))]);
  let outputs: string[];
  let handed: HandedOn;
  let isPart = false;
  const invoke: NodeApi['invoke'] = async (...given) => {
    const answer = await ports.api.invoke(...given);
    isPart ||= answer.started;
    return answer;
  };
  try {
    const made = await handler({
      ...{ job, signal, api: ports.api, input: job.input ?? {}, targets: targetsOf(job) },
      note: (...line) => log.note(...line),
      error: (...words) => new JobError(...words),
    });
    const all = madeOutputs(made);
    outputs = all.outputs.map(({ id }) => id);
    handed = isWorkflow(job)
      ? await handOn({ ...ports, api: { ...ports.api, invoke } }, { job, klados: runner.klados, log: log.id, ...all })
      : { handoffs: [], refused: [] };
  } catch (error) {
    if (runner.signal.aborted && !runner.endsStopped) throw error;
    const whole = runner.signal.aborted ? stopped('came to its end') : failureOf(error);
    const failure = isPart ? failedInPart(whole) : whole;
    await fail(ports, job, log, failure);
    return { state: 'error', failure };
  }
  await runner.onDone?.({ outputs, handed, messages: log.said() });
  return end(log, outputs, handed);
}

async function end(log: JobLog, outputs: string[], handed: HandedOn): Promise<Ended> {
  try {
    await log.done(outputs, handed);
    return { state: 'done' };
  } catch (error) {
    // A job without an end would be run again, though it has done its work.
    if (!isRefusalOf(log.id, error)) throw error;
    const failure = failureOf(error);
    await log.failed(failure);
    return { state: 'error', failure };
  }
}

/** Writes the end of a job that was taken and is not begun any more, so that it can be resumed at once. */
export async function giveBack(runner: Runner, job: KladosJob): Promise<void> {
  const ports = portsOf(runner, job);
  const log = new JobLog(ports, job, runner);
  if ((await log.start()) === 'running') await fail(ports, job, log, stopped('was begun'));
}

function stopped(before: string): JobFailure {
  return failureOf(new JobError('SERVICE_UNAVAILABLE', `The worker was stopped before the job ${before}.`));
}

/** Writes the end of a job whose work is done, where that could not be written. */
export async function endDone(runner: Runner, job: KladosJob, { outputs, handed, messages }: DoneWork): Promise<void> {
  const log = new JobLog(portsOf(runner, job), job, runner, messages);
  if ((await log.start()) === 'running') await end(log, outputs, handed);
}

/** Ends the log that an earlier run of a job has begun, where one has. */
export async function endBegun(runner: Runner, job: KladosJob, error: JobError): Promise<void> {
  const ports = portsOf(runner, job);
  const log = new JobLog(ports, job, runner);
  try {
    await ports.api.read(log.id);
  } catch (refusal) {
    if (isRefusalOf(log.id, refusal)) return;
    throw refusal;
  }
  if ((await log.start()) === 'running') await fail(ports, job, log, failureOf(error));
}

/** Ends the log of a job whose permissions have ended, as of then. */
export async function endLate(runner: Runner, job: KladosJob): Promise<void> {
  const ended = { ...runner, now: () => Date.parse(job.expires_at) };
  const ports = portsOf(ended, job);
  await fail(ports, job, new JobLog(ports, job, ended), { ...timeout });
}

function portsOf({ api, batches, now, signal }: Runner, { network, expires_at }: KladosJob): HandoffPorts {
  const patience: Patience = { until: Date.parse(expires_at), now, signal };
  return {
    api: patientNode(api, network, () => patience),
    batches: { write: (...slot) => untilAnswered(() => batches.write(...slot), patience) },
    now,
    deriveId: (...parts) => derivedId(network, 'job', ...parts),
  };
}

const maxTimeout = 2_147_483_647;

/** How long before its grants end a job is to stop that has `left` milliseconds: after that nobody takes the end of its log. */
export function endingOf(left: number): number {
  return Math.min(10_000, Math.max(left / 5, Math.min(left / 2, 2000)));
}

function isWorkflow(job: KladosJob): job is WorkflowJob {
  return job.rhiza !== undefined;
}

function madeOutputs(made: Made | MadeOutput[]): { outputs: Output[]; outputProperties: Record<string, unknown> } {
  const { outputs, outputProperties = {} } = Array.isArray(made) ? { outputs: made } : made;
  return {
    outputProperties,
    outputs: outputs.map((one) => {
      if (typeof one === 'string') return { id: one, properties: {} };
      const { entity_id, ...properties } = one;
      if (typeof entity_id !== 'string') throw new JobError('INTERNAL_ERROR', 'An output has no entity_id.');
      return { id: entity_id, properties };
    }),
  };
}

/** The slot first: once the log says that it failed, the job may be resumed. */
async function fail({ batches, now }: HandoffPorts, job: KladosJob, log: JobLog, failure: JobFailure): Promise<void> {
  const batch = job.rhiza?.batch;
  if (batch) {
    const result = { job_id: job.job_id, at: new Date(now()).toISOString(), failure };
    const write = async ({ id, index }: Omit<BatchPlace, 'total'>): Promise<void> => {
      const whole = slotOfParts((await batches.write(id, index, result)).properties);
      if (whole) await write(whole);
    };
    await write(batch).catch((error: unknown) => {
      log.say('warning', `The slot ${batch.index} of ${batch.id} could not be written: ${failureOf(error).message}`);
    });
  }
  await log.failed(failure);
}
