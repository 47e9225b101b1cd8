import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { StorageError } from '../errors.ts';
import { closing } from './commit-queue.ts';
import type { LongRead, longReads } from './long-reads.ts';
import type { FailedRead } from './reader-thread.ts';
import { workerUrl } from './worker-url.ts';

/** Where long reads run. */
export interface LongReader {
  /** The JSON text of a long read, as UTF-8. Throws StorageError where the database failed. */
  run<N extends keyof typeof longReads>(read: LongRead<N>): Promise<Uint8Array>;
  /** Reads under way or waiting. */
  readonly underWay: number;
  close(): Promise<void>;
}

/** Runs a brief read on a thread that is there for something else and has nothing to do; null where there is none. */
export type Lend = (read: LongRead) => Promise<Uint8Array | FailedRead | null>;

/** Reads of some milliseconds: a second thread, which weighs 35 MB, is not worth having for one that could wait. */
const brief: ReadonlySet<keyof typeof longReads> = new Set(['runStatus', 'storedJson']);
/** More of these than wait for one another are no longer brief. */
const inTurn = 2;

/** Two threads for long reads, started when first needed and ended soon after, with the memory that they hold. */
export class ReaderPool implements LongReader {
  #pool: Piscina | null = null;
  underWay = 0;
  #brief: Promise<unknown> = Promise.resolve();
  #briefly = 0;
  #closed = false;
  readonly #lend: Lend | null;

  constructor(lend: Lend | null = null) {
    this.#lend = lend;
  }

  async run<N extends keyof typeof longReads>(read: LongRead<N>): Promise<Uint8Array> {
    if (!brief.has(read.name) || this.#briefly >= inTurn) return this.#run(read);
    this.#briefly++;
    const done = this.#brief.then(() => this.#runBriefly(read)).finally(() => this.#briefly--);
    this.#brief = done.catch(() => undefined);
    return done;
  }

  async #runBriefly<N extends keyof typeof longReads>(read: LongRead<N>): Promise<Uint8Array> {
    if (this.#closed) throw new StorageError(closing);
    // A thread of this pool is there already, or nobody has one.
    if (!this.#lend || (this.#pool && this.#pool.threads.length > 0)) return this.#run(read);
    this.underWay++;
    try {
      const lent = await this.#lend(read);
      if (lent !== null) return readResult(lent);
    } finally {
      this.underWay--;
    }
    return this.#run(read);
  }

  async #run<N extends keyof typeof longReads>(read: LongRead<N>): Promise<Uint8Array> {
    if (this.#closed) throw new StorageError(closing);
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl('reader-thread')),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 5000,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    this.underWay++;
    try {
      return readResult((await this.#pool.run(read, { name: 'runLongRead' })) as Uint8Array | FailedRead);
    } finally {
      this.underWay--;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
    this.#pool = null;
  }
}

export function readResult(result: Uint8Array | FailedRead): Uint8Array {
  if ('failed' in result) throw new StorageError(result.failed.reason, result.failed.full);
  return result;
}
