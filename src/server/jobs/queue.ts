import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { SendingEvent } from '../model/job-state.ts';
import { findStanding } from '../store/entities.ts';
import type { NewJobBatch } from '../store/jobs/job-rows.ts';
import { findBatch, findJob, openBatch, queuedJobs, type StoredJob } from '../store/jobs/jobs.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { mostAtOnce } from './at-once.ts';
import { batchJob } from './batch-job.ts';
import { InterruptedJobs, type InterruptedNeeds } from './interrupted.ts';
import { Rests } from './rests.ts';
import { firstPauseMs, type JobSender, longestPauseMs } from './sender.ts';

export interface QueueNeeds {
  sender: JobSender;
  /** Epoch milliseconds. */
  now: () => number;
  /** A new ULID. */
  newUlid: () => string;
  log: InterruptedNeeds['log'];
  /** Given when the node closes. */
  stop: AbortSignal;
}

/** Instead of an endpoint where what waits will not be sent. */
const nowhere = '';
const perRead = 50;
const perSlice = 200;

/**
 * Sends a network's jobs that wait: those of batches, and those that a stop of the node left. What does not arrive, or is asked
 * to wait, waits again, for longer each time, until its time is over.
 */
export class JobQueue {
  readonly #store: NetworkStore;
  readonly #needs: QueueNeeds;
  readonly #sending = new Map<string, Promise<unknown>>();
  readonly #each = new Map<string, number>();
  /** Read and not sent yet, by processor. */
  readonly #taken = new Map<string, StoredJob[]>();
  readonly #rests: Rests;
  readonly #interrupted: InterruptedJobs;
  /** Whether it is about to look who of those that rest is elsewhere by now. */
  #sees = false;
  /** Wakes it when the first rest ends. */
  #alarm: NodeJS.Timeout | undefined;
  /** The batch that becomes jobs now. */
  #batch: NewJobBatch | null = null;
  #running = Promise.resolve();
  #isRunning = false;
  /** Whether the store may have something that was not looked for yet: jobs for somebody with room, or a batch. */
  #looks = false;
  /** Why one could not be sent, and still waits. */
  #failure: { error: unknown } | null = null;
  /** Resolved when something may have come. */
  #news = Promise.withResolvers<void>();

  constructor(store: NetworkStore, needs: QueueNeeds) {
    this.#store = store;
    this.#needs = needs;
    this.#interrupted = new InterruptedJobs(store, needs);
    this.#rests = new Rests(
      () => performance.now(),
      (place) => needs.sender.isLocal(place),
    );
    store.onMoves(() => void this.#seeMoves());
  }

  /**
   * Takes up what a stop of the node left, before anything that waits is sent (interrupted.ts).
   * @throws StorageError where the jobs cannot be read
   */
  resume(): Promise<void> {
    return this.#interrupted.begin();
  }

  /** Resolves when nothing is left that a stop of the node left. @throws StorageError */
  takenUp(): Promise<void> {
    return this.#interrupted.takenUp();
  }

  /** How many of that were taken up so far; null where all are. */
  get resumed(): number | null {
    return this.#interrupted.progress;
  }

  /** A job of a handoff that had not arrived when the node stopped (unanswered.ts). @throws StorageError */
  unanswered(handoff: string): Promise<StoredJob | undefined> {
    return this.#interrupted.unanswered.tell(handoff);
  }

