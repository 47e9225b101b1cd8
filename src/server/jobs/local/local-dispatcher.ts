import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { UnavailableError } from '../../errors.ts';
import { Batches } from '../../kit/batch.ts';
import { failureOf, JobError, NodeCallError } from '../../kit/job-error.ts';
import type { KladosJob } from '../../kit/job-request.ts';
import { type Patience, untilAnswered } from '../../kit/patience.ts';
import { type DoneWork, endBegun, endDone, endLate, type Handler, type Runner, runJob } from '../../kit/run-job.ts';
import { commandOf } from '../../model/endpoints.ts';
import { fromJson } from '../../model/from-json.ts';
import type { Network } from '../../model/ids.ts';
import type { Dispatch, Dispatcher, GivenUp, Outcome } from '../dispatch.ts';
import type { AllowedCommands } from './allowed-commands.ts';
import { CommandRunner } from './command-runner.ts';
import type { LocalCommand } from './command-settings.ts';
import { clearJobFolders, type KeptJob, keepDone, keptDone, leaveJobFolder } from './job-folder.ts';
import { labelOf, localHandler } from './local-work.ts';
import type { ProcessorNode, ProcessorNodes } from './ports.ts';
import type { CommandOutcome, CommandRun } from './run-command.ts';

export interface LocalNeeds {
  nodes: ProcessorNodes;
  allowed: AllowedCommands;
  /** A folder of the node's own for the jobs' files; what no job needs any more is removed when the node starts. */
  work: string;
  environment: Readonly<Record<string, string>>;
  /** The program's version, for the logs. */
  version: string;
  /** Epoch milliseconds. */
  now: () => number;
  log: { error(details: object, message: string): void };
}

/** How far a job has come: whether its command has been started, how that failed, and what it came to once that is handed on. */
interface Turn {
  begun: boolean;
  failed: { cause: unknown } | null;
  done: DoneWork | null;
}

/** How many jobs are under way at once, those included that wait for their command's turn or write what came of it. */
const jobsAtOnce = 64;
/** So many more of one command than run at once: they begin their logs or write what came of it. More would hold up others. */
const besides = 2;
/** Where logs are ended without their commands, which may not be allowed any more; no command has that name. */
const ending = '';
const endedAtOnce = 4;
/** With less time left no job is begun. */
const leastMs = 2000;
const late = 'The time of the job was up before its command had its turn.';
/** An end that the node does not take is written again after pauses that grow from one to the other, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [1000, 300_000];
/** The longest that a timer takes. */
const longestSleepMs = 2_147_483_647;

/** The way to kladoi that are commands of this machine. A job is accepted when it is queued; its log says the rest. */
export class LocalDispatcher implements Dispatcher, AsyncDisposable {
  readonly local = true;
  readonly #needs: LocalNeeds;
  readonly #stop = new AbortController();
  readonly #jobs = new PQueue({ concurrency: jobsAtOnce });
  readonly #commands = new PQueue({ concurrency: Math.max(2, availableParallelism()) });
  readonly #runner = new CommandRunner();
  /** Jobs of each command, in front of those under way. */
  readonly #waiting = new Map<string, PQueue>();
  readonly #turns = new Map<string, PQueue>();
  readonly #batches = new Map<string, Batches>();
  /** Jobs that are queued or run, so that none runs twice at once. */
  readonly #inHand = new Set<string>();

  constructor(needs: LocalNeeds) {
    this.#needs = needs;
  }

  takes(endpoint: string): boolean {
    return commandOf(endpoint) !== null;
  }

  async unready({ network, id, endpoint }: Parameters<NonNullable<Dispatcher['unready']>>[0]): Promise<string | null> {
    try {
      const ready = await this.#ready(network, { id, endpoint });
      return typeof ready === 'string' ? ready : null;
    } catch (error) {
      return failureOf(error).message;
    }
  }

