import type { Context } from '../context.ts';
import { AuthController } from '../resources/auth/controller.ts';
import { CollectionsController } from '../resources/collections/controller.ts';
import { EntitiesController } from '../resources/entities/controller.ts';
import { EventsController } from '../resources/events/controller.ts';
import { ArchivesController } from '../resources/node/archives/controller.ts';
import { ImportsController } from '../resources/node/imports/controller.ts';
import { NodeKeysController } from '../resources/node/keys/controller.ts';
import { RemotesController } from '../resources/node/remotes/controller.ts';
import { SessionsController } from '../resources/node/sessions/controller.ts';
import { StatusController } from '../resources/node/status/controller.ts';
import { UpkeepController } from '../resources/node/upkeep/controller.ts';
import { PermissionsController } from '../resources/permissions/controller.ts';
import { RelationshipsController } from '../resources/relationships/controller.ts';
import { SystemController } from '../resources/system/controller.ts';
import { UsersController } from '../resources/users/controller.ts';
import { VersionsController } from '../resources/versions/controller.ts';

/** A controller's class; each request gets an object of its own. */
export type ControllerClass = abstract new (...args: never[]) => object;

/** How each controller is made from the context; a new controller is added here. */
const factories = new Map<ControllerClass, (ctx: Context) => object>([
  [ArchivesController, (ctx) => new ArchivesController(ctx.archives)],
  [AuthController, (ctx) => new AuthController(ctx.auth)],
  [CollectionsController, (ctx) => new CollectionsController(ctx.collections)],
  [EntitiesController, (ctx) => new EntitiesController(ctx.entities)],
  [EventsController, (ctx) => new EventsController(ctx.events)],
  [ImportsController, (ctx) => new ImportsController(ctx.imports)],
  [NodeKeysController, (ctx) => new NodeKeysController(ctx.nodeKeys)],
  [StatusController, (ctx) => new StatusController(ctx.status)],
  [PermissionsController, (ctx) => new PermissionsController(ctx.permissions)],
  [RelationshipsController, (ctx) => new RelationshipsController(ctx.relationships)],
  [RemotesController, (ctx) => new RemotesController(ctx.remotes)],
  [SessionsController, (ctx) => new SessionsController(ctx.sessions)],
  [UpkeepController, (ctx) => new UpkeepController(ctx.upkeep)],
  [UsersController, (ctx) => new UsersController(ctx.users)],
  [VersionsController, (ctx) => new VersionsController(ctx.versions)],
  [SystemController, (ctx) => new SystemController(ctx.system)],
]);

/** The factory of a controller. @throws Error for a controller that is missing above, when routes are set up. */
export function factoryOf(controller: ControllerClass): (ctx: Context) => object {
  const factory = factories.get(controller);
  if (!factory) throw new Error(`${controller.name} is missing from http/ioc.ts`);
  return factory;
}
