import type { NetworkStore } from '../../store/network-store.ts';
import { AdditiveFollower, type FollowerNeeds } from './follower.ts';

const pruningInterval = 60_000;

/** Applies the additive updates of all networks that are open, and forgets those that were told of long enough. */
export class AdditiveFollowers implements AsyncDisposable {
  readonly #needs: FollowerNeeds;
  readonly #followers: AdditiveFollower[] = [];
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(needs: Omit<FollowerNeeds, 'stop'>) {
    this.#needs = { ...needs, stop: this.#stop.signal };
    this.#timer = setInterval(() => {
      this.prune().catch((err: unknown) => needs.log.error({ err }, 'applied updates could not be pruned'));
    }, pruningInterval);
    this.#timer.unref();
  }

  /** Begins to apply what waits on a network that was just opened, and what will. */
  resume(store: NetworkStore): void {
    this.#followers.push(new AdditiveFollower(store, this.#needs));
  }

  /** Resolves when nothing waits any more, or the node closes. */
  async idle(): Promise<void> {
    for (const follower of this.#followers) await follower.idle();
  }

  async prune(): Promise<void> {
    for (const follower of this.#followers) await follower.prune();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.idle();
  }
}
