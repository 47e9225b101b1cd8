import { Worker } from 'node:worker_threads';
import { BusyError, StorageError } from '../errors.ts';
import { type Commit, maxVersionsPerCommit, type Outcome } from './commit.ts';
import { openWriter } from './connection.ts';
import { type Answer, GroupCommit } from './group.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

/** The one door for writes: submissions go to the network's writer, and each is answered when it is on disk. */
export interface CommitQueue {
  /**
   * One outcome for each commit, in order; each commit is all or nothing. Throws BusyError when 64 MB wait already,
   * StorageError where the database failed: then nothing of the group in hand is kept.
   */
  submit(commits: Commit[]): Promise<Outcome[]>;
  close(): Promise<void>;
}

const maxWaitingBytes = 64 * 1024 * 1024;

function sizeOf(commits: Commit[]): number {
  let size = 0;
  for (const commit of commits) {
    let versions = 0;
    for (const change of commit.changes) {
      versions += change.blocks.length;
      for (const block of change.blocks) size += block.bytes.length;
    }
    if (versions > maxVersionsPerCommit) throw new Error(`a commit of ${versions} versions`);
    size += 256;
  }
  return size;
}

function outcomes(answer: Answer): Outcome[] {
  if ('error' in answer) throw new StorageError(answer.error.reason, answer.error.full);
  return answer.outcomes;
}

/** A queue over a writer in this thread: for tests, and for tools that open the store by themselves. */
export function inProcessQueue(file: string): CommitQueue {
  const group = new GroupCommit(() => openWriter(file));
  return {
    submit: (commits) =>
      new Promise((resolve, reject) => {
        sizeOf(commits);
        group.submit(commits, (answer) => {
          try {
            resolve(outcomes(answer));
          } catch (error) {
            reject(error);
          }
        });
      }),
    close: async () => group.close(),
  };
}

interface Submission {
  size: number;
  resolve: (outcomes: Outcome[]) => void;
  reject: (error: unknown) => void;
}

/** A queue over a writer thread; resolves once the database is open and migrated. */
export async function threadQueue(file: string): Promise<CommitQueue> {
  const worker = new Worker(workerUrl('writer-thread'), { workerData: { file } });
  await opened(worker);
  return new ThreadQueue(worker);
}

/** A worker's file: beside this one, as source or as built. */
export function workerUrl(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}

function opened(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (message: FromWriter) => {
      worker.off('error', reject);
      if ('failed' in message) reject(new StorageError(message.failed.reason, message.failed.full));
      else resolve();
    });
  });
}

class ThreadQueue implements CommitQueue {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Submission>();
  #unsent: { seq: number; commits: Commit[] }[] = [];
  #seq = 0;
  #bytes = 0;
  #broken: string | null = null;
  #closed: (() => void) | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromWriter) => this.#receive(message));
    worker.on('error', (error) => this.#break(`The writer stopped: ${error.message}`));
    worker.on('exit', () => this.#break('The writer stopped. Start the node again.'));
  }

  submit(commits: Commit[]): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== null) throw new StorageError(this.#broken);
      const size = sizeOf(commits);
      if (this.#bytes > 0 && this.#bytes + size > maxWaitingBytes) throw new BusyError();
      this.#bytes += size;
      const seq = ++this.#seq;
      this.#waiting.set(seq, { size, resolve, reject });
      if (this.#unsent.push({ seq, commits }) === 1) setImmediate(() => this.#send());
    });
  }

  /** What one turn of the event loop submitted goes over in one message. */
  #send(): void {
    const submissions = this.#unsent;
    this.#unsent = [];
    if (submissions.length > 0) this.#post({ submissions });
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    if ('closed' in message) this.#closed?.();
    if (!('answers' in message)) return;
    for (const { seq, answer } of message.answers) {
      const submission = this.#waiting.get(seq);
      if (!submission) continue;
      this.#waiting.delete(seq);
      this.#bytes -= submission.size;
      try {
        submission.resolve(outcomes(answer));
      } catch (error) {
        submission.reject(error);
      }
    }
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    this.#closed?.();
    for (const submission of this.#waiting.values()) submission.reject(new StorageError(this.#broken));
    this.#waiting.clear();
    this.#bytes = 0;
  }

  /** Everything submitted before is written first. */
  async close(): Promise<void> {
    if (this.#broken !== null) return;
    this.#send();
    const done = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#post({ close: true });
    await done;
    this.#broken = 'The node is closing.';
    await this.#worker.terminate();
  }
}
