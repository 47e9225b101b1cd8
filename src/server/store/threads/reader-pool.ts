import { closing, StorageError } from '../../errors.ts';
import type { Asker } from './asker-turns.ts';
import { type FailedWork, workResult } from './failed-work.ts';
import type { LongRead, longReads } from './long-reads.ts';
import type { ReaderThreads } from './reader-threads.ts';

/** Where long reads run. */
export interface LongReader {
  /**
   * The JSON text of a long read, as UTF-8; without `asker` the node's own work. Throws StorageError where the database
   * failed, and what AskerTurns.take does.
   */
  run<N extends keyof typeof longReads>(read: LongRead<N>, asker?: Asker | null): Promise<Uint8Array>;
  /** Reads under way or waiting. */
  readonly underWay: number;
  /** Gives up what is under way, and takes no more. */
  close(): void;
}

/** Runs a brief read on a thread that is there for something else and has nothing to do; null where there is none. */
export type Lend = (read: LongRead) => Promise<Uint8Array | FailedWork | null>;

/** Reads of some milliseconds: a second thread, which weighs 35 MB, is not worth having for one that could wait. */
const brief: ReadonlySet<keyof typeof longReads> = new Set(['runStatus', 'storedJson']);
/** More of these than wait for one another are no longer brief. */
const inTurn = 2;

/** The long reads of one network, on threads that it may share with others. */
export class ReaderPool implements LongReader {
  underWay = 0;
  #brief: Promise<unknown> = Promise.resolve();
  #briefly = 0;
  readonly #closed = new AbortController();
  readonly #threads: ReaderThreads;
  readonly #lend: Lend | null;

  constructor(threads: ReaderThreads, lend: Lend | null = null) {
    this.#threads = threads;
    this.#lend = lend;
  }

  async run<N extends keyof typeof longReads>(read: LongRead<N>, asker: Asker | null = null): Promise<Uint8Array> {
    if (!brief.has(read.name) || this.#briefly >= inTurn) return this.#run(read, asker);
    this.#briefly++;
    const done = this.#brief.then(() => this.#runBriefly(read, asker)).finally(() => this.#briefly--);
    this.#brief = done.catch(() => undefined);
    return done;
  }

  async #runBriefly<N extends keyof typeof longReads>(read: LongRead<N>, asker: Asker | null): Promise<Uint8Array> {
    if (this.#closed.signal.aborted) throw new StorageError(closing);
    // A thread of its own is there already, or nobody has one.
    if (!this.#lend || this.#threads.running) return this.#run(read, asker);
    this.underWay++;
    try {
      const lent = await this.#lend(read);
      if (lent !== null) return workResult(lent);
    } finally {
      this.underWay--;
    }
    return this.#run(read, asker);
  }

  async #run<N extends keyof typeof longReads>(read: LongRead<N>, asker: Asker | null): Promise<Uint8Array> {
    const { signal } = this.#closed;
    if (signal.aborted) throw new StorageError(closing);
    this.underWay++;
    try {
      return workResult(await this.#threads.run(read, signal, asker));
    } catch (error) {
      throw signal.aborted ? new StorageError(closing) : error;
    } finally {
      this.underWay--;
    }
  }

  close(): void {
    this.#closed.abort();
  }
}