  async send({ network, processor, request }: Dispatch): Promise<Outcome> {
    try {
      const ready = await this.#ready(network, processor);
      if (typeof ready === 'string') return { kind: 'refused', error: ready };
      if (this.#stop.signal.aborted) return { kind: 'unreached', error: 'the node stops' };
      const job = request as KladosJob;
      const turn: Turn = { begun: false, failed: null, done: null };
      this.#begin(processor.id, job, { command: ready, turn, run: () => this.#run(network, processor, job, turn) });
      return { kind: 'accepted' };
    } catch (error) {
      // What is wrong with the node, or with the list of commands while it is edited, passes.
      return { kind: 'unreached', error: failureOf(error).message };
    }
  }

  async giveUp({ network, processor: { id }, request }: Dispatch, why: GivenUp, stop: AbortSignal): Promise<boolean> {
    const job = request as KladosJob;
    let isDone = false;
    const end = async () => {
      const last = await this.#lastRunner(network, id);
      const runner = { ...last, signal: AbortSignal.any([last.signal, stop]) };
      const done = await this.#doneBefore(job);
      const error = new JobError('REJECTED', why.message, why.retryable);
      if (done === null) await runJob(runner, job, () => Promise.reject(error));
      else await endDone(runner, job, done);
      isDone = done !== null;
    };
    // Not in turn with what runs commands, which may take hours.
    if (this.#take(job)) await queueOf(this.#waiting, ending, endedAtOnce).add(() => this.#carry(id, job, end));
    return isDone;
  }

  async endLate({ network, processor: { id }, request }: Dispatch, stop: AbortSignal): Promise<void> {
    const job = request as KladosJob;
    const end = () => this.#endPast(network, id, job, stop);
    if (this.#take(job)) await queueOf(this.#waiting, ending, endedAtOnce).add(() => this.#carry(id, job, end));
  }

  /** What a job came to in an earlier run, which has handed it on; null where none has. */
  async #doneBefore({ job_id }: KladosJob): Promise<DoneWork | null> {
    const kept = await keptDone(this.#needs.work, job_id);
    try {
      return kept === null ? null : (fromJson(kept) as DoneWork);
    } catch {
      return null;
    }
  }

  /** The command of a klados, or why it may not run. */
  async #ready(network: Network, { id, endpoint }: Pick<Dispatch['processor'], 'id' | 'endpoint'>) {
    const command = await this.#command(endpoint);
    if (typeof command === 'string') return command;
    return (await this.#needs.nodes.isOperators(network, id, endpoint)) ? command : notOperators;
  }

  /** The command, or why there is none. */
  async #command(endpoint: string): Promise<LocalCommand | string> {
    const name = commandOf(endpoint) ?? '';
    return (await this.#needs.allowed.find(name)) ?? this.#needs.allowed.wayOut(name);
  }

  /** The command, or why there is none, once the list of commands can be read: whoever edits it may be about to correct it. */
  #commandInTime(endpoint: string, patience: Patience): Promise<LocalCommand | string> {
    return untilAnswered(async () => {
      try {
        return await this.#command(endpoint);
      } catch (error) {
        throw error instanceof UnavailableError ? new NodeCallError(503, error.message, { retryAfter: 1 }) : error;
      }
    }, patience);
  }

  #begin(klados: string, job: KladosJob, begun: Begun, pauseMs = firstPauseMs): void {
    if (!this.#take(job)) return;
    const { name, atOnce } = begun.command;
    const waiting = queueOf(this.#waiting, name, atOnce + besides);
    const carry = async () => {
      const left = await this.#carry(klados, job, begun.run);
      const { turn } = begun;
      // What could not be written of that may be taken by then.
      if (left === 'kept') turn.failed = null;
      // What was begun and nothing is known of any more would be done once more.
      const isSafe = !turn.begun || turn.failed !== null || turn.done !== null;
      if (left === 'kept' || (left === 'open' && isSafe)) void this.#beginAgain(klados, job, begun, pauseMs);
    };
    void waiting.add(() => this.#jobs.add(carry));
  }

  /** There may be room again, or the role that was taken away may have been given back. */
  async #beginAgain(klados: string, job: KladosJob, begun: Begun, pauseMs: number): Promise<void> {
    const { signal } = this.#stop;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted || this.#needs.now() >= Date.parse(job.expires_at)) return;
    this.#begin(klados, job, begun, Math.min(2 * pauseMs, longestPauseMs));
  }

  /** False where it is in hand already. */
  #take({ job_id }: KladosJob): boolean {
    if (this.#inHand.has(job_id)) return false;
    this.#inHand.add(job_id);
    return true;
  }

  /** How a job is left: `open` where its end could not be written, `kept` where what its command came to is kept for that. */
  async #carry(klados: string, job: KladosJob, run: () => Promise<void>): Promise<'ended' | 'open' | 'kept'> {
    let hasEnded = false;
    let isKept = false;
    try {
      if (!this.#stop.signal.aborted) {
        await run();
        hasEnded = true;
      }
    } catch (error) {
      // A job without an end in its log is taken up again, at the latest at the next start, or ends with its time.
      if (!this.#stop.signal.aborted)
        this.#needs.log.error({ err: error, job: job.job_id, klados }, 'the log of a job could not be written');
    } finally {
      isKept = !(await this.#leave({ id: job.job_id, expires: Date.parse(job.expires_at) }, !hasEnded));
      this.#inHand.delete(job.job_id);
    }
    return hasEnded || this.#stop.signal.aborted ? 'ended' : isKept ? 'kept' : 'open';
  }

  /** False where something is kept of the job. */
  async #leave(job: KeptJob, mayRunAgain: boolean): Promise<boolean> {
    const { work, log } = this.#needs;
    try {
      const isGone = await leaveJobFolder(work, job.id, mayRunAgain);
      if (!isGone) void this.#leaveInTime(job);
      return isGone;
    } catch (error) {
      log.error({ err: error, job: job.id }, 'the folder of a job could not be removed');
      return true;
    }
  }

  /** Leaves what a job has kept when its permissions end. One that is under way by then does so itself. */
  async #leaveInTime(job: KeptJob): Promise<void> {
    const { signal } = this.#stop;
    const ms = Math.min(Math.max(0, job.expires - this.#needs.now()), longestSleepMs);
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted && !this.#inHand.has(job.id)) await this.#leave(job, false);
  }

  async #run(network: Network, processor: Dispatch['processor'], job: KladosJob, turn: Turn): Promise<void> {
    const { nodes, now } = this.#needs;
    const { id } = processor;
    const left = Date.parse(job.expires_at) - now();
    // It waited for so long that its log would have no end: nobody takes that once its time is up.
    if (left < leastMs) {
      if (left > 0) await this.#endLate(network, id, job);
      return;
    }
    using watched = await nodes.watch(network, id);
    const { out } = watched;
    const isOut = async () => !this.#stop.signal.aborted && (out.aborted || (await nodes.isOut(network, id)));
    turn.done ??= await this.#doneBefore(job);
    if (!out.aborted) {
      try {
        await this.#work(network, processor, job, turn, out);
      } catch (error) {
        // Nobody takes the end of its log from the klados any more: the machine has slept, say, and its timers with it.
        const isPast = !this.#stop.signal.aborted && now() >= Date.parse(job.expires_at);
        if (isPast) return this.#endPast(network, id, job, this.#stop.signal);
        if (!(await isOut())) throw error;
      }
    }
    if (await isOut()) await this.#endOut(network, id, job, turn);
  }

  /** Ends the log that an earlier run of a job has begun which is not begun anew, since its time is nearly up. */
  async #endLate(network: Network, klados: string, job: KladosJob): Promise<void> {
    const runner = await this.#lastRunner(network, klados);
    const done = await this.#doneBefore(job);
    if (done) await endDone(runner, job, done);
    else await endBegun(runner, job, new JobError('TIMEOUT', late));
  }

  /** Ends the log of a job whose permissions have ended. */
  async #endPast(network: Network, klados: string, job: KladosJob, stop: AbortSignal): Promise<void> {
    const last = await this.#endingRunner(klados, this.#needs.nodes.late(network));
    await endLate({ ...last, signal: AbortSignal.any([last.signal, stop]) }, job);
  }

  async #work(
    network: Network,
    { id, endpoint }: Dispatch['processor'],
    job: KladosJob,
    turn: Turn,
    out: AbortSignal,
  ): Promise<void> {
    const { nodes, now, version, work, environment } = this.#needs;
    const api = nodes.of(network, id);
    const label = await labelOf(api, id);
    const batches = this.#batchesOf(network, id, api);
    const signal = AbortSignal.any([this.#stop.signal, out]);
    const onDone = async (done: DoneWork) => {
      turn.done = done;
      await keepDone(work, job.job_id, JSON.stringify(done));
    };
    const runner = { klados: id, label, version, api, batches, now, signal, onDone };
    // What comes behind may be out of use by now, and would not be handed on to once more.
    if (turn.done) return endDone(runner, job, turn.done);
    const handler: Handler = async (given) => {
      // Looked up again: it may have been forbidden while the job waited.
      const patience = { until: Date.parse(job.expires_at), now, signal: given.signal };
      const command = await this.#commandInTime(endpoint, patience);
      if (typeof command === 'string') throw new Error(command);
      const run = (one: LocalCommand, what: CommandRun) =>
        this.#turn(one, given.signal, () => {
          turn.begun ||= !given.signal.aborted;
          return this.#runner.run(what);
        });
      return localHandler(id, command, api, { work, environment, now, run })(given);
    };
    await runJob(runner, job, async (given) => {
      if (turn.failed) throw turn.failed.cause;
      try {
        return await handler(given);
      } catch (cause) {
        turn.failed = { cause };
        throw cause;
      }
    });
  }

