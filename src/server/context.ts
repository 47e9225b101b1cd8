import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AttestationLogs } from './attest/logs.ts';
import { chatModel } from './chat/chat-model.ts';
import type { Config, Secrets } from './config.ts';
import { version } from './generated/version.ts';
import { createAuthenticator } from './http/auth.ts';
import type { Authenticate } from './http/caller-headers.ts';
import type { LargeRequests } from './http/large-requests.ts';
import { durationBounds, RequestTally } from './http/request-tally.ts';
import { Invocations } from './invocations.ts';
import { InputChecks } from './jobs/input-check.ts';
import { AllowedCommands } from './jobs/local/allowed-commands.ts';
import { commandsFile } from './jobs/local/command-settings.ts';
import { Outbound } from './jobs/outbound.ts';
import { openLocalProcessors } from './local-processors.ts';
import type { Log } from './log.ts';
import { type LoopShare, loopShare } from './loop/loop-share.ts';
import { nodeToolServer } from './mcp/node-tool-server.ts';
import type { Network } from './model/ids.ts';
import { maxOnLoop } from './model/large.ts';
import { Sessions } from './model/sessions.ts';
import { openFilesOf } from './open-files.ts';
import { RequestPool } from './request-pool.ts';
import { InvitesService } from './resources/alpha/service.ts';
import { AttestationsService } from './resources/attestations/service.ts';
import { ChatService } from './resources/chat/service.ts';
import { Links } from './resources/content/links.ts';
import { UnfinishedCascades } from './resources/entities/unfinished-cascades.ts';
import { EventsService } from './resources/events/service.ts';
import { McpService } from './resources/mcp/service.ts';
import { CarImportService, type CarImportSurroundings } from './resources/node/archives/car-import-service.ts';
import { ExportService } from './resources/node/archives/export-service.ts';
import { OneAtATime } from './resources/node/archives/one-at-a-time.ts';
import { PreparedExportsService } from './resources/node/archives/prepared-service.ts';
import { ImportPreviewService } from './resources/node/imports/preview-service.ts';
import { ImportsService } from './resources/node/imports/service.ts';
import { ImportUndoService } from './resources/node/imports/undo-service.ts';
import { RunsService } from './resources/node/jobs/service.ts';
import { NodeKeysService } from './resources/node/keys/service.ts';
import { LinksService } from './resources/node/links/service.ts';
import { MetricsService } from './resources/node/metrics/service.ts';
import { NamesService } from './resources/node/names/service.ts';
import { BlocksService } from './resources/node/peers/blocks-service.ts';
import { HistoryService } from './resources/node/peers/history-service.ts';
import { PushService } from './resources/node/peers/push-service.ts';
import { EventStreamService } from './resources/node/peers/stream-service.ts';
import { PeopleService } from './resources/node/people/service.ts';
import { ProcessorListService } from './resources/node/processors/service.ts';
import { RemotesService } from './resources/node/remotes/service.ts';
import { SessionsService } from './resources/node/sessions/service.ts';
import { StatusService } from './resources/node/status/service.ts';
import { SyncLogService } from './resources/node/sync/service.ts';
import { TablesService } from './resources/node/tables/service.ts';
import { LeftoversService } from './resources/node/transfers/leftovers-service.ts';
import { UnderWay } from './resources/node/under-way.ts';
import { UpkeepService } from './resources/node/upkeep/service.ts';
import { ProcessorKeysService } from './resources/processors/keys-service.ts';
import { OutWatch } from './resources/processors/out-watch.ts';
import { ProcessorStanding } from './resources/processors/standing.ts';
import { VerificationService } from './resources/processors/verification-service.ts';
import { SystemService } from './resources/system/service.ts';
import { AdditiveFollowers } from './resources/updates/followers.ts';
import { EndpointEmbedder } from './search/endpoint-embedder.ts';
import { SearchEngine } from './search/engine.ts';
import { buildServices, type Services } from './services.ts';
import { Identity } from './store/accounts/identity.ts';
import { identityFile } from './store/accounts/identity-schema.ts';
import { chatFile } from './store/chats/chats.ts';
import { type CheckpointFaults, inOne } from './store/checkpoints/checkpoint-faults.ts';
import { checkpointsOn } from './store/checkpoints/checkpoints.ts';
import { refuseForeignDatabase } from './store/foreign-database.ts';
import { refuseLostIdentity } from './store/lost-database.ts';
import type { Threads } from './store/network-store.ts';
import { Networks } from './store/networks.ts';
import { ReaderThreads } from './store/threads/reader-threads.ts';
import { SideThread } from './store/threads/side-thread.ts';
import { alignAliases } from './sync/aliases.ts';
import { SyncEngine } from './sync/engine.ts';
import type { SyncOptions } from './sync/engine-options.ts';
import { Watcher } from './sync/watch.ts';

