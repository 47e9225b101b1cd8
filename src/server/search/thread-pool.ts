import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { workerUrl } from '../store/worker-url.ts';
import { type Failed, isFailed, ThreadError } from './failed.ts';

/** One thread of this folder, started when first needed and ended after a minute without work. */
export class OneThread implements AsyncDisposable {
  readonly #file: string;
  readonly #last: string;
  readonly #together: number;
  #pool: Piscina | null = null;

  /** `last`: what it is asked before it ends; `together`: how much it does at a time, where it waits for others. */
  constructor(file: string, last: string, together = 1) {
    this.#file = file;
    this.#last = last;
    this.#together = together;
  }

  /** @throws ThreadError */
  async run<T>(name: string, order: object): Promise<T> {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl(this.#file, import.meta.url)),
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: this.#together,
      idleTimeout: 60_000,
      atomics: 'disabled',
      recordTiming: false,
      // Much passes through and little stays: a large nursery would only show as resident memory.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const result = (await this.#pool.run(order, { name })) as T | Failed;
    if (isFailed(result)) throw new ThreadError(result.failed);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    if (!pool) return;
    if (pool.threads.length > 0) await pool.run(undefined, { name: this.#last });
    await pool.destroy();
  }
}