  /**
   * Ends the log of a job whose klados may not write it any more. One that has not begun may be repeated; one that has handed on
   * what it made is done.
   */
  async #endOut(network: Network, klados: string, job: KladosJob, { begun, done }: Turn): Promise<void> {
    const runner = await this.#lastRunner(network, klados);
    if (done) return endDone(runner, job, done);
    await runJob(runner, job, async () => {
      const words = begun ? 'before its job had ended, and its command was stopped' : 'before its command had begun';
      throw new JobError('PERMISSION_DENIED', `The klados was disabled or deleted ${words}.`, !begun);
    });
  }

  #lastRunner(network: Network, klados: string): Promise<Runner> {
    return this.#endingRunner(klados, this.#needs.nodes.last(network, klados));
  }

  async #endingRunner(klados: string, api: ProcessorNode): Promise<Runner> {
    const { now, version } = this.#needs;
    const label = await labelOf(api, klados).catch(() => klados);
    return { klados, label, version, api, batches: new Batches(api), now, signal: this.#stop.signal };
  }

  #batchesOf(network: Network, klados: string, api: ConstructorParameters<typeof Batches>[0]): Batches {
    const key = `${network} ${klados}`;
    const batches = this.#batches.get(key) ?? new Batches(api);
    this.#batches.set(key, batches);
    return batches;
  }

  /** Whoever is stopped before the turn has come waits no longer, which may be until nobody takes the end of the log any more. */
  async #turn(
    { name, atOnce }: LocalCommand,
    stop: AbortSignal,
    run: () => Promise<CommandOutcome>,
  ): Promise<CommandOutcome> {
    const stopped: CommandOutcome = { ended: 'stopped', errors: '' };
    if (stop.aborted) return stopped;
    const { promise: left, resolve } = Promise.withResolvers<CommandOutcome>();
    const leave = () => resolve(stopped);
    stop.addEventListener('abort', leave, { once: true });
    const begin = () => {
      stop.removeEventListener('abort', leave);
      return run();
    };
    const turn = queueOf(this.#turns, name, atOnce).add(() => this.#commands.add(begin));
    return Promise.race([turn, left]);
  }

  /** Resolves when nothing is queued or runs. */
  async idle(): Promise<void> {
    while (this.#inHand.size > 0) await Promise.all([...this.#waiting.values()].map((queue) => queue.onIdle()));
  }

  /** Removes what a stop of the node has left and no job needs any more; to be called before jobs are sent. */
  async clear(): Promise<void> {
    const { work, now, log } = this.#needs;
    const failed = (name: string, error: unknown) =>
      log.error({ err: error, job: name }, 'the folder of a job could not be removed');
    for (const job of await clearJobFolders(work, now(), failed)) void this.#leaveInTime(job);
  }

  /** Stops the commands that run; their jobs are begun anew at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.idle();
    await this.#runner[Symbol.asyncDispose]();
  }
}

/** A job that was taken, and what it takes to go on with it. */
interface Begun {
  command: Pick<LocalCommand, 'name' | 'atOnce'>;
  turn: Turn;
  run: () => Promise<void>;
}

function queueOf(queues: Map<string, PQueue>, name: string, concurrency: number): PQueue {
  const queue = queues.get(name) ?? new PQueue();
  queue.concurrency = concurrency;
  queues.set(name, queue);
  return queue;
}

const notOperators =
  'A command runs only for a klados that the operator of this node has made here, with this endpoint: one that came by a mirror, an archive or an import does not.';