export { version };

/** What is built once and lives as long as the node; http/ioc.ts makes controllers from it. */
export interface Context extends Services, AsyncDisposable {
  config: Config;
  log: Log;
  /** Requests that are a lot of work, and come in bursts, are begun through it. */
  loopShare: LoopShare;
  /** The node's own id. */
  instance: string;
  version: string;
  /** Epoch milliseconds. */
  now: () => number;
  authenticate: Authenticate;
  identity: Identity;
  networks: Networks;
  events: EventsService;
  largeRequests: LargeRequests;
  requests: RequestTally;
  attestationLogs: AttestationLogs;
  attestations: AttestationsService;
  archives: { exports: ExportService; carImports: CarImportService; prepared: PreparedExportsService };
  leftovers: LeftoversService;
  upkeep: UpkeepService;
  imports: { imports: ImportsService; previews: ImportPreviewService; undos: ImportUndoService };
  nodeKeys: NodeKeysService;
  status: StatusService;
  remotes: RemotesService;
  syncLog: SyncLogService;
  tables: TablesService;
  /** Lists of what is run, and of what was started. */
  processorList: ProcessorListService;
  runs: RunsService;
  links: LinksService;
  names: NamesService;
  watcher: Watcher;
  metrics: MetricsService;
  sync: SyncEngine;
  /** What other nodes ask for. */
  peers: { blocks: BlocksService; stream: EventStreamService; pushes: PushService; histories: HistoryService };
  chat: ChatService;
  mcp: McpService;
  sessions: SessionsService;
  system: SystemService;
  invites: InvitesService;
  people: PeopleService;
  additive: AdditiveFollowers;
  outbound: Outbound;
  /** Keys and verification of agents and kladoi, and whether they may act at all. */
  processors: { keys: ProcessorKeysService; verification: VerificationService; standing: ProcessorStanding };
  invocations: Invocations;
}

/** What comes from outside: tests give their own. */
export interface Surroundings extends Pick<CarImportSurroundings, 'behind' | 'stopped'> {
  config: Config;
  secrets: Secrets;
  log: Log;
  instance: string;
  now: () => number;
  wait: SyncOptions['wait'];
  answerWindow?: SyncOptions['answerWindow'];
  /** What follows the writes: nobody waits for it but for moments. One that several nodes share outlives each of them. */
  follower?: SideThread;
  /** The threads of long reads, likewise. */
  readers?: ReaderThreads;
  writer?: Threads['writer'];
}

