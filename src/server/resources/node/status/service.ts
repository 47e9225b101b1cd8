import { existsSync } from 'node:fs';
import { opendir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryUsage } from 'node:process';
import { type Caller, operator } from '../../../model/caller.ts';
import { type Network, networks as networkNames } from '../../../model/ids.ts';
import type { SearchEngine } from '../../../search/engine.ts';
import type { NetworkCounts } from '../../../store/network-counts.ts';
import { databaseFile } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { searchFile } from '../../../store/search-index.ts';
import type { RemotesService } from '../remotes/service.ts';
import type { NetworkStatusView, NodeStatusView } from './wire.ts';

export interface StatusNeeds {
  networks: Networks;
  remotes: RemotesService;
  search: SearchEngine;
  /** The data folder. */
  data: string;
  instance: string;
  version: string;
  now: () => number;
}

/** What the node is and holds, for its operator. */
export class StatusService {
  readonly #needs: StatusNeeds;
  readonly #started: number;

  constructor(needs: StatusNeeds) {
    this.#needs = needs;
    this.#started = needs.now();
  }

  /** `url` is where the request reached the node. */
  async status(caller: Caller, url: string): Promise<NodeStatusView> {
    operator(caller);
    const { data, instance, version, now } = this.#needs;
    const used = networkNames.filter((network) => existsSync(databaseFile(data, network)));
    return {
      url,
      version,
      instance,
      data,
      free_bytes: await freeBytes(data),
      uptime_s: Math.max(0, Math.floor((now() - this.#started) / 1000)),
      memory_bytes: memoryUsage.rss(),
      networks: await Promise.all(used.map((network) => this.#network(network))),
    };
  }

  async #network(network: Network): Promise<NetworkStatusView> {
    const store = await this.#needs.networks.get(network);
    const counts = JSON.parse(Buffer.from(await store.readLong('counts', {})).toString()) as NetworkCounts;
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
      index_bytes: made,
      file_bytes: await bytesBelow(join(store.folder, 'files')),
      index: { moves: cursor, behind, learning, problem },
      ...(await this.#needs.remotes.all(network)),
    };
  }
}

async function withLog(file: string): Promise<number> {
  const [database, log] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
  return database + log;
}

/** What the disk of a folder still has for this program. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** The bytes of all files below a folder, none where it is not there. */
async function bytesBelow(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for await (const entry of await opendir(folder, { recursive: true }))
    if (entry.isFile()) bytes += await sizeOf(join(entry.parentPath, entry.name));
  return bytes;
}
