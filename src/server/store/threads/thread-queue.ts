import { Worker } from 'node:worker_threads';
import type { Block } from '../../blocks/encode.ts';
import { closing, StorageError } from '../../errors.ts';
import type { Checkpoint } from '../checkpoints/checkpoints.ts';
import { blocksTotal, type Commit, type Outcome } from '../commit.ts';
import { type CommitQueue, type QueueLoad, Waiting } from '../commit-queue.ts';
import type { UpgradeStep } from '../migrations/migrate.ts';
import { storageError } from '../storage-error.ts';
import { workerUrl } from './worker-url.ts';
import type { FromWriter, ToWriter, WriterData } from './writer-thread.ts';

const died = 'The writer stopped unexpectedly; it is not known whether this write was kept. Look, then try again.';

/**
 * A queue over a writer thread; resolves once the database is open and migrated. `checkpoint`: null where the writer does it;
 * `upgrading` hears of each step of an upgrade.
 */
export async function threadQueue(
  file: string,
  checkpoint: Checkpoint | null = null,
  upgrading: (step: UpgradeStep) => void = () => undefined,
): Promise<CommitQueue> {
  const asks = checkpoint !== null;
  const queue = new ThreadQueue(
    (fileId) => writerThread({ file, asks, fileId }),
    checkpoint && ((fileId) => checkpoint(file, fileId)),
    upgrading,
  );
  await queue.open();
  return queue;
}

export function writerThread(workerData: WriterData): Worker {
  return new Worker(workerUrl('writer-thread'), {
    workerData,
    // What is written passes through; a smaller nursery would be collected more often than it commits.
    resourceLimits: { maxYoungGenerationSizeMb: 9 },
  });
}

interface Submission {
  seq: number;
  commits: Commit[];
}

/**
 * The network's writer in a thread of its own. A thread that dies takes along what it was sent, and the next submission
 * starts another one.
 */
export class ThreadQueue implements CommitQueue {
  readonly #thread: (fileId: string | null) => Worker;
  readonly #checkpoint: ((fileId: string | null) => Promise<number>) | null;
  readonly #upgrading: (step: UpgradeStep) => void;
  readonly #waiting = new Waiting();
  #worker: Worker | null = null;
  /** Which file the first thread opened: whatever is at its path later, others write to that one alone. */
  #fileId: string | null = null;
  #opening: Promise<void> | null = null;
  #unsent: Submission[] = [];
  #checkpointing: Promise<void> | null = null;
  #checkpointFault: string | null = null;
  #closed: Promise<void> | null = null;

  /**
   * `thread` starts a writer thread; it is called again after one has died, with the place of the database that this had open.
   * `checkpoint`: what such a thread asks for, likewise.
   */
  constructor(
    thread: (fileId: string | null) => Worker,
    checkpoint: ((fileId: string | null) => Promise<number>) | null = null,
    upgrading: (step: UpgradeStep) => void = () => undefined,
  ) {
    this.#thread = thread;
    this.#upgrading = upgrading;
    this.#checkpoint = checkpoint;
  }

  /** Throws StorageError where the database cannot be opened. */
  open(): Promise<void> {
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  #start(): Promise<void> {
    const worker = this.#thread(this.#fileId);
    return new Promise((resolve, reject) => {
      const lost = (reason: string, full = false) => {
        reject(new StorageError(reason, full));
        if (this.#worker === worker) this.#lose(reason, full);
      };
      worker.on('message', (message: FromWriter) => {
        if ('upgrade' in message) this.#upgrading(message.upgrade);
        else if ('failed' in message) lost(message.failed.reason, message.failed.full);
        else if ('ready' in message) {
          this.#worker = worker;
          this.#fileId ??= message.fileId;
          resolve();
        } else if ('due' in message) {
          if (!this.#closed) this.#checkpointing = this.#checkpointed(worker);
        } else this.#waiting.answerGroup(message.answers);
      });
      worker.on('error', (error) => lost(`${died} (${error.message})`));
      worker.on('exit', () => lost(died));
    });
  }

  async #checkpointed(worker: Worker): Promise<void> {
    let checkpointed: number | null = null;
    try {
      checkpointed = (await this.#checkpoint?.(this.#fileId)) ?? null;
      this.#checkpointFault = null;
    } catch (error) {
      // One that a thread of its own has failed to make is made by the writer.
      if (error instanceof StorageError) this.#checkpointFault = error.reason;
    }
    worker.postMessage({ checkpointed } satisfies ToWriter);
  }

  #lose(reason: string, full: boolean): void {
    this.#worker = null;
    this.#opening = null;
    this.#unsent = [];
    this.#waiting.fail(reason, full);
  }

  async submit(commits: Commit[]): Promise<Outcome[]> {
    if (this.#closed) throw new StorageError(closing);
    return this.#waiting.add(commits, (seq) => {
      if (this.#unsent.push({ seq, commits }) === 1) setImmediate(() => void this.#flush());
    });
  }

  /** What one turn of the event loop submitted goes over in one message. */
  async #flush(): Promise<void> {
    if (this.#unsent.length === 0) return;
    try {
      if (!this.#worker) await this.open();
    } catch (error) {
      const { reason, full } = storageError(error);
      this.#lose(reason, full);
      return;
    }
    const submissions = this.#unsent;
    this.#unsent = [];
    if (submissions.length === 0) return;
    try {
      this.#send(submissions);
    } catch (error) {
      // Nothing of these went over; what went before them is still being written.
      for (const { seq } of submissions) this.#waiting.answer(seq, { error: storageError(error) });
    }
  }

  #send(submissions: Submission[]): void {
    const memory = new BlockMemory(submissions.flatMap(({ commits }) => commits));
    const packed = submissions.map(({ seq, commits }) => ({ seq, commits: commits.map((one) => memory.pack(one)) }));
    this.#worker?.postMessage({ submissions: packed } satisfies ToWriter, [memory.buffer]);
  }

  load(): QueueLoad {
    return { ...this.#waiting.load(), checkpointFault: this.#checkpointFault };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#flush();
    // The writer empties the log at its end, which nobody else may be about then.
    await this.#checkpointing;
    const worker = this.#worker;
    if (!worker) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ close: true } satisfies ToWriter);
    await exited;
  }
}

/**
 * The bytes of many blocks in one piece of memory, which changes threads as it is: memory for each would have to be made
 * and freed on both sides, and a block that shares its memory with others would take along all of it.
 */
class BlockMemory {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;

  constructor(commits: Commit[]) {
    let size = 0;
    for (const commit of commits) size += blocksTotal(commit).bytes;
    this.#bytes = new Uint8Array(size);
  }

  get buffer(): ArrayBuffer {
    return this.#bytes.buffer;
  }

  pack(commit: Commit): Commit {
    return {
      ...commit,
      changes: commit.changes.map((change) => ({ ...change, blocks: change.blocks.map((block) => this.#put(block)) })),
      rows: commit.rows.map((row) =>
        'blocks' in row ? { ...row, blocks: row.blocks.map((one) => this.#put(one)) } : row,
      ),
    };
  }

  #put({ cid, bytes }: Block): Block {
    const start = this.#used;
    this.#used += bytes.length;
    this.#bytes.set(bytes, start);
    return { cid, bytes: this.#bytes.subarray(start, this.#used) };
  }
}
