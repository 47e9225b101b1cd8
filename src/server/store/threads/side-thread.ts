import { fileURLToPath } from 'node:url';
import { type ThreadPool, threadPool } from './thread-pool.ts';
import { workerUrl } from './worker-url.ts';

/**
 * One thread beside the others, started when first needed and ended after a minute without work. A thread weighs some
 * 15 MB before it has done anything, so those whose work can wait for each other share one.
 */
export class SideThread implements AsyncDisposable {
  readonly #together: number;
  #pool: ThreadPool | null = null;

  /** `together`: how much it does at a time, where what it does waits for others. */
  constructor(together = 1) {
    this.#together = together;
  }

  /** Runs what the module at `file` exports as `name`. */
  async run<T>(file: URL, name: string, order: object): Promise<T> {
    this.#pool ??= threadPool({
      module: workerUrl('sqlite-thread'),
      maxThreads: 1,
      together: this.#together,
      idleTimeout: 60_000,
      // Much passes through and little stays: a large nursery would only show as resident memory.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    return this.#pool.run<T>(order, { filename: fileURLToPath(file), name });
  }

  /** What a module does at its end: nothing where the thread has ended, and all that it had open with it. */
  async end(file: URL, name: string): Promise<void> {
    if (this.#pool && this.#pool.threads > 0) await this.run(file, name, {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.destroy();
  }
}
