import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Config, Secrets } from './config.ts';
import { openapi, version } from './generated/openapi.ts';
import { createAuthenticator } from './http/auth.ts';
import type { Authenticate } from './http/caller.ts';
import type { Log } from './log.ts';
import { idOn, type Network } from './model/ids.ts';
import { Sessions } from './model/sessions.ts';
import { AuthService } from './resources/auth/service.ts';
import { CollectionsService } from './resources/collections/service.ts';
import { BatchService } from './resources/entities/batch-service.ts';
import { CascadeService } from './resources/entities/cascade-service.ts';
import type { EntityServices } from './resources/entities/controller.ts';
import { DiffService } from './resources/entities/diff-service.ts';
import { ExpansionService } from './resources/entities/expansion-service.ts';
import { EntitiesService } from './resources/entities/service.ts';
import { EntityWrites } from './resources/entities/writes.ts';
import { EventsService } from './resources/events/service.ts';
import { CarImportService } from './resources/node/archives/car-import-service.ts';
import { ExportService } from './resources/node/archives/export-service.ts';
import { OneAtATime } from './resources/node/archives/one-at-a-time.ts';
import { ImportsService } from './resources/node/imports/service.ts';
import { NodeKeysService } from './resources/node/keys/service.ts';
import { RemotesService } from './resources/node/remotes/service.ts';
import { SessionsService } from './resources/node/sessions/service.ts';
import { StatusService } from './resources/node/status/service.ts';
import { UpkeepService } from './resources/node/upkeep/service.ts';
import { PermissionsService } from './resources/permissions/service.ts';
import { RelationshipsService } from './resources/relationships/service.ts';
import { SystemService } from './resources/system/service.ts';
import { UsersService } from './resources/users/service.ts';
import { VersionsService } from './resources/versions/service.ts';
import { Identity } from './store/identity.ts';
import { Networks } from './store/networks.ts';
import { SyncEngine } from './sync/engine.ts';

export { version };

/** What is built once and lives as long as the node; http/ioc.ts makes controllers from it. */
export interface Context extends AsyncDisposable {
  config: Config;
  log: Log;
  /** The node's own id. */
  instance: string;
  version: string;
  /** Epoch milliseconds. */
  now: () => number;
  authenticate: Authenticate;
  identity: Identity;
  networks: Networks;
  auth: AuthService;
  users: UsersService;
  collections: CollectionsService;
  entities: EntityServices;
  relationships: RelationshipsService;
  versions: VersionsService;
  events: EventsService;
  archives: { exports: ExportService; carImports: CarImportService };
  upkeep: UpkeepService;
  imports: ImportsService;
  nodeKeys: NodeKeysService;
  status: StatusService;
  remotes: RemotesService;
  sessions: SessionsService;
  permissions: PermissionsService;
  system: SystemService;
}

/** What comes from outside: tests give their own. */
export interface Surroundings {
  config: Config;
  secrets: Secrets;
  log: Log;
  instance: string;
  now: () => number;
}

/** The composition root: builds each long-lived object once; disposing closes them in reverse. */
export async function openContext({ config, secrets, log, instance, now }: Surroundings): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const identity = opened.adopt(new Identity(config.data, { now, randomBytes }), (it) => it.close());
  const operator = identity.ensureOperator().account;
  const firstUse = async (network: Network): Promise<void> => {
    await cascades.resume(await networks.get(network));
    await carImports.resume(network);
    await users.ensureUser(network, operator);
  };
  const networks = opened.adopt(new Networks(config.data, firstUse), (it) => it.close());
  const alone = new OneAtATime();
  const carImports = new CarImportService({ networks, alone, now, log });

  const permissions = new PermissionsService(now, networks);
  const nextUlid = monotonicFactory();
  const newId = (network: Network) => idOn(network, nextUlid(now()));
  const writes = new EntityWrites({ networks, permissions, now, newId, schema: `${config.service}/eidos@v1` });
  const entities = new EntitiesService(writes);
  const cascades = new CascadeService(writes);
  const users = new UsersService({ writes, entities, identity });
  const collections = new CollectionsService({ writes, entities, users });
  const sessions = new SessionsService({
    sessions: new Sessions({ now, randomBytes }),
    account: operator.id,
    instance,
    publicUrl: config.publicUrl,
  });
  await networks.get(config.network);
  const sync = opened.use(
    new SyncEngine({ networks, identity, service: config.service, instance, now, random: Math.random }),
  );

  const context = {
    config,
    log,
    instance,
    version,
    now,
    identity,
    networks,
    authenticate: createAuthenticator({
      identity,
      jwt: { ...config.jwt, ...secrets.jwt },
      sessions,
      service: config.service,
      now,
    }),
    auth: new AuthService({ identity, users }),
    users,
    collections,
    entities: {
      entities,
      batches: new BatchService(entities, writes),
      cascades,
      diffs: new DiffService(entities, writes),
      expansions: new ExpansionService(entities, writes),
    },
    relationships: new RelationshipsService(writes),
    versions: new VersionsService(writes),
    events: opened.use(new EventsService(networks, now, log)),
    archives: { exports: new ExportService(networks, instance), carImports },
    upkeep: new UpkeepService({
      networks,
      data: config.data,
      instance,
      version,
      now,
      alone,
      verifying: new OneAtATime(),
    }),
    imports: new ImportsService(writes, collections),
    nodeKeys: new NodeKeysService(identity),
    status: new StatusService({ networks, data: config.data, instance, version, now }),
    remotes: new RemotesService(sync),
    sessions,
    permissions,
    system: new SystemService({ instance, version, document: openapi, now }),
  };
  const all = opened.move();
  return { ...context, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
