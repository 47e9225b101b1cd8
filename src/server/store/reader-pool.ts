import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { LongRead, longReads } from './long-reads.ts';
import { workerUrl } from './worker-url.ts';

/** Two threads for long reads, started when first needed and ended after a minute without work. */
export class ReaderPool {
  #pool: Piscina | null = null;

  /** The JSON text of a long read, as UTF-8. */
  run<N extends keyof typeof longReads>(read: LongRead<N>): Promise<Uint8Array> {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl('reader-thread')),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 60_000,
      atomics: 'disabled',
      recordTiming: false,
    });
    return this.#pool.run(read, { name: 'runLongRead' }) as Promise<Uint8Array>;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }
}
