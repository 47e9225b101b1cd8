import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { closing, UnavailableError } from '../../errors.ts';
import { isOfStart, withoutThread } from './without-thread.ts';

type RunOptions = NonNullable<Parameters<Piscina['run']>[1]>;

/** Of what is not the same for all pools. */
interface ThreadPoolOptions {
  /** The module that its threads begin with, and whose functions they run where a task names no other. */
  module: URL;
  maxThreads: number;
  /** How much a thread does at a time. */
  together?: number;
  /** Milliseconds without work after which a thread ends. */
  idleTimeout: number;
  resourceLimits: { maxYoungGenerationSizeMb: number; maxOldGenerationSizeMb?: number };
  /**
   * Hears of what no task hears of, which nobody misses: an answer that came as its task was given up, a thread that ended idle.
   */
  failed?: (error: unknown) => void;
}

/** Threads that are started when first needed. */
export function threadPool({ module, together = 1, failed, ...options }: ThreadPoolOptions): ThreadPool {
  const start = () =>
    new Piscina({
      filename: fileURLToPath(module),
      ...options,
      minThreads: 0,
      concurrentTasksPerWorker: together,
      atomics: 'disabled',
      recordTiming: false,
    });
  return new ThreadPool(start, failed);
}

/** How often it is looked whether all threads have begun, in milliseconds. */
const betweenMs = 5;

/** What Piscina rejects with what has waited in a pool that is given up or closed. */
const givenUp = 'Terminating worker thread';

/**
 * A Piscina that leaves nothing waiting: one without threads starts none for what waits in it already, when the last one has died
 * before it was ready, say, for want of memory or of open files.
 */
export class ThreadPool {
  readonly #start: () => Piscina;
  readonly #failed: (error: unknown) => void;
  #pool: Piscina | null = null;
  /** Threads that have loaded the module. */
  readonly #begun = new WeakSet<Worker>();
  /** Those that were given up, with what is known of why. */
  readonly #lost = new WeakMap<Piscina, unknown>();
  /** Those that are closed, which give up what is still at work. */
  readonly #closing = new WeakSet<Piscina>();

  constructor(start: () => Piscina, failed: (error: unknown) => void = () => undefined) {
    this.#start = start;
    this.#failed = failed;
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /** @throws UnavailableError where the thread that it waits for dies, or the pool is closed; what the task throws, or its own thread dies of */
  async run<T>(task: unknown, options: RunOptions): Promise<T> {
    this.#pool ??= this.#started();
    const pool = this.#pool;
    try {
      return (await this.#asked(pool, task, options)) as T;
    } catch (error) {
      if (this.#closing.has(pool) && isGivenUp(error)) throw new UnavailableError(closing);
      if (this.#lost.has(pool) && isGivenUp(error)) throw withoutThread(this.#lost.get(pool));
      throw isOfStart(error) ? withoutThread(error) : error;
    }
  }

  #asked(pool: Piscina, task: unknown, options: RunOptions): Promise<unknown> {
    try {
      return pool.run(task, options);
    } catch (error) {
      // The system has refused a thread outright, and the task waits unheard of in this pool, which would reject it if it was ended.
      if (this.#pool === pool) this.#pool = null;
      throw withoutThread(error);
    }
  }

  #started(): Piscina {
    const pool = this.#start();
    let fault: unknown;
    // An error event that nobody listens to ends the process.
    pool.on('error', (error: unknown) => {
      fault = error;
      this.#failed(error);
    });
    pool.on('workerCreate', ({ id }: { id: number }) => {
      for (const thread of pool.threads) if (thread.threadId === id) this.#begun.add(thread);
    });
    pool.on('workerDestroy', () =>
      // It is told in the middle of the thread's removal.
      queueMicrotask(() => {
        if (pool.threads.length > 0 || pool.queueSize === 0) return;
        if (this.#pool === pool) this.#pool = null;
        this.#lost.set(pool, fault);
        void pool.destroy();
      }),
    );
    return pool;
  }

  /** Ends the threads once they have done what they do; of several, once the first has. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    if (pool) this.#closing.add(pool);
    await pool?.close();
  }

  /** Ends them at once, but for those that have not loaded the module: these as soon as they have (sqlite-thread.ts). */
  async destroy(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    if (pool) this.#closing.add(pool);
    while (pool?.threads.some((thread) => !this.#begun.has(thread))) await setTimeout(betweenMs);
    await pool?.destroy();
  }
}

function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.message === givenUp;
}