/** The composition root: builds each long-lived object once; disposing closes them in reverse. */
export async function openContext(surroundings: Surroundings): Promise<Context> {
  const { config, secrets, log, instance, now, wait, behind, stopped } = surroundings;
  await using opened = new AsyncDisposableStack();
  const follower = surroundings.follower ?? opened.use(new SideThread());
  const checkpoint = checkpointsOn(follower, (file, reason) => log.error({ database: file, reason }, 'storage failed'));
  refuseLostIdentity(config.data);
  const identity = opened.adopt(new Identity(config.data, { now, randomBytes, checkpoint }), (it) => it.close());
  const operator = identity.ensureOperator().account;
  const nodeKey = identity.ensureNodeKey();
  const firstUse = async (network: Network): Promise<void> => {
    const store = await networks.get(network);
    refuseForeignDatabase(store, operator.id);
    await leftovers.clear(store);
    await unfinished.opened(store);
    const complete = await carImports.resume(network);
    await users.ensureUser(network, operator);
    await events.opened(store);
    alignAliases(store, identity);
    try {
      logs.of(store);
      search.follow(store, searchLog);
      await invocations.resume(store).then(complete);
    } catch (error) {
      await Promise.all([logs.drop(store), search.drop(store)]);
      throw error;
    }
    // The last, as what completes imports: they work on the store from here on, which is closed again where something before has failed.
    additive.resume(store);
  };
  const readers = surroundings.readers ?? new ReaderThreads();
  const threads: Threads = {
    lend: (read) => pool.lend(read),
    checkpoint,
    readers,
    upgrading: (network, step) => log.info({ network, ...step }, 'a step of bringing the database up to date begins'),
    writer: surroundings.writer,
  };
  const outdated = (network: Network) =>
    log.warn({ network }, 'the database is brought up to date, after a copy is made of it; a large one takes minutes');
  const networks = opened.adopt(new Networks(config.data, firstUse, threads, outdated), (it) => it.close());
  // Ends before these: a writer that empties its log waits for those who read.
  if (!surroundings.readers) opened.use(readers);
  const logs = opened.use(new AttestationLogs({ key: nodeKey, instance, now, log, checkpoint }, follower));
  const leftovers = opened.use(new LeftoversService(networks, now, log));
  const events = opened.use(new EventsService(networks, now, log));
  const alone = new OneAtATime();

  const searchLog = log.child({ name: 'search' });
  const embedder = config.embed && new EndpointEmbedder({ ...config.embed, key: secrets.embed }, searchLog);
  const search = opened.use(new SearchEngine(embedder, follower));
  const links = new Links(randomBytes(32));
  const openFiles = () => openFilesOf(config.data, { identity, networks, logs });
  const pool: RequestPool = opened.use(new RequestPool({ config, networks, openFiles, now, log }));
  const services = buildServices({ config, networks, identity, search, links, large: pool, now });
  const { cascades, entities, expansions, diffs } = services.entities;
  const { users, writes, collections } = services;
  const unfinished = opened.use(
    new UnfinishedCascades({ resume: (...args) => cascades.resume(...args), networks, log }),
  );
  const undos = new UnderWay();
  const { newId, schema } = writes.env;
  const carImports = opened.use(
    new CarImportService({ networks, alone, undos, now, newId, schema, log, behind, stopped }),
  );
  const { publicUrl } = config;
  opened.use(services.bytes.uploads);
  const sessions = new SessionsService({
    sessions: new Sessions({ now, randomBytes }),
    account: operator.id,
    instance,
    publicUrl,
  });
  const outbound = opened.use(new Outbound());
  const requests = new RequestTally();
  const additive = opened.use(
    new AdditiveFollowers({
      writes,
      preparer: services.additions,
      large: { above: maxOnLoop, prepare: (...args) => pool.prepareAdditive(...args) },
      log,
    }),
  );
  const verification = new VerificationService({ ...config, writes, identity, outbound });
  const { content } = services.bytes;
  const allowed = new AllowedCommands(commandsFile(config));
  const exports = new ExportService({ networks, instance, version, now });
  const imports = new ImportsService(writes, collections, undos);
  const standing = new ProcessorStanding(networks);
  const local = opened.use(
    await openLocalProcessors({
      ...{ config, allowed, secrets, networks, entities, content, operator, version, log, now },
      ...{ updates: services.updates, standing, outs: new OutWatch(networks, standing) },
      kladoi: { invoke: (...args) => invocations.kladoi.jobs.invoke(...args) },
    }),
  );
  const invocations: Invocations = opened.use(
    new Invocations({
      ...{ config, networks, identity, services, nodeKey, outbound, log, now },
      reachOf: (id, endpoint) => verification.reachOf(id, endpoint),
      dispatchers: [local],
      checks: opened.use(new InputChecks()),
    }),
  );
  await networks.get(config.network);
  const sync = opened.use(
    new SyncEngine({
      ...{ networks, identity, service: config.service, instance, now, sealKey: secrets.seal },
      clock: () => performance.now(),
      random: Math.random,
      brake: config.syncBrake,
      ...{ wait, answerWindow: surroundings.answerWindow, environment: secrets.environment },
    }),
  );
  const watcher = opened.use(
    new Watcher({ sync, networks, data: config.data, now, random: Math.random, log: log.child({ name: 'sync' }) }),
  );
  const remotes = new RemotesService({ sync, watcher, now });

  const invites = new InvitesService(identity, { secret: secrets.alpha, now });
  const registration = takesTokens(config, secrets) ? (config.invitedOnly ? 'invited' : 'open') : 'closed';

  const operations = { ...services, entities, expansions, diffs, large: pool };
  const chat = new ChatService({
    ...config.chat,
    file: join(config.data, chatFile),
    checkpoint,
    model: chatModel({ ...config.chat, key: secrets.chat, service: config.service, now }, operations),
    now,
    log: log.child({ name: 'chat' }),
  });

  const checkpointFaults: CheckpointFaults = {
    node: () => ({ [identityFile]: identity.checkpointFault, [chatFile]: chat.checkpointFault }),
    network: (store) => inOne([store.activity().checkpointFault, logs.of(store).checkpointFault]),
  };

  const context = {
    ...services,
    config,
    loopShare,
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
      processors: standing,
      service: config.service,
      now,
    }),
    outbound,
    processors: { keys: new ProcessorKeysService({ writes, identity }), verification, standing },
    largeRequests: pool,
    requests,
    metrics: opened.use(
      new MetricsService({
        ...{ networks, runs: sync.runs, requests, bounds: durationBounds, large: pool, version, now },
        checkpointFaults,
      }),
    ),
    events,
    attestationLogs: logs,
    attestations: new AttestationsService({
      networks,
      permissions: services.permissions,
      logs,
      publicUrl: config.publicUrl,
    }),
    archives: {
      ...{ exports, carImports },
      prepared: new PreparedExportsService({ exports, networks, newId, now }),
    },
    leftovers,
    upkeep: opened.use(
      new UpkeepService({
        networks,
        data: config.data,
        openFiles: () => ({ ...openFiles(), [join(config.data, chatFile)]: chat.fileId }),
        instance,
        version,
        now,
        alone,
        logs,
        verifying: new OneAtATime(),
        search,
        sync,
      }),
    ),
    imports: {
      imports,
      previews: new ImportPreviewService(networks),
      undos: new ImportUndoService({ writes, imports, archives: carImports, undos }),
    },
    nodeKeys: new NodeKeysService(identity),
    status: new StatusService({
      ...{ networks, remotes, search, data: config.data, instance, version, publicUrl, now },
      checkpointFaults,
      resumed: (store) => [...carImports.resumed(store), ...invocations.resumed(store)],
    }),
    sync,
    remotes,
    watcher,
    syncLog: new SyncLogService({ networks, runs: sync.runs, now }),
    tables: new TablesService(writes),
    processorList: new ProcessorListService({ writes, allowed }),
    runs: new RunsService(writes),
    links: new LinksService(networks),
    names: new NamesService(writes),
    peers: {
      blocks: new BlocksService(networks, services.permissions),
      stream: new EventStreamService(networks, instance),
      pushes: new PushService(writes),
      histories: new HistoryService(networks),
    },
    chat: opened.use(chat),
    mcp: new McpService(
      nodeToolServer(operations, { version, writes: config.mcpWrites, log: log.child({ name: 'mcp' }) }),
    ),
    sessions,
    additive,
    invocations,
    system: new SystemService({ instance, version, service: config.service, document, nodeKey, now }),
    invites,
    people: new PeopleService({ identity, networks, invites, registration }),
  };
  const all = opened.move();
  return { ...context, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Half a megabyte of text, which a node that nobody asks for it is spared. */
async function document(): Promise<string> {
  return (await import('./generated/openapi.ts')).openapi;
}

/** Whether an identity provider is set up, whose users can register. */
function takesTokens({ jwt: { jwksUrl } }: Config, { jwt: { secret, publicKey } }: Secrets): boolean {
  return [jwksUrl, secret, publicKey].some((one) => one !== undefined);
}
