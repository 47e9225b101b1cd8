import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Config } from './config.ts';
import { BusyError } from './errors.ts';
import type { EndpointRequest } from './http/endpoint.ts';
import { type LargeAnswer, type LargeRequest, type LargeRequests, weight } from './http/large-requests.ts';
import type { Log } from './log.ts';
import type { Network } from './model/ids.ts';
import { maxOnLoop } from './model/large.ts';
import type { AdditiveTask, RequestTask, Submission, SubmissionAnswer } from './request-thread.ts';
import type { AdditiveGroup } from './store/additive.ts';
import type { Commit } from './store/commit.ts';
import { entitySize } from './store/entities.ts';
import type { NetworkStore } from './store/network-store.ts';
import type { Networks } from './store/networks.ts';
import { storageError } from './store/storage-error.ts';
import { versionSize } from './store/versions.ts';

export interface RequestPoolNeeds {
  config: Config;
  networks: Networks;
  /** Epoch milliseconds. */
  now: () => number;
  log: Log;
}

/** Bytes of bodies that wait or are worked on at most. */
const maxWaiting = 128 * 1024 * 1024;

/**
 * Serves large requests on two threads with services of their own, started when first needed and ended after a minute
 * without work. They read the databases by themselves; what they write comes back to this thread's one door.
 */
export class RequestPool implements LargeRequests, AsyncDisposable {
  readonly #needs: RequestPoolNeeds;
  #pool: Piscina | null = null;
  #waiting = 0;
  /** Requests under way or waiting. */
  underWay = 0;

  constructor(needs: RequestPoolNeeds) {
    this.#needs = needs;
  }

  isLarge(request: EndpointRequest): boolean {
    const sizes = {
      ofEntity: (network: Network, id: string) =>
        this.#look(network, (store) => store.look((db) => entitySize(db, id))),
      ofVersion: (network: Network, cid: string) =>
        this.#look(network, (store) => store.look((db) => versionSize(db, cid))),
    };
    return weight(request, sizes) > maxOnLoop;
  }

  /** A network that nobody has used yet is opened by the request itself, which waits for that. */
  #look(network: Network, size: (store: NetworkStore) => number): number {
    const store = this.#needs.networks.get(network);
    return store instanceof Promise ? 0 : size(store);
  }

  async serve(request: LargeRequest): Promise<LargeAnswer> {
    const store = await this.#needs.networks.get(request.caller.network);
    const size = request.bytes?.length ?? 0;
    if (this.#waiting > 0 && this.#waiting + size > maxWaiting) throw new BusyError();
    this.#waiting += size;
    this.underWay++;
    const { port1: ours, port2: theirs } = new MessageChannel();
    ours.on('message', ({ commits }: Submission) => void submit(store, commits, ours));
    try {
      return await this.#run({ request, port: theirs, now: this.#needs.now(), config: this.#needs.config });
    } finally {
      ours.close();
      this.#waiting -= size;
      this.underWay--;
    }
  }

  /** See AdditivePreparer. */
  prepareAdditive(network: Network, group: AdditiveGroup, attempts: number): Promise<Commit> {
    this.#pool ??= this.#start();
    const task: AdditiveTask = { network, group, attempts, now: this.#needs.now(), config: this.#needs.config };
    return this.#pool.run(task, { name: 'prepareAdditive' }) as Promise<Commit>;
  }

  #run(task: RequestTask): Promise<LargeAnswer> {
    this.#pool ??= this.#start();
    const { bytes } = task.request;
    const transferList: TransferListItem[] = [task.port];
    if (bytes && bytes.byteLength === bytes.buffer.byteLength) transferList.push(bytes.buffer as ArrayBuffer);
    return this.#pool.run(task, { name: 'serveLarge', transferList }) as Promise<LargeAnswer>;
  }

  #start(): Piscina {
    const pool = new Piscina({
      filename: fileURLToPath(threadUrl()),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 60_000,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    pool.on('error', (error: unknown) => this.#needs.log.error({ error }, 'a request thread failed'));
    return pool;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.close();
    this.#pool = null;
  }
}

/** Beside this file, as source or as built. */
function threadUrl(): URL {
  return new URL(`./request-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}

async function submit(store: NetworkStore, commits: Commit[], port: MessagePort): Promise<void> {
  const post = (answer: SubmissionAnswer) => port.postMessage(answer);
  try {
    post({ outcomes: await store.submit(commits) });
  } catch (error) {
    post(error instanceof BusyError ? { busy: error.retryAfter } : { failed: storageError(error) });
  }
}
