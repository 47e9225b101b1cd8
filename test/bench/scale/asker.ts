import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Start } from './asking.ts';
import type { Measure } from './requests.ts';

/**
 * A node, and a process of its own that asks it (asking.ts): in a heap in which the answers of another node were made, those of
 * this one would seem slow.
 */
export class Asker implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(of: Start): Promise<Asker> {
    const asker = new Asker(fork(join(import.meta.dirname, 'asking.ts'), { serialization: 'advanced' }));
    await asker.#told({ start: of });
    return asker;
  }

  /** One pass of a measure: how many milliseconds each of its requests took. */
  ask(measure: Measure): Promise<number[]> {
    return this.#told({ ask: measure });
  }

  /** Of the node, in MB. */
  memory(): Promise<{ now: number; peak: number }> {
    return this.#told({ memory: true });
  }

  async #told<T>(order: Order): Promise<T> {
    const answered = new AbortController();
    const { signal } = answered;
    this.#child.send(order);
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([answer]) => answer as T),
        once(this.#child, 'exit', { signal }).then(() => Promise.reject(new Error('what asks a node has ended'))),
      ]);
    } finally {
      answered.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }
}
