import { closing, StorageError } from '../../errors.ts';
import { type Asker, AskerTurns } from './asker-turns.ts';
import type { FailedWork } from './failed-work.ts';
import type { LongRead } from './long-reads.ts';
import { type ThreadPool, threadPool } from './thread-pool.ts';
import { workerUrl } from './worker-url.ts';

const maxThreads = 2;
const lookMs = 100;

/** Two threads for the long reads of all networks, started when first needed and ended soon after, with the memory that they hold. */
export class ReaderThreads implements AsyncDisposable {
  #pool: ThreadPool | null = null;
  #closed = false;
  readonly #turns = new AskerTurns(maxThreads, 'long reads');

  /** Whether one is there. */
  get running(): boolean {
    return this.#pool !== null && this.#pool.threads > 0;
  }

  /**
   * Where `signal` is aborted, the read is given up, with the thread that it is on; where `asker` leaves, what can end sooner
   * does, with less than it would have found. See AskerTurns.take.
   */
  run(read: LongRead, signal: AbortSignal, asker: Asker | null): Promise<Uint8Array | FailedWork> {
    return this.#turns.take(asker, () => whileWaitedFor(asker, (left) => this.#run({ ...read, left }, signal)));
  }

  async #run(read: LongRead, signal: AbortSignal): Promise<Uint8Array | FailedWork> {
    if (this.#closed || signal.aborted) throw new StorageError(closing);
    this.#pool ??= threadPool({
      module: workerUrl('reader-thread'),
      maxThreads,
      idleTimeout: 5000,
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    return this.#pool.run(read, { name: 'runLongRead', signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = null;
    await pool?.destroy();
  }
}

/** Looks now and then whether `asker` is still there, and sets the flag of a read when it is not. */
async function whileWaitedFor<T>(asker: Asker | null, read: (left?: Int32Array) => Promise<T>): Promise<T> {
  if (!asker?.hasLeft) return read();
  const left = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const look = setInterval(() => {
    if (asker.hasLeft?.()) Atomics.store(left, 0, 1);
  }, lookMs);
  try {
    return await read(left);
  } finally {
    clearInterval(look);
  }
}
