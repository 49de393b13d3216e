// The routes of the dashboard: a page is a line here, loaded when it is opened. Search parameters are the API's own names.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
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

const routeTree = root.addChildren([app.addChildren([overview])]);

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
