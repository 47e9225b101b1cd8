import type { Context } from '../context.ts';
import { AgentJobsController } from '../resources/agent-jobs/controller.ts';
import { AgentAccessController } from '../resources/agents/access/controller.ts';
import { AgentsController } from '../resources/agents/controller.ts';
import { AlphaController } from '../resources/alpha/controller.ts';
import { AttestationsController } from '../resources/attestations/controller.ts';
import { AuthController } from '../resources/auth/controller.ts';
import { ChatController } from '../resources/chat/controller.ts';
import { CollectionsController } from '../resources/collections/controller.ts';
import { ConnectController } from '../resources/connect/controller.ts';
import { ContentController } from '../resources/content/controller.ts';
import { EntitiesController } from '../resources/entities/controller.ts';
import { EventsController } from '../resources/events/controller.ts';
import { FilesController } from '../resources/files/controller.ts';
import { FoldersController } from '../resources/folders/controller.ts';
import { GraphController } from '../resources/graph/controller.ts';
import { KladosAccessController } from '../resources/kladoi/access/controller.ts';
import { KladoiController } from '../resources/kladoi/controller.ts';
import { KladosJobsController } from '../resources/klados-jobs/controller.ts';
import { McpController } from '../resources/mcp/controller.ts';
import { ArchivesController } from '../resources/node/archives/controller.ts';
import { ConflictsController } from '../resources/node/conflicts/controller.ts';
import { ImportsController } from '../resources/node/imports/controller.ts';
import { RunsController } from '../resources/node/jobs/controller.ts';
import { NodeKeysController } from '../resources/node/keys/controller.ts';
import { LinksController } from '../resources/node/links/controller.ts';
import { MetricsController } from '../resources/node/metrics/controller.ts';
import { NamesController } from '../resources/node/names/controller.ts';
import { PeersController } from '../resources/node/peers/controller.ts';
import { PeopleController } from '../resources/node/people/controller.ts';
import { ProcessorListController } from '../resources/node/processors/controller.ts';
import { RemotesController } from '../resources/node/remotes/controller.ts';
import { SessionsController } from '../resources/node/sessions/controller.ts';
import { StatusController } from '../resources/node/status/controller.ts';
import { SyncLogController } from '../resources/node/sync/controller.ts';
import { TablesController } from '../resources/node/tables/controller.ts';
import { TransfersController } from '../resources/node/transfers/controller.ts';
import { UpkeepController } from '../resources/node/upkeep/controller.ts';
import { PermissionsController } from '../resources/permissions/controller.ts';
import { QueryController } from '../resources/query/controller.ts';
import { RelationshipsController } from '../resources/relationships/controller.ts';
import { RhizaJobsController } from '../resources/rhiza-jobs/controller.ts';
import { RhizaiController } from '../resources/rhizai/controller.ts';
import { SearchController } from '../resources/search/controller.ts';
import { MySearchController } from '../resources/search/mine/controller.ts';
import { SystemController } from '../resources/system/controller.ts';
import { UpdatesController } from '../resources/updates/controller.ts';
import { UsersController } from '../resources/users/controller.ts';
import { VersionsController } from '../resources/versions/controller.ts';
import type { Services } from '../services.ts';

/** A controller's class; each request gets an object of its own. */
export type ControllerClass = abstract new (...args: never[]) => object;

