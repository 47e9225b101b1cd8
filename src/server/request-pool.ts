import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import type { Config } from './config.ts';
import { BusyError, closing, refusalAgain, UnavailableError } from './errors.ts';
import type { EndpointRequest } from './http/endpoint.ts';
import {
  type LargeAnswer,
  type LargeRequest,
  type LargeRequests,
  type ShortBody,
  weight,
} from './http/large-requests.ts';
import type { Log } from './log.ts';
import { type Caller, plainCaller } from './model/caller.ts';
import type { Network } from './model/ids.ts';
import { maxOnLoop, type UnnamedVersions } from './model/large.ts';
import type {
  AdditiveTask,
  Arrivals,
  CutFinding,
  EnterAnswer,
  EnterTask,
  RequestTask,
  Submission,
  SubmissionAnswer,
  ToolAnswer,
  ToolTask,
  Turn,
} from './request-thread.ts';
import type { AdditiveGroup } from './store/additive.ts';
import type { Commit } from './store/commit.ts';
import { entitySize, findTip, largestSize } from './store/entities.ts';
import type { OpenFiles } from './store/file-identity.ts';
import type { NetworkStore } from './store/network-store.ts';
import type { Networks } from './store/networks.ts';
import { storageError } from './store/storage-error.ts';
import { type Asker, AskerTurns } from './store/threads/asker-turns.ts';
import type { FailedWork } from './store/threads/failed-work.ts';
import type { LongRead } from './store/threads/long-reads.ts';
import { type ThreadPool, threadPool } from './store/threads/thread-pool.ts';
import { workerUrl } from './store/threads/worker-url.ts';
import { historySize, pairSize, versionSize } from './store/versions.ts';

export interface RequestPoolNeeds {
  config: Config;
  networks: Networks;
  /** Of the databases that the node has open. */
  openFiles: () => OpenFiles;
  /** Epoch milliseconds. */
  now: () => number;
  log: Log;
}

/** A task that has not had its turn yet, which gives it its time. */
type Waiting<Task> = Omit<Task, keyof Turn>;

interface TaskOptions {
  name: string;
  transferList?: TransferListItem[];
  /** See AskerTurns.take. */
  goesOn?: boolean;
}

/** Bytes of bodies that wait or are worked on at most. */
const maxWaiting = 128 * 1024 * 1024;
const retryAfter = 5;
const tooLarge = 'Too many large bodies wait for their turn; try again.';
const maxThreads = 2;
/** How long a brief read waits for a thread of this pool to have time. */
const patienceMs = 2000;
const isLate = Symbol('late');
const readerTask = { filename: fileURLToPath(workerUrl('reader-thread')), name: 'runLongRead' };

/**
 * Serves large requests on two threads with services of their own, started when first needed and ended after a minute
 * without work. They read the databases by themselves; what they write comes back to this thread's one door.
 */
export class RequestPool implements LargeRequests, AsyncDisposable {
  readonly #needs: RequestPoolNeeds;
  #pool: ThreadPool | null = null;
  #waiting = 0;
  readonly #turns = new AskerTurns(maxThreads, 'large requests');
  #closed = false;
  /** What the threads do now. */
  readonly #working = new Set<Promise<unknown>>();
  /** The brief read that is lent a thread. */
  #lent: Promise<unknown> | null = null;
  /** Requests under way or waiting. */
  underWay = 0;

  constructor(needs: RequestPoolNeeds) {
    this.#needs = needs;
  }

  isLarge(request: EndpointRequest, unnamed?: UnnamedVersions): boolean {
    const sizes = {
      ofEntity: (network: Network, id: string) =>
        this.#look(network, (store) => store.look((db) => entitySize(db, id))),
      ofVersion: (network: Network, cid: string) =>
        this.#look(network, (store) => store.look((db) => versionSize(db, cid))),
      ofHistory: (network: Network, id: string, from: string | null) =>
        this.#look(network, (store) => store.read((db) => historySize(db, id, from))),
      ofPair: (network: Network, id: string, cid: string | null) =>
        this.#look(network, (store) => store.read((db) => pairSize(db, cid ?? findTip(db, id) ?? ''))),
      ofLargest: (network: Network, id: string) =>
        this.#look(network, (store) => store.look((db) => largestSize(db, id))),
    };
    return weight(request, sizes, unnamed) > maxOnLoop;
  }

