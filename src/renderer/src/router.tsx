import { createRootRoute, createRoute, createRouter, retainSearchParams } from '@tanstack/react-router';
import { Waiting } from './components/waiting.tsx';
import { AppShell } from './shell/app-shell.tsx';
import { ErrorScreen, NoSuchScreen } from './shell/error-screen.tsx';
import { lazyScreen } from './shell/lazy-screen.ts';
import { argoAddress } from './views/argo/argo-queries.ts';
import { tableAddress } from './views/collection/table-address.ts';
import { collectionsAddress } from './views/collections/collections-query.ts';
import { exportAddress } from './views/export/formats.ts';
import { graphAddress } from './views/graph/graph-address.ts';
import { membersAddress } from './views/members/members-queries.ts';
import { processAddress } from './views/process/process-address.ts';
import { newProcessorAddress, processorsAddress } from './views/processors/processors-address.ts';
import { searchAddress } from './views/search/search-query.ts';
import { Start } from './views/start/start.tsx';
import { logAddress } from './views/sync/log-address.ts';

// Every screen but the first is loaded when it is gone to.

const root = createRootRoute({
  component: AppShell,
  notFoundComponent: NoSuchScreen,
  validateSearch: ({ network }: { network?: unknown }): { network?: 'test' } => (network === 'test' ? { network } : {}),
  search: { middlewares: [retainSearchParams(['network'])] },
});

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const collections = createRoute({
  getParentRoute: () => root,
  path: '/collections',
  validateSearch: collectionsAddress,
  component: lazyScreen(() => import('./views/collections/collections.tsx'), 'Collections'),
});

const collection = createRoute({
  getParentRoute: () => root,
  path: '/collections/$id',
  validateSearch: tableAddress,
  // What is selected in one collection is not selected in the next.
  remountDeps: ({ params }) => params,
  component: lazyScreen(() => import('./views/collection/collection.tsx'), 'Collection'),
});

const members = createRoute({
  getParentRoute: () => root,
  path: '/collections/$id/members',
  validateSearch: membersAddress,
  component: lazyScreen(() => import('./views/members/members.tsx'), 'Members'),
});

const deletedCollections = createRoute({
  getParentRoute: () => root,
  path: '/collections/deleted',
  component: lazyScreen(() => import('./views/collection/deleted/deleted-collections.tsx'), 'DeletedCollections'),
});

const deleted = createRoute({
  getParentRoute: () => root,
  path: '/collections/$id/deleted',
  component: lazyScreen(() => import('./views/collection/deleted/deleted.tsx'), 'Deleted'),
});

const entity = createRoute({
  getParentRoute: () => root,
  path: '/entities/$id',
  component: lazyScreen(() => import('./views/entity/entity.tsx'), 'EntityScreen'),
});

const history = createRoute({
  getParentRoute: () => root,
  path: '/entities/$id/history',
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: string; to?: string } => ({
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof to === 'string' ? { to } : {}),
  }),
  component: lazyScreen(() => import('./views/history/history.tsx'), 'History'),
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: searchAddress,
  component: lazyScreen(() => import('./views/search/search.tsx'), 'Search'),
});

const argo = createRoute({
  getParentRoute: () => root,
  path: '/argo',
  validateSearch: argoAddress,
  component: lazyScreen(() => import('./views/argo/argo.tsx'), 'Argo'),
});

const graph = createRoute({
  getParentRoute: () => root,
  path: '/graph',
  validateSearch: graphAddress,
  component: lazyScreen(() => import('./views/graph/graph.tsx'), 'Graph'),
});

const sync = createRoute({
  getParentRoute: () => root,
  path: '/sync',
  validateSearch: ({ add }: Record<string, unknown>): { add?: true } => (add === true ? { add } : {}),
  component: lazyScreen(() => import('./views/sync/remotes.tsx'), 'Remotes'),
});

const remote = createRoute({
  getParentRoute: () => root,
  path: '/sync/remotes/$name',
  component: lazyScreen(() => import('./views/sync/remote.tsx'), 'RemoteScreen'),
});

const conflicts = createRoute({
  getParentRoute: () => root,
  path: '/sync/conflicts',
  component: lazyScreen(() => import('./views/sync/conflicts.tsx'), 'Conflicts'),
});

const conflict = createRoute({
  getParentRoute: () => root,
  path: '/sync/conflicts/$remote/$id',
  component: lazyScreen(() => import('./views/sync/conflict.tsx'), 'ConflictScreen'),
});

const syncLog = createRoute({
  getParentRoute: () => root,
  path: '/sync/log',
  validateSearch: logAddress,
  component: lazyScreen(() => import('./views/sync/log.tsx'), 'SyncLog'),
});

const imports = createRoute({
  getParentRoute: () => root,
  path: '/import',
  validateSearch: ({ run, collection }: Record<string, unknown>): { run?: string; collection?: string } => ({
    ...(typeof run === 'string' ? { run } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
  }),
  component: lazyScreen(() => import('./views/import/import.tsx'), 'Import'),
});

const exports = createRoute({
  getParentRoute: () => root,
  path: '/export',
  validateSearch: exportAddress,
  component: lazyScreen(() => import('./views/export/export.tsx'), 'Export'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyScreen(() => import('./views/settings/settings.tsx'), 'Settings'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/settings/keys',
  component: lazyScreen(() => import('./views/keys/keys.tsx'), 'Keys'),
});

const nodeSettings = createRoute({
  getParentRoute: () => root,
  path: '/settings/node',
  component: lazyScreen(() => import('./views/settings/node-settings.tsx'), 'NodeSettings'),
});

const processors = createRoute({
  getParentRoute: () => root,
  path: '/processors',
  validateSearch: processorsAddress,
  component: lazyScreen(() => import('./views/processors/processors.tsx'), 'Processors'),
});

const newProcessor = createRoute({
  getParentRoute: () => root,
  path: '/processors/new',
  validateSearch: newProcessorAddress,
  component: lazyScreen(() => import('./views/processors/new-processor.tsx'), 'NewProcessor'),
});

const processor = createRoute({
  getParentRoute: () => root,
  path: '/processors/$id',
  component: lazyScreen(() => import('./views/processors/processor.tsx'), 'Processor'),
});

const process = createRoute({
  getParentRoute: () => root,
  path: '/process',
  validateSearch: processAddress,
  component: lazyScreen(() => import('./views/process/process.tsx'), 'Process'),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyScreen(() => import('./views/jobs/jobs.tsx'), 'Jobs'),
});

const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$id',
  validateSearch: ({ at }: Record<string, unknown>): { at?: string } => (typeof at === 'string' ? { at } : {}),
  component: lazyScreen(() => import('./views/jobs/job.tsx'), 'Job'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    collections,
    collection,
    members,
    deletedCollections,
    deleted,
    entity,
    history,
    search,
    argo,
    graph,
    sync,
    remote,
    conflicts,
    conflict,
    syncLog,
    imports,
    exports,
    settings,
    keys,
    nodeSettings,
    processors,
    newProcessor,
    processor,
    process,
    jobs,
    job,
  ]),
  basepath: '/ui',
  defaultErrorComponent: ErrorScreen,
  defaultPendingComponent: Waiting,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // What an address says that its screen does not take, as a text where a list belongs, would be handed to that otherwise.
  search: { strict: true },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
