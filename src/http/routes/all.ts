// Every route: the router mounts the lists, the descriptions print them and the tests walk them.
import type { Caller } from '../../commands/caller.ts';
import { openapi } from '../openapi.ts';
import { forRoles, forUsers, type Route } from '../route.ts';
import { accountRoutes } from './administration/account.ts';
import { apiKeyRoutes, managementKeyRoutes } from './administration/api-keys.ts';
import { connectionRoutes } from './administration/connections.ts';
import { erasureByKey, erasureByUser } from './administration/erasure.ts';
import { incomingWebhookRoutes } from './administration/incoming-webhooks.ts';
import { parkedRoutes } from './administration/parked.ts';
import { projectionRoutes } from './administration/projections.ts';
import { checkpointRoutes, proofRoutes } from './administration/proof.ts';
import { routingRoutes } from './administration/routing.ts';
import { untakenMessageRoutes } from './administration/untaken-messages.ts';
import { userRoutes } from './administration/users.ts';
import { OF_PROGRAMS, OF_USERS, type Way } from './administration/ways.ts';
import { webhookDeliveryRoutes } from './administration/webhook-deliveries.ts';
import { webhookEndpointRoutes } from './administration/webhook-endpoints.ts';
import { agreementRoutes } from './agreements.ts';
import { checkoutRoutes } from './checkout.ts';
import { clientSessionRoutes } from './client-session.ts';
import { accountConnectionRoutes } from './connections.ts';
import { dashboardAgreementRoutes } from './dashboard/agreements.ts';
import { dashboardInstrumentRoutes, dashboardSessionRoutes } from './dashboard/client-sessions.ts';
import { dashboardCustomerRoutes } from './dashboard/customers.ts';
import { dashboardDisputeRoutes } from './dashboard/disputes.ts';
import { liveRoutes } from './dashboard/live.ts';
import { needsRoutes } from './dashboard/needs.ts';
import { lagRoutes, nodeRoutes } from './dashboard/nodes.ts';
import { overviewRoutes } from './dashboard/overview.ts';
import { ownAccountRoutes } from './dashboard/own-account.ts';
import { paymentNoteRoutes } from './dashboard/payment-notes.ts';
import { dashboardPaymentPast } from './dashboard/payment-past.ts';
import { dashboardPaymentRoutes } from './dashboard/payments.ts';
import { requestRoutes } from './dashboard/requests.ts';
import { resolvePaymentRoute } from './dashboard/resolve-payment.ts';
import { dashboardSandboxRoutes } from './dashboard/sandbox.ts';
import { savedViewRoutes } from './dashboard/saved-views.ts';
import { signInRoutes } from './dashboard/sign-in.ts';
import { newestEventRoutes, streamRoutes } from './dashboard/streams.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import type { RouteParts, ServingParts } from './parts.ts';
import { paymentInstrumentRoutes } from './payment-instruments.ts';
import { paymentLinkRoutes, payPageRoute } from './payment-links.ts';
import { paymentChangeRoutes, paymentRoutes } from './payments.ts';
import { descriptionPage, publicRoutes } from './public.ts';
import { sandboxRoutes } from './sandbox.ts';
import { webhookRoutes } from './webhooks.ts';

const LINKS_BY_KEY = {
  prefix: '',
  reads: 'client_tokens:write',
  changes: 'client_tokens:write',
  callerOf: (caller: Caller) => caller,
} as const;

/** The API of merchants, in the order in which the router tries it: the routes that are called most come first. */
export function allRoutes(parts: RouteParts): readonly Route[] {
  const { readiness, sandbox } = parts;
  const api = [
    ...clientSessionRoutes(parts),
    ...paymentRoutes(parts),
    ...disputeRoutes(parts, { prefix: '', tag: 'Payments', scope: 'transactions:refund' }),
    ...checkoutRoutes(parts),
    ...paymentLinkRoutes(parts, LINKS_BY_KEY),
    ...paymentInstrumentRoutes(parts),
    ...agreementRoutes(parts),
    erasureByKey(parts),
    ...webhookRoutes(parts),
    ...eventRoutes(parts),
    ...checkpointRoutes(parts),
    ...accountConnectionRoutes(parts),
    ...(sandbox === undefined ? [] : sandboxRoutes(sandbox, parts)),
  ];
  return publicRoutes(readiness, api);
}

/** What users do and programs with a management key as well. */
const managedRoutes = (way: Way, parts: ServingParts): readonly Route[] => [
  ...apiKeyRoutes(way, parts),
  ...webhookEndpointRoutes(way, parts),
  ...userRoutes(way, parts),
  ...accountRoutes(way, parts),
];

/** Below /management (contract §12), with a description of its own; the API of merchants does not name it. */
export function managementRoutes(parts: ServingParts): readonly Route[] {
  const all: readonly Route[] = [
    ...managedRoutes(OF_PROGRAMS, parts),
    descriptionPage('/management/openapi.json', 'getManagementOpenApi', () => openapi(all, 'management')),
  ];
  return all;
}

/** The roles that capture payments: a link may capture what it takes. */
const MONEY = forRoles('owner', 'support');
const LINKS_BY_USER = {
  prefix: '/dashboard/api',
  reads: forUsers,
  changes: MONEY,
  callerOf: (caller: Caller): Caller => ({ ...caller, scopes: new Set(['transactions:capture']) }),
} as const;
const CHANGES_BY_USER = {
  prefix: '/dashboard/api',
  capture: MONEY,
  cancel: MONEY,
  refund: MONEY,
  adjust: MONEY,
  isConditional: true,
  hasDryRuns: false,
} as const;

/**
 * The dashboard's own API, below /dashboard/api, for users who are signed in. It has a description of its own, from
 * which the types of the dashboard's client are made; the API of merchants does not name it.
 */
export const dashboardRoutes = (parts: ServingParts): readonly Route[] => [
  ...signInRoutes(parts),
  ...ownAccountRoutes(parts),
  ...dashboardPaymentRoutes(parts),
  ...dashboardPaymentPast(parts),
  ...paymentChangeRoutes(parts, CHANGES_BY_USER),
  resolvePaymentRoute(parts),
  ...paymentNoteRoutes(parts),
  ...savedViewRoutes(parts),
  ...dashboardDisputeRoutes(parts),
  ...dashboardSessionRoutes(parts),
  ...paymentLinkRoutes(parts, LINKS_BY_USER),
  payPageRoute(parts),
  ...dashboardInstrumentRoutes(parts),
  ...dashboardCustomerRoutes(parts),
  ...dashboardAgreementRoutes(parts),
  erasureByUser(parts),
  ...managedRoutes(OF_USERS, parts),
  ...managementKeyRoutes(OF_USERS, parts),
  ...webhookDeliveryRoutes(parts),
  ...untakenMessageRoutes(parts),
  ...incomingWebhookRoutes(parts),
  ...connectionRoutes(parts),
  ...routingRoutes(parts),
  ...proofRoutes(parts),
  ...parkedRoutes(parts),
  ...projectionRoutes(parts),
  ...overviewRoutes(parts),
  ...needsRoutes(parts),
  ...lagRoutes(parts),
  ...liveRoutes(parts),
  ...requestRoutes(parts),
  ...newestEventRoutes(parts),
  ...streamRoutes(parts),
  ...nodeRoutes(parts),
  ...(parts.dashboardSandbox === undefined ? [] : dashboardSandboxRoutes(parts.dashboardSandbox, parts)),
];
