import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** Of what is not the same for all pools. */
interface ThreadPoolOptions {
  /** The module whose functions its threads run; without one each task names its own. */
  module?: URL;
  maxThreads: number;
  /** How much a thread does at a time. */
  together?: number;
  /** Milliseconds without work after which a thread ends. */
  idleTimeout: number;
  resourceLimits: { maxYoungGenerationSizeMb: number; maxOldGenerationSizeMb?: number };
  /**
   * Hears of what no task hears of, which nobody misses: an answer that came as its task was given up, a thread that ended idle.
   */
  failed?: (error: unknown) => void;
}

/** Threads that are started when first needed. */
export function threadPool({ module, together = 1, failed, ...options }: ThreadPoolOptions): Piscina {
  const pool = new Piscina({
    ...(module && { filename: fileURLToPath(module) }),
    ...options,
    minThreads: 0,
    concurrentTasksPerWorker: together,
    atomics: 'disabled',
    recordTiming: false,
  });
  // An error event that nobody listens to ends the process.
  pool.on('error', (error: unknown) => failed?.(error));
  return pool;
}
