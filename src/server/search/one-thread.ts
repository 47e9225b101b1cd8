import { type FailedWork, workResult } from '../store/threads/failed-work.ts';
import { SideThread } from '../store/threads/side-thread.ts';
import { workerUrl } from '../store/threads/worker-url.ts';

/** A module of this folder, in one thread. */
export class OneThread implements AsyncDisposable {
  readonly #file: URL;
  readonly #last: string;
  readonly #thread: SideThread;
  readonly #own: boolean;

  /** `last`: what it is asked before it ends; `thread`: one that it shares with others, which has to be ended after it. */
  constructor(file: string, last: string, { thread, together }: { thread?: SideThread; together?: number } = {}) {
    this.#file = workerUrl(file, import.meta.url);
    this.#last = last;
    this.#thread = thread ?? new SideThread(together);
    this.#own = !thread;
  }

  /** @throws FailedWorkError */
  async run<T extends object | null>(name: string, order: object): Promise<T> {
    return workResult(await this.#thread.run<T | FailedWork>(this.#file, name, order));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.end(this.#file, this.#last);
    if (this.#own) await this.#thread[Symbol.asyncDispose]();
  }
}
