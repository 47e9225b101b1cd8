import { MessageChannel } from 'node:worker_threads';
import PQueue from 'p-queue';
import { BusyError, type Issue, UnavailableError, ValidationError } from '../errors.ts';
import type { JsonObject } from '../model/manifest.ts';
import { type ThreadPool, threadPool } from '../store/threads/thread-pool.ts';
import { workerUrl } from '../store/threads/worker-url.ts';
import type { InputTask, SentTask } from './input-thread.ts';

/** How long a check may take once it has begun: patterns may be written to take for ever. */
const limitMs = 2000;
/** How long it may wait for its turn and its thread. */
const waitMs = 10_000;
const maxWaiting = 200;
const threads = 2;
const perTask = 500;

/**
 * Checks inputs against the JSON Schemas of processors. A schema is a program of its author's: it is compiled and run on
 * a thread of its own, which is ended when it takes too long. Of each schema one check runs at a time, so that a slow one
 * leaves a thread to the others.
 */
export class InputChecks implements AsyncDisposable {
  #pool: ThreadPool | null = null;
  readonly #limitMs: number;
  readonly #waitMs: number;
  /** The last check of each schema, as text, that runs or waits. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The pool starts no thread for what waits in it when another one has been ended, so nothing does. */
  readonly #slots = new PQueue({ concurrency: threads });
  #inHand = 0;

  constructor(options: { limitMs?: number; waitMs?: number } = {}) {
    this.#limitMs = options.limitMs ?? limitMs;
    this.#waitMs = options.waitMs ?? waitMs;
  }

  /**
   * What is wrong with each of the inputs, by paths within it.
   * @throws ValidationError where the schema cannot be used, BusyError, UnavailableError where a thread cannot be started
   */
  async check(schema: JsonObject, inputs: readonly unknown[]): Promise<Issue[][]> {
    const found: Issue[][] = [];
    for (let from = 0; from < inputs.length; from += perTask)
      found.push(...(await this.#inTurn({ schema, inputs: inputs.slice(from, from + perTask) })));
    return found;
  }

  async #inTurn(task: InputTask): Promise<Issue[][]> {
    if (this.#inHand >= maxWaiting) throw busy();
    const schema = JSON.stringify(task.schema);
    const until = performance.now() + this.#waitMs;
    const checked = (this.#turns.get(schema) ?? Promise.resolve()).then(() =>
      this.#slots.add(() => this.#run(task, until)),
    );
    const ended = checked.then(
      () => undefined,
      () => undefined,
    );
    this.#inHand++;
    this.#turns.set(schema, ended);
    try {
      return await checked;
    } finally {
      this.#inHand--;
      if (this.#turns.get(schema) === ended) this.#turns.delete(schema);
    }
  }

  /** `until`: when it has waited too long, by `performance.now()`. */
  async #run(task: InputTask, until: number): Promise<Issue[][]> {
    const left = until - performance.now();
    if (left <= 0) throw busy();
    this.#pool ??= threadPool({
      module: workerUrl('input-thread', import.meta.url),
      maxThreads: threads,
      idleTimeout: 60_000,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
    });
    const { port1, port2 } = new MessageChannel();
    const stop = new AbortController();
    const end = () => stop.abort();
    let hasBegun = false;
    let timer = setTimeout(end, left);
    port1.once('message', () => {
      hasBegun = true;
      clearTimeout(timer);
      timer = setTimeout(end, this.#limitMs);
    });
    const sent: SentTask = { ...task, begun: port2 };
    const options = { name: 'checkInputs', signal: stop.signal, transferList: [port2] };
    try {
      const found = await this.#pool.run<Issue[][] | string>(sent, options);
      if (typeof found !== 'string') return found;
      throw unusable(`cannot be used: ${found}`);
    } catch (error) {
      if (error instanceof ValidationError || error instanceof UnavailableError) throw error;
      if (stop.signal.aborted && !hasBegun) throw busy();
      if (stop.signal.aborted) throw unusable(`takes longer than ${this.#limitMs / 1000} seconds to check this input`);
      throw unusable('takes too much memory to check this input');
    } finally {
      clearTimeout(timer);
      port1.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }
}

function busy(): BusyError {
  return new BusyError(1, 'Too many inputs wait to be checked; try again.');
}

function unusable(what: string): ValidationError {
  return ValidationError.at(['input'], `the processor's input_schema ${what}: ask its owner to correct it`);
}
