// The dashboard's own API, below /dashboard/api: routes as values like all others, for users who are signed in. It has a description of
// its own, from which the types of the dashboard's client are made; the API of merchants does not name it.
import type { Route } from '../../route.ts';

/** Each subject's functions; a file of routes takes those that it calls. */
export type DashboardParts = object;

export const dashboardRoutes = (_parts: DashboardParts): readonly Route[] => [];
