import { SideThread } from '../store/threads/side-thread.ts';
import { workerUrl } from '../store/threads/worker-url.ts';
import { type Failed, isFailed, ThreadError } from './failed.ts';

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

  /** @throws ThreadError */
  async run<T>(name: string, order: object): Promise<T> {
    const result = await this.#thread.run<T | Failed>(this.#file, name, order);
    if (isFailed(result)) throw new ThreadError(result.failed);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.end(this.#file, this.#last);
    if (this.#own) await this.#thread[Symbol.asyncDispose]();
  }
}
