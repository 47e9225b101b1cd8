import type { Network } from '../../model/ids.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Networks } from '../../store/networks.ts';
import type { ProcessorStanding } from './standing.ts';

type Watched = Map<string, Set<AbortController>>;

/** Tells who works for a processor when that is disabled or deleted. */
export class OutWatch {
  readonly #networks: Pick<Networks, 'get'>;
  readonly #standing: ProcessorStanding;
  readonly #watched = new WeakMap<NetworkStore, Watched>();

  constructor(networks: Pick<Networks, 'get'>, standing: ProcessorStanding) {
    this.#networks = networks;
    this.#standing = standing;
  }

  /** `out` is aborted once the processor may not act any more; disposing ends the watch. */
  async watch(network: Network, id: string): Promise<Disposable & { out: AbortSignal }> {
    const watched = this.#of(await this.#networks.get(network));
    const controller = new AbortController();
    const all = watched.get(id) ?? new Set();
    watched.set(id, all.add(controller));
    if (await this.#standing.isOut({ id, network })) controller.abort();
    return {
      out: controller.signal,
      [Symbol.dispose]: () => {
        all.delete(controller);
        if (all.size === 0 && watched.get(id) === all) watched.delete(id);
      },
    };
  }

  #of(store: NetworkStore): Watched {
    const known = this.#watched.get(store);
    if (known) return known;
    const watched: Watched = new Map();
    this.#watched.set(store, watched);
    let looks = false;
    store.onMoves(() => {
      if (looks || watched.size === 0) return;
      looks = true;
      setImmediate(() => {
        looks = false;
        void this.#look(store.network, watched);
      });
    });
    return watched;
  }

  async #look(network: Network, watched: Watched): Promise<void> {
    for (const [id, all] of [...watched]) {
      // What cannot be read now is looked for again before the next call of the processor.
      const out = await Promise.try(() => this.#standing.isOut({ id, network })).catch(() => false);
      if (out) for (const one of all) one.abort();
    }
  }
}
