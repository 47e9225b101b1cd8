import { setImmediate } from 'node:timers/promises';
import { closing, StorageError } from '../errors.ts';
import { afterSending, type SendingEvent } from '../model/job-state.ts';
import { endpointsSince } from '../store/jobs/endpoints-since.ts';
import { interruptedJobs, lastJob } from '../store/jobs/interrupted-jobs.ts';
import type { JobRow } from '../store/jobs/job-rows.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import type { JobSender } from './sender.ts';
import { Unanswered } from './unanswered.ts';

export interface InterruptedNeeds {
  sender: Pick<JobSender, 'isLocal' | 'commit' | 'told'>;
  /** Epoch milliseconds. */
  now: () => number;
  log: Record<'error' | 'info' | 'warn', (details: object, message: string) => void>;
  /** Given when the node closes. */
  stop: AbortSignal;
}

const perPage = 500;
/** How often it is logged how many have been taken up, in milliseconds. */
const toldMs = 5000;

/**
 * What a stop of the node left of a network's jobs: of what was under way nobody knows whether it arrived, what ran within the node
 * has ended with it, and of handoffs that wait nobody has been told. Nothing is sent: processors may not reach the node yet.
 */
export class InterruptedJobs {
  readonly #store: NetworkStore;
  readonly #needs: InterruptedNeeds;
  /** What is not begun anew, to be given up once jobs are sent: a node that runs for one command takes none. */
  readonly lost = new Map<string, SendingEvent>();
  /** Of what waits: noted before any of it is sent. */
  readonly unanswered: Unanswered;
  /** The last job of before the stop, while not all are taken up; else 0. */
  #left = 0;
  /** The last one that waits and was looked at; null where all were. */
  #waiting: number | null = 0;
  /** The last one that was taken up, and how many were looked at. */
  #after = 0;
  #jobs = 0;
  #takingUp: Promise<void> | null = null;

  constructor(store: NetworkStore, needs: InterruptedNeeds) {
    this.#store = store;
    this.#needs = needs;
    this.unanswered = new Unanswered(store, needs);
  }

  /**
   * Takes them up; of very many the first when it resolves, and the others beside all else. Where that cannot be written, on a
   * full disk say, the network can be read all the same, and it is tried again with what is sent.
   * @throws StorageError where the jobs cannot be read
   */
  async begin(): Promise<void> {
    const { log, stop } = this.#needs;
    // What comes meanwhile is of this run of the node.
    this.#left = this.#store.read(lastJob);
    if (this.#left === 0) return;
    const failed = (error: unknown) => {
      if (stop.aborted) return;
      if (!(error instanceof StorageError)) throw error;
      log.error({ err: error }, 'jobs that a stop of the node left could not be taken up; it is tried again');
    };
    await this.#page().then(() => {
      if (this.#left > 0) this.takenUp().catch(failed);
    }, failed);
  }

  /** Resolves when nothing is left that a stop of the node left. @throws StorageError */
  async takenUp(): Promise<void> {
    if (this.#left === 0) return;
    this.#takingUp ??= this.#rest().finally(() => {
      this.#takingUp = null;
    });
    return this.#takingUp;
  }

  /** Resolves when nothing is read or written for it. */
  async idle(): Promise<void> {
    await this.#takingUp?.catch(() => undefined);
  }

  /** How many were looked at so far; null where all were. */
  get progress(): number | null {
    return this.#left === 0 ? null : this.#jobs;
  }

  async #rest(): Promise<void> {
    const { log, stop } = this.#needs;
    const { network } = this.#store;
    // A command that runs a node for itself tells of warnings alone: of this only where it takes its time.
    log.info(
      { network, jobs: this.#jobs },
      'looking what became of jobs that a stop of the node left; none that waits is sent before that is known',
    );
    for (let told = performance.now(); this.#left > 0; ) {
      // Of many nothing is to be written, and so nothing else would have its turn.
      await setImmediate();
      if (stop.aborted) throw new StorageError(closing);
      await this.#page();
      if (performance.now() - told < toldMs) continue;
      told = performance.now();
      log.warn({ network, jobs: this.#jobs }, 'so many jobs that a stop of the node left have been looked at');
    }
    log.info({ network, jobs: this.#jobs }, 'all jobs that a stop of the node left have been looked at');
  }

  async #page(): Promise<void> {
    const { sender, now } = this.#needs;
    if (this.#waiting !== null) {
      const { jobs, next } = this.unanswered.note({ after: this.#waiting, last: this.#left, limit: perPage });
      this.#jobs += jobs;
      this.#waiting = next;
      if (next !== null) return;
    }
    const page = this.#store.read((db) => {
      const jobs = interruptedJobs(db, { after: this.#after, last: this.#left, limit: perPage, nowMs: now() });
      if (jobs.length === 0) return [];
      const endpoints = endpointsSince(db, Math.min(...jobs.map(({ created }) => created)));
      return jobs.map((job) => ({ ...job, endpoints: endpoints(job.processor, job.created) }));
    });
    const rows: JobRow[] = [];
    for (const { id, endpoints, sending, begun } of page) {
      // Where it had others, a service may have taken the job, and may still work on it.
      const local = endpoints.length > 0 && endpoints.every((endpoint) => sender.isLocal(endpoint));
      const event = { kind: 'restarted', local, begun } as const;
      const to = afterSending(sending, event);
      const { state, attempts } = sending;
      if (to.state === 'refused') this.lost.set(id, event);
      else if (to !== sending) rows.push({ kind: 'job_sending', id, from: { state, attempts }, to });
    }
    if (rows.length > 0) await submitWhenFree(this.#store, [sender.commit(rows)]);
    this.#jobs += page.length;
    const last = page.length < perPage ? undefined : page.at(-1);
    if (last) this.#after = last.key;
    else this.#left = 0;
  }
}