  /** In the background: what is sent does not wait for it. */
  #giveUp(id: string, event: SendingEvent): void {
    const { sender, stop, log } = this.#needs;
    const job = sender.has(id) ? undefined : this.#store.read((db) => findJob(db, id));
    if (!job) return;
    sender.giveUp(this.#store, job, event).catch((error: unknown) => {
      if (!stop.aborted) log.error({ err: error, job: id }, 'a job could not be given up; the next start tries again');
    });
  }

  /** There may be something to send. */
  wake(): void {
    this.#looks = true;
    this.#news.resolve();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Resolves when nothing can be sent now, or the node closes. */
  async idle(): Promise<void> {
    await Promise.all([this.#running, this.#interrupted.idle()]);
  }

  /** Does not throw. */
  async #run(): Promise<void> {
    const { stop, log } = this.#needs;
    for (let pause = firstPauseMs; this.#looks && !stop.aborted; ) {
      try {
        while (await this.#step());
        pause = firstPauseMs;
      } catch (error) {
        if (stop.aborted) break;
        log.error({ err: error }, 'jobs that wait could not be sent; they are tried again');
        this.#looks = true;
        await sleep(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
        pause = Math.min(2 * pause, longestPauseMs);
      }
    }
    // Right after the last look: what wakes it from here on is looked for anew.
    this.#isRunning = false;
  }

  /**
   * Sends what can be sent, else makes jobs of the next part of a batch, else waits until one has been sent or more has
   * come: who is busy holds up nobody but himself. False where nothing is left. Throws where one could not be sent.
   */
  async #step(): Promise<boolean> {
    const { stop } = this.#needs;
    await this.#interrupted.takenUp();
    const { lost } = this.#interrupted;
    for (const [id, event] of lost) this.#giveUp(id, event);
    lost.clear();
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
    const mayBegin = () => !stop.aborted && this.#sending.size < mostAtOnce.all;
    if (mayBegin() && this.#startTaken()) return true;
    if (mayBegin() && this.#looks) {
      // Who gets room meanwhile is looked for again.
      this.#looks = false;
      if ((await this.#sendSome()) || (await this.#expand())) this.#looks = true;
    }
    if (mayBegin() && this.#looks) return true;
    if (this.#sending.size === 0) return false;
    this.#news = Promise.withResolvers();
    await Promise.race([this.#news.promise, ...this.#sending.values()]);
    return true;
  }

  /** Makes jobs of the next part of the oldest batch whose processor has room; false where there is none. */
  async #expand(): Promise<boolean> {
    const found = this.#store.look((db) => openBatch(db, this.#busy()));
    if (!found) {
      this.#batch = null;
      return false;
    }
    const { id, next } = found;
    if (this.#batch?.id !== id) this.#batch = this.#store.look((db) => findBatch(db, id)) ?? null;
    const batch = this.#batch;
    if (!batch) return false;
    const end = Math.min(next + perSlice, batch.items.length);
    const rows = batch.items.slice(next, end).flatMap((item) => batchJob(batch, item, `job_${this.#needs.newUlid()}`));
    await this.#store.submit([
      this.#needs.sender.commit([...rows, { kind: 'job_batch_step', id: batch.id, next: end }]),
    ]);
    return true;
  }

  /** Processors without room, and those that rest. */
  #busy(): string[] {
    const full = [...this.#each.keys()].filter((processor) => !this.#hasRoom(processor));
    return [...full, ...this.#rests.processors()];
  }

  /** Sends the oldest that wait for processors with room; false where there are none. */
  async #sendSome(): Promise<boolean> {
    for (let after: number | null = 0; after !== null; after = this.#take(after)) {
      if (this.#startTaken()) return true;
      await setImmediate();
      if (this.#needs.stop.aborted) break;
    }
    return this.#startTaken();
  }

  /** Takes some of those that wait for processors with room, of which none has been taken; after which key to look on. */
  #take(after: number): number | null {
    const { sender, now } = this.#needs;
    const processors = [...this.#busy(), ...this.#taken.keys()];
    const except = { processors, ids: [...this.#sending.keys(), ...this.#rests.jobs()] };
    const { jobs, next } = this.#store.read((db) => queuedJobs(db, { after, except, limit: perRead, nowMs: now() }));
    for (const job of jobs) {
      if (sender.has(job.id)) continue;
      const taken = this.#taken.get(job.processor) ?? [];
      taken.push(job);
      this.#taken.set(job.processor, taken);
    }
    return next;
  }

  #startTaken(): boolean {
    const before = this.#sending.size;
    for (const [processor, jobs] of this.#taken) {
      while (jobs.length > 0 && this.#hasRoom(processor)) {
        const job = jobs.shift()!;
        if (job.expires > this.#needs.now()) this.#start(job);
      }
      if (jobs.length === 0) this.#taken.delete(processor);
    }
    return this.#sending.size > before;
  }

  #hasRoom(processor: string): boolean {
    const each = this.#rests.isTried(processor) ? 1 : mostAtOnce.each;
    const isFree = this.#sending.size < mostAtOnce.all && (this.#each.get(processor) ?? 0) < each;
    return isFree && !this.#rests.isResting(processor);
  }

  #start(job: StoredJob): void {
    const { processor } = job;
    this.#each.set(processor, (this.#each.get(processor) ?? 0) + 1);
    const failed = (error: unknown) => {
      this.#failure = { error };
    };
    const place = this.#placeOf(processor);
    const sent = this.#needs.sender
      .attempt(this.#store, job)
      .then((sending) => {
        this.#rests.note(job, sending, place);
        this.#setAlarm();
      })
      .catch(failed)
      .finally(() => {
        this.#sending.delete(job.id);
        this.#looks ||= !this.#taken.has(processor);
        const left = (this.#each.get(processor) ?? 1) - 1;
        if (left === 0) this.#each.delete(processor);
        else this.#each.set(processor, left);
      });
    this.#sending.set(job.id, sent);
  }

  /** What rests at one address is sent to another one at once, or refused where its processor is out of use. Does not throw. */
  async #seeMoves(): Promise<void> {
    if (this.#sees) return;
    this.#sees = true;
    await setImmediate();
    this.#sees = false;
    if (!this.#rests.endMoved((processor) => this.#placeOf(processor))) return;
    this.wake();
    this.#setAlarm();
  }

  /** The endpoint of a processor; null while it has none in use, or cannot be read. */
  #placeOf(processor: string): string | null {
    try {
      const standing = this.#store.look((db) => findStanding(db, processor));
      const { endpoint, status } = standing?.manifest.properties ?? {};
      if (!standing || standing.deleted || status === 'disabled') return nowhere;
      return status === 'active' && typeof endpoint === 'string' ? endpoint : null;
    } catch {
      return null;
    }
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const ms = this.#rests.next();
    if (ms === null || this.#needs.stop.aborted) return;
    this.#alarm = setTimeout(() => {
      this.wake();
      this.#setAlarm();
    }, ms).unref();
  }
}