  /** A network that nobody has used yet is opened by the request itself, which waits for that. */
  #look(network: Network, size: (store: NetworkStore) => number): number {
    const store = this.#needs.networks.get(network);
    return store instanceof Promise ? 0 : size(store);
  }

  async serve(request: LargeRequest, asker: Asker): Promise<LargeAnswer> {
    const store = await this.#needs.networks.get(request.caller.network);
    return this.#waited(request.bytes, () =>
      submitting(store, (port) => {
        const transferList = [port, ...givenAway(request.bytes)];
        const task: Waiting<RequestTask> = { request, port };
        return this.#work<LargeAnswer>(task, { name: 'serveLarge', transferList }, asker);
      }),
    );
  }

  /** See ContentService.enter. @throws what that throws; BusyError where too much waits already */
  enterContent(asker: Caller, arrival: Arrivals['enterContent']['arrival']) {
    return this.#enter('enterContent', asker, arrival, arrival.hasCome);
  }

  /** See FilesService.enter. @throws likewise */
  enterFile(asker: Caller, arrival: Arrivals['enterFile']['arrival']) {
    return this.#enter('enterFile', asker, arrival, arrival.came !== null);
  }

  async #enter<N extends keyof Arrivals>(
    name: N,
    asker: Caller,
    arrival: Arrivals[N]['arrival'],
    hasCome: boolean,
  ): Promise<Arrivals[N]['entered']> {
    const store = await this.#needs.networks.get(asker.network);
    const answer = await this.#waited(undefined, () =>
      submitting(store, (port) => {
        const task: Waiting<EnterTask<N>> = { caller: plainCaller(asker), arrival, port };
        return this.#work<EnterAnswer<N>>(task, { name, transferList: [port], goesOn: hasCome }, asker);
      }),
    );
    if ('refused' in answer) throw refusalAgain(answer.refused);
    return answer.entered;
  }

  shortenChat(bytes: Uint8Array, asker: Asker): Promise<ShortBody> {
    const options = { name: 'shortenChat', transferList: givenAway(bytes) };
    return this.#waited(bytes, () => this.#work<ShortBody>({ bytes }, options, asker));
  }

  async #waited<T>(bytes: Uint8Array | undefined, work: () => Promise<T>): Promise<T> {
    const size = bytes?.length ?? 0;
    if (this.#waiting > 0 && this.#waiting + size > maxWaiting) throw new BusyError(retryAfter, tooLarge);
    this.#waiting += size;
    this.underWay++;
    try {
      return await work();
    } finally {
      this.#waiting -= size;
      this.underWay--;
    }
  }

  /** Whether what a tool of language models is to read is too much for the event loop. */
  namesLarge(caller: Caller, args: unknown, unnamed?: UnnamedVersions): boolean {
    const { id, cid, from, to } = Object(args) as Record<string, unknown>;
    return this.isLarge({ caller, params: { id, cid }, query: { from, to }, headers: {} }, unnamed);
  }

  /** Uses such a tool. @throws UnavailableError with what the tool refuses */
  async runTool(name: string, asker: Caller, args: unknown): Promise<CutFinding> {
    await this.#needs.networks.get(asker.network);
    const task: Waiting<ToolTask> = { name, caller: plainCaller(asker), args };
    const answer = await this.#work<ToolAnswer>(task, { name: 'runTool' }, asker);
    if ('refused' in answer) throw new UnavailableError(answer.refused);
    return answer.found;
  }

  /** See AdditivePreparer. */
  prepareAdditive(network: Network, group: AdditiveGroup, attempts: number): Promise<Commit> {
    const task: Waiting<AdditiveTask> = { network, group, attempts };
    return this.#work<Commit>(task, { name: 'prepareAdditive' }, null);
  }

  /**
   * Runs a brief read on a thread that is there already, which spares the node one for it alone; null where there is
   * none, or none has time soon.
   */
  async lend(read: LongRead): Promise<Uint8Array | FailedWork | null> {
    const late = setTimeout(patienceMs, isLate, { ref: false });
    const idle = () => !this.#lent && this.#working.size < this.#threads;
    while (this.#threads > 0 && !idle()) {
      const ends = [...this.#working, ...(this.#lent ? [this.#lent] : [])];
      if ((await Promise.race([...ends, late])) === isLate) return null;
    }
    if (!this.#pool || this.#threads === 0) return null;
    const lent = this.#pool.run<Uint8Array | FailedWork>(read, readerTask);
    this.#lent = settled(lent).finally(() => {
      this.#lent = null;
    });
    return lent;
  }

  get #threads(): number {
    return this.#pool?.threads ?? 0;
  }

  /** @throws what AskerTurns.take does; UnavailableError where the node closes */
  #work<T>(task: object, { goesOn, ...options }: TaskOptions, asker: Asker | null): Promise<T> {
    const work = async () => {
      // A second thread is not started for what the first one does next.
      while (this.#lent) await this.#lent;
      if (this.#closed) throw new UnavailableError(closing);
      this.#pool ??= this.#start();
      // The time of its turn: a task may have waited longer than a permission lasts, and while others wrote.
      const { now, config, openFiles } = this.#needs;
      const begun = { ...task, now: now(), config, openFiles: openFiles() };
      const done = this.#pool.run<T>(begun, options);
      const over = settled(done).finally(() => this.#working.delete(over));
      this.#working.add(over);
      return done;
    };
    return this.#turns.take(asker, work, goesOn);
  }

  #start(): ThreadPool {
    return threadPool({
      module: workerUrl('request-thread', import.meta.url),
      maxThreads,
      idleTimeout: 60_000,
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
      failed: (error) => this.#needs.log.error({ error }, 'a request thread failed'),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#pool?.close();
    this.#pool = null;
  }
}

/** Bytes that fill their memory change hands with it; others are copied. */
function givenAway(bytes: Uint8Array | undefined): TransferListItem[] {
  return bytes && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
}

/** Resolves when it has ended, however. */
const settled = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  );

/** Gives work on a thread a way to this one's writer. */
async function submitting<T>(store: NetworkStore, work: (port: MessagePort) => Promise<T>): Promise<T> {
  const { port1: ours, port2: theirs } = new MessageChannel();
  ours.on('message', ({ commits }: Submission) => void submit(store, commits, ours));
  try {
    return await work(theirs);
  } finally {
    ours.close();
  }
}

async function submit(store: NetworkStore, commits: Commit[], port: MessagePort): Promise<void> {
  const post = (answer: SubmissionAnswer) => port.postMessage(answer);
  try {
    post({ outcomes: await store.submit(commits) });
  } catch (error) {
    if (error instanceof BusyError) post({ busy: { retryAfter: error.retryAfter, reason: error.sentence } });
    else post({ failed: storageError(error) });
  }
}
