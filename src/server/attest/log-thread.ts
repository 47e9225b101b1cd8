import { type FailedWork, workResult } from '../store/threads/failed-work.ts';
import { SideThread } from '../store/threads/side-thread.ts';
import { workerUrl } from '../store/threads/worker-url.ts';
import type { Advanced, Slice } from './advance.ts';
import type { LogFiles } from './attest-thread.ts';
import type { CheckedSlice, CheckState } from './check-log.ts';

const file = workerUrl('attest-thread', import.meta.url);

/** The one thread that writes the logs. */
export class LogThread implements AsyncDisposable {
  readonly #thread: SideThread;
  readonly #own: boolean;

  /** `thread`: one that it shares with others, which has to be ended after it. */
  constructor(thread?: SideThread) {
    this.#thread = thread ?? new SideThread();
    this.#own = !thread;
  }

  /** See advance.ts. @throws StorageError */
  advance(files: LogFiles, slice: Slice): Promise<Advanced> {
    return this.#run('advanceLog', { files, slice });
  }

  /** See check-log.ts; null begins. @throws StorageError */
  check(files: LogFiles, state: CheckState | null): Promise<CheckedSlice> {
    return this.#run('checkLog', { files, state });
  }

  async #run<T extends object>(name: string, order: object): Promise<T> {
    return workResult(await this.#thread.run<T | FailedWork>(file, name, order));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.end(file, 'closeLogs');
    if (this.#own) await this.#thread[Symbol.asyncDispose]();
  }
}
