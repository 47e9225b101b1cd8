import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { BusyError, type Issue, ValidationError } from '../errors.ts';
import type { JsonObject } from '../model/manifest.ts';
import { workerUrl } from '../store/worker-url.ts';
import type { InputTask } from './input-thread.ts';

/** How long a check may take: patterns may be written to take for ever. */
const limitMs = 2000;
const maxWaiting = 200;
const perTask = 500;

/**
 * Checks inputs against the JSON Schemas of processors. A schema is a program of its author's: it is compiled and run on
 * a thread of its own, which is ended when it takes too long.
 */
export class InputChecks implements AsyncDisposable {
  #pool: Piscina | null = null;
  readonly #limitMs: number;

  constructor(options: { limitMs?: number } = {}) {
    this.#limitMs = options.limitMs ?? limitMs;
  }

  /**
   * What is wrong with each of the inputs, by paths within it.
   * @throws ValidationError where the schema cannot be used, BusyError
   */
  async check(schema: JsonObject, inputs: readonly unknown[]): Promise<Issue[][]> {
    const found: Issue[][] = [];
    for (let from = 0; from < inputs.length; from += perTask)
      found.push(...(await this.#run({ schema, inputs: inputs.slice(from, from + perTask) })));
    return found;
  }

  async #run(task: InputTask): Promise<Issue[][]> {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl('input-thread', import.meta.url)),
      minThreads: 0,
      maxThreads: 2,
      maxQueue: maxWaiting,
      idleTimeout: 60_000,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
    });
    if (this.#pool.queueSize >= maxWaiting) throw new BusyError(1, 'Too many inputs wait to be checked; try again.');
    const signal = AbortSignal.timeout(this.#limitMs);
    try {
      const found = (await this.#pool.run(task, { name: 'checkInputs', signal })) as Issue[][] | string;
      if (typeof found !== 'string') return found;
      throw unusable(`cannot be used: ${found}`);
    } catch (error) {
      if (error instanceof ValidationError) throw error;
      if (signal.aborted) throw unusable(`takes longer than ${this.#limitMs / 1000} seconds to check this input`);
      throw unusable('takes too much memory to check this input');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }
}

function unusable(what: string): ValidationError {
  return ValidationError.at(['input'], `the processor's input_schema ${what}: ask its owner to correct it`);
}
