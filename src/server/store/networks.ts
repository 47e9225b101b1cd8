import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { type Network, networks as networkNames } from '../model/ids.ts';
import { refuseLostNetwork } from './lost-database.ts';
import { databaseFile, NetworkStore, type Threads } from './network-store.ts';
import { isOutdated } from './outdated.ts';
import { storingLater } from './storage-error.ts';

/** The storage of each network, opened when it is first used. */
export class Networks {
  readonly #data: string;
  readonly #firstUse: (network: Network) => Promise<unknown>;
  readonly #threads: Threads;
  readonly #outdated: (network: Network) => void;
  readonly #open = new Map<Network, NetworkStore>();
  /** Whose first use is over. */
  readonly #ready = new Map<Network, NetworkStore>();
  readonly #inFirstUse = new AsyncLocalStorage<Network>();
  readonly #opening = new Map<Network, Promise<NetworkStore>>();

  /**
   * `firstUse` runs when a network has been opened, and may use it; everybody else waits for it. `outdated` is told
   * before a database is brought up to date, which takes minutes where it is large.
   */
  constructor(
    data: string,
    firstUse: (network: Network) => Promise<unknown> = async () => undefined,
    threads: Threads = {},
    outdated: (network: Network) => void = () => undefined,
  ) {
    this.#data = data;
    this.#firstUse = firstUse;
    this.#threads = threads;
    this.#outdated = outdated;
  }

  /** At once where the network is open already. */
  get(network: Network): NetworkStore | Promise<NetworkStore> {
    return this.#ready.get(network) ?? this.#ofFirstUse(network) ?? this.#first(network);
  }

  #ofFirstUse(network: Network): NetworkStore | undefined {
    return this.#inFirstUse.getStore() === network ? this.#open.get(network) : undefined;
  }

  #first(network: Network): Promise<NetworkStore> {
    let opening = this.#opening.get(network);
    if (!opening) {
      opening = this.#prepared(network);
      opening.catch(() => this.#opening.delete(network));
      this.#opening.set(network, opening);
    }
    return opening;
  }

  async #prepared(network: Network): Promise<NetworkStore> {
    const file = databaseFile(this.#data, network);
    refuseLostNetwork(this.#data, network);
    if (existsSync(file) && isOutdated(file)) this.#outdated(network);
    const store = await NetworkStore.open(this.#data, network, this.#threads);
    this.#open.set(network, store);
    try {
      await storingLater(() => this.#inFirstUse.run(network, () => this.#firstUse(network)));
      this.#ready.set(network, store);
    } catch (error) {
      this.#open.delete(network);
      await store.close();
      throw error;
    }
    return store;
  }

  /**
   * Opens each network that has a database, so that what was accepted there is gone on with though nobody asks for it. One
   * after the other until `stopped`; `failed` hears of those that cannot be opened, or were lost. Gives those that are open.
   */
  async openExisting(
    failed: (network: Network, error: unknown) => void,
    stopped: AbortSignal,
  ): Promise<NetworkStore[]> {
    const opened: NetworkStore[] = [];
    for (const network of networkNames) {
      if (stopped.aborted) return opened;
      try {
        const store = await this.#existing(network);
        if (store) opened.push(store);
      } catch (error) {
        failed(network, error);
      }
    }
    return opened;
  }

  /** Every network that has a database, opened. @throws StorageError where one cannot be opened, or was lost */
  async existing(): Promise<NetworkStore[]> {
    const stores: NetworkStore[] = [];
    for (const network of networkNames) {
      const store = await this.#existing(network);
      if (store) stores.push(store);
    }
    return stores;
  }

  async #existing(network: Network): Promise<NetworkStore | undefined> {
    if (existsSync(databaseFile(this.#data, network))) return this.get(network);
    refuseLostNetwork(this.#data, network);
  }

  /** Which file the database of a network is that is open (file-identity.ts); null where it is not. */
  fileIdOf(network: Network): string | null {
    return this.#open.get(network)?.fileId ?? null;
  }

  /** The networks that have been used. */
  opened(): NetworkStore[] {
    return [...this.#open.values()];
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opening.values());
    this.#open.clear();
    this.#ready.clear();
    this.#opening.clear();
    const closed = await Promise.allSettled(opened.map((it) => (it.status === 'fulfilled' ? it.value.close() : null)));
    for (const it of closed) if (it.status === 'rejected') throw it.reason;
  }
}
