import { join } from 'node:path';
import { FileStore } from './blocks/file-store.ts';
import type { Config } from './config.ts';
import { idOn, type Network } from './model/ids.ts';
import type { EditedBy } from './model/manifest.ts';
import { ulids } from './model/ulids.ts';
import { AgentsService } from './resources/agents/service.ts';
import { AuthService } from './resources/auth/service.ts';
import { CollectionsService } from './resources/collections/service.ts';
import { DownloadService } from './resources/content/download-service.ts';
import type { Links } from './resources/content/links.ts';
import { ContentService, type LargeContent } from './resources/content/service.ts';
import { BatchService } from './resources/entities/batch-service.ts';
import { CascadeService } from './resources/entities/cascade-service.ts';
import { DiffService } from './resources/entities/diff-service.ts';
import { ExpansionService } from './resources/entities/expansion-service.ts';
import { EntitiesService } from './resources/entities/service.ts';
import { TreeService } from './resources/entities/tree-service.ts';
import { EntityWrites } from './resources/entities/writes.ts';
import { FilesService, type LargeFiles } from './resources/files/service.ts';
import { PairsService } from './resources/folders/pairs-service.ts';
import { FoldersService } from './resources/folders/service.ts';
import { GraphService } from './resources/graph/service.ts';
import { KladoiService } from './resources/kladoi/service.ts';
import { ConflictsService } from './resources/node/conflicts/service.ts';
import { UploadsService } from './resources/node/transfers/service.ts';
import { PermissionsService } from './resources/permissions/service.ts';
import { Registry } from './resources/processors/registry.ts';
import { QueryService } from './resources/query/service.ts';
import { RelationshipsService } from './resources/relationships/service.ts';
import { RhizaiService } from './resources/rhizai/service.ts';
import { SearchService } from './resources/search/service.ts';
import { SimilarService } from './resources/search/similar-service.ts';
import { AdditivePreparer } from './resources/updates/preparer.ts';
import { UpdatesService } from './resources/updates/service.ts';
import { UsersService } from './resources/users/service.ts';
import { VersionsService } from './resources/versions/service.ts';
import type { SearchEngine } from './search/engine.ts';
import type { Identity } from './store/accounts/identity.ts';
import { filesFolder } from './store/network-folders.ts';
import type { NetworkStore } from './store/network-store.ts';
import type { Networks } from './store/networks.ts';

/** What the services stand on; a request thread has its own. */
export interface Ground {
  config: Config;
  networks: Pick<Networks, 'get' | 'existing'>;
  identity: Identity;
  search: SearchEngine;
  /** What signs the addresses of downloads; on a request thread none are made. */
  links: Links;
  /** Threads for what is too much for this one; null on them. */
  large: (LargeContent & LargeFiles) | null;
  /** Epoch milliseconds. */
  now: () => number;
}

/**
 * The use cases of the resources. They keep nothing that must be kept once, so that large requests get a set of their
 * own in a thread of their own (request-thread.ts).
 */
export type Services = ReturnType<typeof buildServices>;

export function buildServices({ config, networks, identity, search, links, large, now }: Ground) {
  const hasBytes = (network: Network, cid: string) => new FileStore(filesFolder(join(config.data, network))).has(cid);
  const isAccount = (id: string) => identity.accountById(id) !== null;
  const permissions = new PermissionsService(now, networks, { hasBytes, isAccount });
  const nextUlid = ulids();
  const newId = (network: Network) => idOn(network, nextUlid(now()));
  const schema = `${config.service}/eidos@v1`;
  const passed = (store: NetworkStore) => search.passed(store);
  const ensureAuthor = (store: NetworkStore, author: EditedBy) => users.presentAuthor(store.network, author);
  const writes = new EntityWrites({ networks, permissions, now, newId, schema, passed, ensureAuthor });
  const entities = new EntitiesService(writes);
  const users = new UsersService({ writes, entities, identity });
  const operator = identity.ensureOperator().account.id;
  const registry = new Registry({ writes, entities });
  const { publicUrl } = config;
  const uploads = new UploadsService({ networks, now, publicUrl });
  const downloads = new DownloadService({ writes, entities, links, publicUrl });
  return {
    permissions,
    writes,
    users,
    auth: new AuthService({ identity, users, networks, invitedOnly: config.invitedOnly }),
    collections: new CollectionsService({ writes, entities, users, engine: search }),
    conflicts: new ConflictsService(writes),
    entities: {
      entities,
      batches: new BatchService(entities, writes),
      cascades: new CascadeService(writes),
      diffs: new DiffService(entities, writes),
      expansions: new ExpansionService(entities, writes),
      trees: new TreeService(entities, writes),
    },
    folders: { folders: new FoldersService(writes, entities), pairs: new PairsService(writes) },
    graph: new GraphService(entities, writes),
    search: {
      engine: search,
      texts: new SearchService({ writes, engine: search, operator, official: config.official }),
      similar: new SimilarService({ writes, entities, engine: search }),
    },
    agents: new AgentsService({ registry, writes }),
    kladoi: new KladoiService(registry),
    rhizai: new RhizaiService(registry),
    query: new QueryService({ writes, engine: search }),
    relationships: new RelationshipsService(writes),
    updates: new UpdatesService(writes),
    /** The bytes of files: received, kept and given. */
    bytes: {
      uploads,
      downloads,
      content: new ContentService({ writes, uploads, large }),
      files: new FilesService({ writes, entities, downloads, uploads, large }),
    },
    additions: new AdditivePreparer(writes, identity),
    versions: new VersionsService(writes),
  };
}
