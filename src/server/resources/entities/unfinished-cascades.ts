import type { NetworkStore } from '../../store/network-store.ts';
import type { Networks } from '../../store/networks.ts';

const againAfterMs = 60_000;

interface Needs {
  /** See CascadeService. */
  resume(store: NetworkStore, isLeft: (task: string, left: number) => boolean): Promise<unknown[]>;
  networks: Networks;
  log: { error(details: object, message: string): void };
}

/** Ends the cascades that a stop of the node, or a disk that was full, has left in the middle. */
export class UnfinishedCascades implements AsyncDisposable {
  readonly #needs: Needs;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  /** What was left of each a minute ago: a request on another thread that is still at work has less by now. */
  #before = new Map<string, number>();

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#resumeAll());
    }, againAfterMs);
    this.#timer.unref();
  }

  /** Ends those of a network that was just opened; what fails is logged, and tried again each minute. */
  opened(store: NetworkStore): Promise<void> {
    return this.#resume(store, () => true);
  }

  async #resume(store: NetworkStore, isLeft: (task: string, left: number) => boolean): Promise<void> {
    const { resume, log } = this.#needs;
    for (const error of await resume(store, isLeft))
      log.error({ err: error }, 'a cascade could not be ended; it is tried again');
  }

  async #resumeAll(): Promise<void> {
    const { networks, log } = this.#needs;
    const [before, now] = [this.#before, new Map<string, number>()];
    this.#before = now;
    const isLeft = (task: string, left: number) => {
      now.set(task, left);
      return before.get(task) === left;
    };
    for (const store of networks.opened())
      await this.#resume(store, isLeft).catch((err: unknown) => log.error({ err }, 'cascades could not be looked for'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
