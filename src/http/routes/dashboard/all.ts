// The dashboard's own API, below /dashboard/api: routes as values like all others, for users who are signed in. It has a description of
// its own, from which the types of the dashboard's client are made; the API of merchants does not name it.
import type { Queries } from '../../../queries/queries.ts';
import type { Route } from '../../route.ts';
import { accountRoutes } from './account.ts';
import { apiKeyRoutes, type KeyCommands } from './api-keys.ts';
import { type IncomingRouteNeeds, incomingWebhookRoutes } from './incoming-webhooks.ts';
import { lagRoutes } from './lag.ts';
import { type LiveNeeds, liveRoutes } from './live.ts';
import { type OperationsNeeds, operationsRoutes } from './operations.ts';
import { type OverviewNeeds, overviewRoutes } from './overview.ts';
import { type PaymentPagesNeeds, paymentPagesRoutes } from './payment-pages.ts';
import { requestRoutes } from './requests.ts';
import { type DashboardSandbox, sandboxRoutes } from './sandbox.ts';
import { type SignInParts, signInRoutes } from './sign-in.ts';
import { userRoutes } from './users.ts';
import { type WebhookRouteNeeds, webhookRoutes } from './webhooks.ts';

/** Each subject's functions; a file of routes takes those that it calls. */
export interface DashboardParts extends SignInParts, OverviewNeeds {
  readonly access: KeyCommands & Pick<IncomingRouteNeeds, 'addIncomingWebhook' | 'revokeIncomingWebhook'>;
  readonly processors: IncomingRouteNeeds['processors'];
  readonly payments: PaymentPagesNeeds['payments'];
  readonly queries: Queries;
  readonly webhooks: WebhookRouteNeeds['webhooks'];
  readonly live: Pick<LiveNeeds, 'feed' | 'userOf'>;
  readonly operations?: OperationsNeeds;
  /** In test mode only. */
  readonly dashboardSandbox?: DashboardSandbox;
}

export const dashboardRoutes = (parts: DashboardParts): readonly Route[] => {
  const { access, queries, live, cookie, mode, operations, dashboardSandbox, processors } = parts;
  return [
    ...signInRoutes(parts),
    ...paymentPagesRoutes(parts),
    ...accountRoutes(parts),
    ...userRoutes(parts),
    ...apiKeyRoutes({ ...access, ...queries, mode }),
    ...overviewRoutes(parts),
    ...lagRoutes(parts),
    ...liveRoutes({ ...live, cookie }),
    ...webhookRoutes(parts),
    ...incomingWebhookRoutes({ ...access, ...queries, processors }),
    ...requestRoutes(queries),
    ...(operations === undefined ? [] : operationsRoutes(operations)),
    ...(dashboardSandbox === undefined ? [] : sandboxRoutes(dashboardSandbox)),
  ];
};
