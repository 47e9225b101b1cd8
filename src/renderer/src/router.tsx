import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Waiting } from './components/waiting.tsx';
import { AppShell } from './shell/app-shell.tsx';
import { ErrorScreen, NoSuchScreen } from './shell/error-screen.tsx';
import { Start } from './views/start/start.tsx';

// Every screen but the first is loaded when it is gone to.

const root = createRootRoute({
  component: AppShell,
  notFoundComponent: NoSuchScreen,
  validateSearch: ({ network }: { network?: unknown }): { network?: 'test' } => (network === 'test' ? { network } : {}),
  search: { middlewares: [retainSearchParams(['network'])] },
});

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./views/settings/settings.tsx'), 'Settings'),
});

export const router = createRouter({
  routeTree: root.addChildren([start, settings]),
  basepath: '/ui',
  defaultErrorComponent: ErrorScreen,
  defaultPendingComponent: Waiting,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