/** Controllers that need the services alone: a large request to them is served by a thread that has its own (services.ts). */
const onServices = new Map<ControllerClass, (services: Services) => object>([
  [AgentsController, ({ agents }) => new AgentsController(agents)],
  [AuthController, ({ auth }) => new AuthController(auth)],
  [CollectionsController, ({ collections }) => new CollectionsController(collections)],
  [ConflictsController, ({ conflicts }) => new ConflictsController(conflicts)],
  [ConnectController, ({ relationships }) => new ConnectController(relationships)],
  [ContentController, ({ bytes }) => new ContentController(bytes)],
  [EntitiesController, ({ entities }) => new EntitiesController(entities)],
  [FilesController, ({ bytes }) => new FilesController(bytes)],
  [FoldersController, ({ folders }) => new FoldersController(folders)],
  [GraphController, ({ graph }) => new GraphController(graph)],
  [KladoiController, ({ kladoi }) => new KladoiController(kladoi)],
  [PermissionsController, ({ permissions }) => new PermissionsController(permissions)],
  [QueryController, ({ query }) => new QueryController(query)],
  [RelationshipsController, ({ relationships }) => new RelationshipsController(relationships)],
  [SearchController, ({ search }) => new SearchController(search)],
  [MySearchController, ({ search }) => new MySearchController(search.texts)],
  [RhizaiController, ({ rhizai }) => new RhizaiController(rhizai)],
  [UpdatesController, ({ updates }) => new UpdatesController(updates)],
  [UsersController, ({ users }) => new UsersController(users)],
  [VersionsController, ({ versions }) => new VersionsController(versions)],
]);

/** Controllers of what the node has only once: a feed, tasks, accounts of its own. */
const onContext = new Map<ControllerClass, (ctx: Context) => object>([
  [AgentAccessController, (ctx) => new AgentAccessController(ctx.processors)],
  [KladosAccessController, (ctx) => new KladosAccessController(ctx.processors)],
  [AgentJobsController, (ctx) => new AgentJobsController(ctx.invocations.agents)],
  [AlphaController, (ctx) => new AlphaController(ctx.invites)],
  [ArchivesController, (ctx) => new ArchivesController(ctx.archives)],
  [ChatController, (ctx) => new ChatController(ctx.chat)],
  [AttestationsController, (ctx) => new AttestationsController(ctx.attestations)],
  [EventsController, (ctx) => new EventsController(ctx.events)],
  [KladosJobsController, (ctx) => new KladosJobsController(ctx.invocations.kladoi)],
  [RhizaJobsController, (ctx) => new RhizaJobsController(ctx.invocations.rhizai)],
  [ImportsController, (ctx) => new ImportsController(ctx.imports)],
  [McpController, (ctx) => new McpController(ctx.mcp)],
  [MetricsController, (ctx) => new MetricsController(ctx.metrics)],
  [NodeKeysController, (ctx) => new NodeKeysController(ctx.nodeKeys)],
  [PeersController, (ctx) => new PeersController(ctx.peers)],
  [PeopleController, (ctx) => new PeopleController(ctx.people)],
  [ProcessorListController, (ctx) => new ProcessorListController(ctx.processorList)],
  [SyncLogController, (ctx) => new SyncLogController(ctx.syncLog)],
  [RemotesController, (ctx) => new RemotesController(ctx.remotes)],
  [RunsController, (ctx) => new RunsController(ctx.runs, ctx.invocations.kladoi.reinvocations)],
  [SessionsController, (ctx) => new SessionsController(ctx.sessions)],
  [StatusController, (ctx) => new StatusController(ctx.status)],
  [SystemController, (ctx) => new SystemController(ctx.system)],
  [LinksController, (ctx) => new LinksController(ctx.links)],
  [NamesController, (ctx) => new NamesController(ctx.names)],
  [TablesController, (ctx) => new TablesController(ctx.tables)],
  [TransfersController, (ctx) => new TransfersController(ctx.bytes)],
  [UpkeepController, (ctx) => new UpkeepController(ctx.upkeep)],
]);

/** The factory of a controller; a new controller is added above. @throws Error for one that is missing there, when routes are set up. */
export function factoryOf(controller: ControllerClass): (ctx: Context) => object {
  const factory = serviceFactoryOf(controller) ?? onContext.get(controller);
  if (!factory) throw new Error(`${controller.name} is missing from http/ioc.ts`);
  return factory;
}

/** The factory of a controller that needs the services alone; undefined for the others. */
export function serviceFactoryOf(controller: ControllerClass): ((services: Services) => object) | undefined {
  return onServices.get(controller);
}
