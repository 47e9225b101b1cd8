import type { Network } from '../model/ids.ts';
import { NetworkStore } from './network-store.ts';

/** The storage of each network, opened when it is first used. */
export class Networks {
  readonly #data: string;
  readonly #open = new Map<Network, NetworkStore>();
  readonly #opening = new Map<Network, Promise<NetworkStore>>();

  constructor(data: string) {
    this.#data = data;
  }

  /** At once where the network is open already. */
  get(network: Network): NetworkStore | Promise<NetworkStore> {
    return this.#open.get(network) ?? this.#first(network);
  }

  #first(network: Network): Promise<NetworkStore> {
    let opening = this.#opening.get(network);
    if (!opening) {
      opening = NetworkStore.open(this.#data, network).then((store) => {
        this.#open.set(network, store);
        return store;
      });
      opening.catch(() => this.#opening.delete(network));
      this.#opening.set(network, opening);
    }
    return opening;
  }

  /** The networks that have been used. */
  opened(): NetworkStore[] {
    return [...this.#open.values()];
  }

  async close(): Promise<void> {
    for (const opening of this.#opening.values()) await (await opening).close();
    this.#open.clear();
    this.#opening.clear();
  }
}
