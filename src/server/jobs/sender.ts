import { setTimeout as sleep } from 'node:timers/promises';
import { beginsAgain } from '../kit/job-error.ts';
import type { Network } from '../model/ids.ts';
import type { JobRequest } from '../model/job-request.ts';
import { afterSending, pauseBefore, type Sending, type SendingEvent } from '../model/job-state.ts';
import type { Commit } from '../store/commit.ts';
import { findStanding } from '../store/entities.ts';
import { endpointsSince } from '../store/jobs/endpoints-since.ts';
import { handedOn } from '../store/jobs/handed-on.ts';
import { hasOpenLog } from '../store/jobs/interrupted-jobs.ts';
import type { NewJob } from '../store/jobs/job-rows.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { Dispatch, Dispatcher, Outcome } from './dispatch.ts';
import { SharedInputs } from './shared-inputs.ts';

/** What the sender needs to know of a job. */
export type Sendable = Pick<
  NewJob,
  'id' | 'run' | 'parent' | 'type' | 'processor' | 'request' | 'created' | 'expires'
> & {
  sending: Sending;
};

export interface SenderNeeds {
  /** The first that takes an endpoint is used. */
  dispatchers: readonly Dispatcher[];
  /** Where processors reach this node. */
  apiBase: () => string;
  /** Epoch milliseconds. */
  now: () => number;
  log: { error(details: object, message: string): void };
  /** Given when the node closes. */
  stop: AbortSignal;
}

/** What the store did not take is tried again after pauses that grow from one to the other, in milliseconds. */
export const [firstPauseMs, longestPauseMs] = [100, 30_000];

/** Brings recorded requests to processors, and records what becomes of them. */
export class JobSender {
  readonly #needs: SenderNeeds;
  /** By id what is being sent, with the outcome that the store has not taken yet. */
  readonly #inHand = new Map<string, Sending | null>();
  readonly #inputs = new SharedInputs();

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Whether a job is being sent now. */
  has(id: string): boolean {
    return this.#inHand.has(id);
  }

  /** What became of a request, where the store has not taken it yet: its row still says what was before. */
  told(id: string): Sending | null {
    return this.#inHand.get(id) ?? null;
  }

  /** Whether the processor of an endpoint runs within this node. */
  isLocal(endpoint: string): boolean {
    return this.#dispatcherOf(endpoint)?.local === true;
  }

  /** Why a processor of this endpoint cannot work now, where that shows without asking it. */
  async unready(network: Network, id: string, endpoint: string): Promise<string | null> {
    return (await this.#dispatcherOf(endpoint)?.unready?.({ network, id, endpoint })) ?? null;
  }

  /**
   * Sends a job until it has an answer, or nobody can tell, or the node closes. The job is on disk already, as `sent` or
   * `queued`. Resolves when the outcome is on disk. `tell`: given an outcome that the store has refused once, for whoever
   * cannot wait until it takes it. `early`: given that it is taken before that is on disk, too.
   */
  deliver(
    store: NetworkStore,
    job: Sendable,
    tell?: (outcome: Sending) => void,
    { early = false }: { early?: boolean } = {},
  ): Promise<Sending> {
    return this.#inTurn(job, async (sending) => {
      const { stop, now } = this.#needs;
      let current = sending;
      // Also while the node closes: what says that it is under way then has not been sent, and waits for the next start.
      while (now() < job.expires) {
        if (current.state === 'queued') {
          const pause = pauseBefore(current.attempts);
          if (pause > 0) await sleep(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
          if (stop.aborted) break;
          current = await this.#record(store, job.id, current, { kind: 'sending' });
        }
        if (current.state !== 'sent') break;
        const outcome = await this.#send(store, job);
        if (early && outcome.kind === 'accepted') tell?.(afterSending(current, outcome));
        current = await this.#keep(store, job.id, current, outcome, tell);
      }
      return current;
    });
  }

