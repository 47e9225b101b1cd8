import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { StorageError } from '../errors.ts';
import { workerUrl } from '../store/worker-url.ts';
import type { Advanced, Slice } from './advance.ts';
import type { Failed, LogFiles } from './attest-thread.ts';
import type { Checked, CheckState } from './check-log.ts';

/** The one thread that writes the logs, started when first needed and ended after a minute without work. */
export class LogThread implements AsyncDisposable {
  #pool: Piscina | null = null;

  /** See advance.ts. @throws StorageError */
  advance(files: LogFiles, slice: Slice): Promise<Advanced> {
    return this.#run('advanceLog', { files, slice });
  }

  /** See check-log.ts; null begins. @throws StorageError */
  check(files: LogFiles, state: CheckState | null): Promise<Checked> {
    return this.#run('checkLog', { files, state });
  }

  async #run<T>(name: string, order: object): Promise<T> {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl('attest-thread', import.meta.url)),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
      atomics: 'disabled',
      recordTiming: false,
      // A slice at a time needs little, and the thread runs beside every large write.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 },
    });
    const result = (await this.#pool.run(order, { name })) as T | Failed;
    if (isFailed(result)) throw new StorageError(result.failed.reason, result.failed.full);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    if (!pool) return;
    if (pool.threads.length > 0) await pool.run(undefined, { name: 'closeLogs' });
    await pool.destroy();
  }
}

function isFailed(result: unknown): result is Failed {
  return typeof result === 'object' && result !== null && 'failed' in result;
}
