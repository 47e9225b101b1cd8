import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { memoryUsage } from 'node:process';
import { KeptBytes } from '../../../blocks/kept-bytes.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { jsonOf } from '../../../model/from-json.ts';
import { type Network, networks as networkNames } from '../../../model/ids.ts';
import type { SearchEngine } from '../../../search/engine.ts';
import { type CheckpointFaults, inOne } from '../../../store/checkpoints/checkpoint-faults.ts';
import { databaseSize } from '../../../store/database-size.ts';
import type { NetworkCounts } from '../../../store/network-counts.ts';
import { filesFolder } from '../../../store/network-folders.ts';
import { databaseFile, type NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { searchFile } from '../../../store/search/search-index.ts';
import { storingLater } from '../../../store/storage-error.ts';
import type { RemotesService } from '../remotes/service.ts';
import type { NetworkStatusView, NodeStatusView } from './wire.ts';

export interface StatusNeeds {
  networks: Networks;
  remotes: RemotesService;
  search: SearchEngine;
  checkpointFaults: CheckpointFaults;
  /** What a stop of the node left of a network that it goes on with now. */
  resumed: (store: NetworkStore) => NetworkStatusView['resumed'];
  /** The data folder. */
  data: string;
  instance: string;
  version: string;
  /** The address that is told to others. */
  publicUrl: string | null;
  now: () => number;
}

/** What the node is and holds, for its operator. */
export class StatusService {
  readonly #needs: StatusNeeds;
  readonly #started: number;
  /** Of each network's files. */
  readonly #kept = new Map<Network, KeptBytes>();

  constructor(needs: StatusNeeds) {
    this.#needs = needs;
    this.#started = needs.now();
  }

  /** `host` is the name under which the request reached the node. */
  async status(caller: Caller, host: string): Promise<NodeStatusView> {
    operator(caller);
    const { data, instance, version, publicUrl, now, checkpointFaults, networks } = this.#needs;
    for (const store of networks.opened()) store.requirePlace();
    // A proxy that speaks TLS passes on the name alone.
    const url = publicUrl !== null && new URL(publicUrl).host === host.toLowerCase() ? publicUrl : `http://${host}`;
    const used = networkNames.filter((network) => existsSync(databaseFile(data, network)));
    return {
      url,
      version,
      instance,
      data,
      free_bytes: await freeBytes(data),
      uptime_s: Math.max(0, Math.floor((now() - this.#started) / 1000)),
      memory_bytes: memoryUsage.rss(),
      database_problem: inOne(Object.values(checkpointFaults.node())),
      networks: await Promise.all(used.map((network) => this.#network(network))),
    };
  }

  async #network(network: Network): Promise<NetworkStatusView> {
    const store = await this.#needs.networks.get(network);
    const counts = jsonOf(await store.readLong('counts', {})) as NetworkCounts;
    const file = databaseFile(this.#needs.data, network);
    const index = searchFile(store.folder);
    const [database, made] = await Promise.all([withLog(file), withLog(index)]);
    const { cursor, behind, learning, problem } = this.#needs.search.stand(store);
    return {
      network,
      entities: counts.live,
      deleted: counts.deleted,
      moves: counts.moves,
      database_bytes: database,
      database_problem: this.#needs.checkpointFaults.network(store),
      index_bytes: made,
      file_bytes: await storingLater(() => this.#keptOf(network, store.folder).total()),
      index: { moves: cursor, behind, learning, problem },
      resumed: this.#needs.resumed(store),
      ...(await this.#needs.remotes.all(network)),
    };
  }

  #keptOf(network: Network, folder: string): KeptBytes {
    const kept = this.#kept.get(network) ?? new KeptBytes(filesFolder(folder));
    this.#kept.set(network, kept);
    return kept;
  }
}

async function withLog(file: string): Promise<number> {
  const { database, log } = await databaseSize(file);
  return database + log;
}

/** What the disk of a folder still has for this program. @throws StorageError */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await storingLater(() => statfs(folder));
  return bavail * bsize;
}
