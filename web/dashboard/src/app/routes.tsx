// The routes of the dashboard: a page is a line here, loaded when it is opened. Search parameters are the API's own names.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { operationsSearch } from '../pages/operations/operations-search.ts';
import { sandboxSearch } from '../pages/sandbox/sandbox-search.ts';
import { AppFrame } from './frame.tsx';
import { NotFound, PageFault } from './page-fault.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: PageFault });

/** The parent of every page of a signed-in user. */
const app = createRoute({ getParentRoute: () => root, id: 'app', component: AppFrame, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: '/developers/keys',
  component: lazyRouteComponent(() => import('../pages/developers/keys/keys-page.tsx'), 'KeysPage'),
});

const operations = createRoute({
  getParentRoute: () => app,
  path: '/operations',
  validateSearch: operationsSearch,
  component: lazyRouteComponent(() => import('../pages/operations/operations-page.tsx'), 'OperationsPage'),
});
const events = createRoute({
  getParentRoute: () => app,
  path: '/developers/events',
  validateSearch: operationsSearch,
  component: lazyRouteComponent(() => import('../pages/streams/events-page.tsx'), 'EventsPage'),
});
const sandbox = createRoute({
  getParentRoute: () => app,
  path: '/developers/sandbox',
  validateSearch: sandboxSearch,
  component: lazyRouteComponent(() => import('../pages/sandbox/sandbox-page.tsx'), 'SandboxPage'),
});

const requests = createRoute({
  getParentRoute: () => app,
  path: '/developers/requests',
  component: lazyRouteComponent(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
});

/** Every other path: the frame stays around the words. */
const elsewhere = createRoute({ getParentRoute: () => app, path: '$', component: NotFound });

const routeTree = root.addChildren([app.addChildren([elsewhere, overview, keys, requests, operations, events, sandbox])]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router;
  }
}