  /**
   * Sends a job that waits once, for nobody who waits for the answer: what does not arrive, or is asked to wait for no longer
   * than it may be sent, waits again. Resolves when the outcome is on disk.
   */
  attempt(store: NetworkStore, job: Sendable): Promise<Sending> {
    return this.#inTurn(job, async (sending) => {
      const sent = await this.#record(store, job.id, sending, { kind: 'sending' });
      if (sent.state !== 'sent') return sent;
      const outcome = patient(await this.#send(store, job), job.expires - this.#needs.now());
      // It may have been under way before a stop of the node.
      return outcome.kind === 'refused'
        ? this.#refuse(store, job, sent, outcome)
        : this.#keep(store, job.id, sent, outcome);
    });
  }

  /** Refuses a job that is not begun again after stops of the node. Resolves when that is on disk, and its log has ended. */
  giveUp(store: NetworkStore, job: Sendable, event: SendingEvent): Promise<Sending> {
    return this.#inTurn(job, (sending) => this.#refuse(store, job, sending, event));
  }

  /** The log first: the next start looks for logs without an end where nothing is refused yet. */
  async #refuse(store: NetworkStore, job: Sendable, from: Sending, event: SendingEvent): Promise<Sending> {
    const end = await this.#endLog(store, job, afterSending(from, event).error ?? '');
    if (end === 'none') return from;
    return this.#keep(store, job.id, from, end === 'done' ? { kind: 'accepted' } : event);
  }

  /** Ends the log of a job that ran within this node and whose time is up. Resolves when that is done, or cannot be. */
  async endLate(store: NetworkStore, job: Sendable): Promise<void> {
    const local = this.#unended(store, job);
    await local?.dispatcher.endLate?.(local.dispatch, this.#needs.stop);
  }

  /** The way to the processor of a job whose log has no end yet, and that can only have run within this node. */
  #unended(store: NetworkStore, { id: job, processor: id, type, created, request }: Sendable): Way | null {
    if (!store.read((db) => hasOpenLog(db, job))) return null;
    const endpoints = store.read((db) => endpointsSince(db, created)(id, created));
    const [endpoint] = endpoints;
    if (endpoint === undefined || !endpoints.every((one) => this.isLocal(one))) return null;
    const dispatcher = this.#dispatcherOf(endpoint);
    return dispatcher
      ? { dispatcher, dispatch: { network: store.network, processor: { id, type, endpoint }, request } }
      : null;
  }

  /** Ends the log that a processor within this node has begun of a job, where it has; `none` where the node stops first. */
  async #endLog(store: NetworkStore, job: Sendable, message: string): Promise<'done' | 'refused' | 'none'> {
    const { stop, log } = this.#needs;
    try {
      const local = this.#unended(store, job);
      if (local === null) return 'refused';
      const isPart = store.read((db) => handedOn(db, [job.id]).has(job.id));
      const why = { message: isPart ? `${message}; ${beginsAgain}` : message, retryable: !isPart };
      if (await local.dispatcher.giveUp?.(local.dispatch, why, stop)) return 'done';
      return stop.aborted ? 'none' : 'refused';
    } catch (error) {
      log.error({ err: error, job: job.id }, 'the log of a job could not be ended');
      return 'refused';
    }
  }

  async #inTurn({ id, sending }: Sendable, send: (sending: Sending) => Promise<Sending>): Promise<Sending> {
    this.#inHand.set(id, null);
    try {
      return await send(sending);
    } finally {
      this.#inHand.delete(id);
    }
  }

  async #send(store: NetworkStore, job: Sendable): Promise<Outcome> {
    const { stop, log } = this.#needs;
    let way: Way | string;
    try {
      way = this.#wayTo(store, job);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'the processor of a job could not be looked up');
      return { kind: 'unreached', error: 'the node could not look up its processor' };
    }
    if (typeof way === 'string') return { kind: 'refused', error: way };
    try {
      return await way.dispatcher.send(way.dispatch, stop);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'a job could not be sent');
      return { kind: 'unknown', error: 'the node failed while it was sent' };
    }
  }

  /** How a job is sent, or why it is not. */
  #wayTo(store: NetworkStore, job: Sendable): Way | string {
    const { type, processor: id, request } = job;
    const place = this.#placeOf(store, job);
    if (typeof place === 'string') return place;
    const { dispatcher, endpoint } = place;
    const input = store.look((db) => this.#inputs.inputOf(db, job));
    const sent: JobRequest = { ...request, ...(input && { input }), api_base: this.#needs.apiBase() };
    return { dispatcher, dispatch: { network: store.network, processor: { id, type, endpoint }, request: sent } };
  }

  #placeOf(
    store: NetworkStore,
    { type, processor }: Pick<Sendable, 'type' | 'processor'>,
  ): { dispatcher: Dispatcher; endpoint: string } | string {
    const standing = store.read((db) => findStanding(db, processor));
    const { endpoint, status } = standing?.manifest.properties ?? {};
    if (standing?.type !== type || standing.deleted || typeof endpoint !== 'string')
      return 'the processor is not here any more';
    if (status === 'disabled') return 'the processor is disabled';
    const dispatcher = this.#dispatcherOf(endpoint);
    return dispatcher ? { dispatcher, endpoint } : 'this node has no way to its endpoint';
  }

  #dispatcherOf(endpoint: string): Dispatcher | undefined {
    return this.#needs.dispatchers.find((one) => one.takes(endpoint));
  }

  /**
   * The state after an outcome, once it is on disk. Nobody could tell it again, so it is tried until the store takes it, or
   * the node closes.
   */
  async #keep(
    store: NetworkStore,
    id: string,
    from: Sending,
    outcome: SendingEvent,
    tell?: (outcome: Sending) => void,
  ): Promise<Sending> {
    const { stop, log } = this.#needs;
    for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
      try {
        const kept = await this.#record(store, id, from, outcome);
        this.#inHand.set(id, null);
        return kept;
      } catch (error) {
        if (stop.aborted) throw error;
        log.error({ err: error, job: id }, 'what became of a job could not be recorded; it is tried again');
        const sending = afterSending(from, outcome);
        this.#inHand.set(id, sending);
        tell?.(sending);
        await sleep(pause, undefined, { signal: stop, ref: false }).catch(() => undefined);
        if (stop.aborted) throw error;
      }
    }
  }

  /** The state after an event, once it is on disk. */
  async #record(store: NetworkStore, id: string, from: Sending, event: SendingEvent): Promise<Sending> {
    const to = afterSending(from, event);
    if (to !== from)
      await store.submit([
        this.commit([{ kind: 'job_sending', id, from: { state: from.state, attempts: from.attempts }, to }]),
      ]);
    return to;
  }

  /** A commit of nothing but rows. */
  commit(rows: Commit['rows']): Commit {
    return { changes: [], preconditions: [], rows, origin: 'local', time: this.#needs.now() };
  }
}

interface Way {
  dispatcher: Dispatcher;
  dispatch: Dispatch;
}

/** What an answer comes to where nobody waits for it, of a job whose permissions end in `leftMs` milliseconds. */
function patient(outcome: Outcome, leftMs: number): SendingEvent {
  const { kind } = outcome;
  const mayAskAgain = kind === 'refused' && outcome.retryAfter !== undefined && outcome.retryAfter * 1000 < leftMs;
  const waits = kind === 'unreached' || mayAskAgain;
  return waits ? { ...outcome, kind: 'put_back' } : outcome;
}
