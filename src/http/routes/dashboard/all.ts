// The dashboard's own API, below /dashboard/api: routes as values like all others, for users who are signed in. It has
// a description of its own, from which the types of the dashboard's client are made; the API of merchants does not name
// it.
import type { AccessControl } from '../../../commands/access/access.ts';
import type { Caller } from '../../../commands/caller.ts';
import type { DisputeAnswers } from '../../../commands/payments/payments.ts';
import type { PaymentLinks } from '../../../commands/sessions/payment-link.ts';
import type { Sessions } from '../../../commands/sessions/sessions.ts';
import type { Queries } from '../../../queries/queries.ts';
import { makeOwnStreams } from '../../../queries/streams/own-streams.ts';
import { forRoles, forUsers, type Route } from '../../route.ts';
import type { ErasureRouteNeeds } from '../customers.ts';
import { paymentLinkRoutes, payPageRoute } from '../payment-links.ts';
import { accountRoutes } from './account.ts';
import { apiKeyRoutes, type KeyCommands } from './api-keys.ts';
import { dashboardSessionRoutes } from './client-sessions.ts';
import { type ConnectionRouteNeeds, connectionRoutes } from './connections.ts';
import { customerRoutes } from './customers.ts';
import { dashboardDisputeRoutes } from './disputes.ts';
import { type NewestEventNeeds, newestEventRoutes } from './events.ts';
import { type IncomingRouteNeeds, incomingWebhookRoutes } from './incoming-webhooks.ts';
import { dashboardInstrumentRoutes } from './instruments.ts';
import { lagRoutes } from './lag.ts';
import { type LiveNeeds, liveRoutes } from './live.ts';
import { type NeedsRouteNeeds, needsRoutes } from './needs.ts';
import { type NodeRouteNeeds, nodeRoutes, type OperatorNeeds } from './nodes.ts';
import { type OverviewNeeds, overviewRoutes } from './overview.ts';
import { type ParkedRouteNeeds, parkedRoutes } from './parked.ts';
import { type NoteRouteNeeds, paymentNoteRoutes } from './payment-notes.ts';
import { dashboardPaymentOperations, type PaymentOperationNeeds } from './payment-operations.ts';
import { dashboardPaymentPast } from './payment-past.ts';
import { dashboardPaymentRoutes } from './payments.ts';
import { type ProjectionRouteNeeds, projectionRoutes } from './projections.ts';
import { type ProofRouteNeeds, proofRoutes } from './proof.ts';
import { requestRoutes } from './requests.ts';
import { type RoutingRouteNeeds, routingRoutes } from './routing.ts';
import { type DashboardSandbox, sandboxRoutes } from './sandbox.ts';
import { type SavedViewRouteNeeds, savedViewRoutes } from './saved-views.ts';
import { type SignInParts, signInRoutes } from './sign-in.ts';
import { streamRoutes } from './streams.ts';
import { userRoutes } from './users.ts';
import { type WebhookRouteNeeds, webhookRoutes } from './webhooks.ts';

export type OperationsNeeds = NodeRouteNeeds & ParkedRouteNeeds & ProjectionRouteNeeds & NewestEventNeeds;

/** Each subject's functions; a file of routes takes those that it calls. */
interface DashboardParts extends SignInParts, OverviewNeeds, ConnectionRouteNeeds {
  readonly projections: OverviewNeeds['projections'] & NeedsRouteNeeds['projections'];
  readonly access: KeyCommands &
    Pick<AccessControl, 'renameAccount'> &
    Pick<IncomingRouteNeeds, 'addIncomingWebhook' | 'revokeIncomingWebhook'>;
  readonly processors: IncomingRouteNeeds['processors'];
  readonly payments: Omit<PaymentOperationNeeds, 'readPayment'> & DisputeAnswers;
  readonly routing: RoutingRouteNeeds['routing'];
  readonly notes: Omit<NoteRouteNeeds, keyof Queries>;
  readonly views: Omit<SavedViewRouteNeeds, keyof Queries>;
  readonly queries: Queries;
  readonly sessions: Sessions & PaymentLinks;
  readonly webhooks: WebhookRouteNeeds['webhooks'];
  readonly audit: ProofRouteNeeds['audit'];
  readonly customers: ErasureRouteNeeds;
  readonly live: Pick<LiveNeeds, 'feed' | 'userOf'>;
  readonly operations?: OperationsNeeds;
  /** In test mode only. */
  readonly dashboardSandbox?: DashboardSandbox;
}

/** The roles that capture payments: a link may capture what it takes. */
const LINKS_BY_USER = {
  prefix: '/dashboard/api',
  reads: forUsers,
  changes: forRoles('owner', 'support'),
  callerOf: (caller: Caller): Caller => ({ ...caller, scopes: new Set(['transactions:capture']) }),
} as const;

export const dashboardRoutes = (parts: DashboardParts): readonly Route[] => {
  const { access, payments, sessions, queries, live, cookie, mode, operations, dashboardSandbox, processors } = parts;
  return [
    ...signInRoutes(parts),
    ...dashboardPaymentRoutes(queries),
    ...dashboardPaymentPast(queries),
    ...dashboardPaymentOperations({ ...payments, ...queries }),
    ...paymentNoteRoutes({ ...parts.notes, ...queries }),
    ...savedViewRoutes({ ...parts.views, ...queries }),
    ...dashboardDisputeRoutes({ ...payments, ...queries }),
    ...dashboardSessionRoutes(queries),
    ...paymentLinkRoutes({ ...sessions, ...queries }, LINKS_BY_USER),
    payPageRoute({ ...sessions, ...queries }),
    ...dashboardInstrumentRoutes(queries),
    ...customerRoutes({ ...queries, ...parts.customers }),
    ...accountRoutes(parts),
    ...userRoutes(parts),
    ...apiKeyRoutes({ ...access, ...queries, mode }),
    ...connectionRoutes(parts),
    ...routingRoutes(parts),
    ...proofRoutes({ ...parts, ...queries }),
    ...overviewRoutes(parts),
    ...needsRoutes(parts),
    ...lagRoutes(parts),
    ...liveRoutes({ ...live, cookie, queries }),
    ...webhookRoutes(parts),
    ...incomingWebhookRoutes({ ...access, ...queries, processors }),
    ...requestRoutes(queries),
    ...(operations === undefined ? [] : operationsRoutes({ ...operations, queries })),
    ...(dashboardSandbox === undefined ? [] : sandboxRoutes(dashboardSandbox)),
  ];
};

/** The Operations area: streams, read models, parked work, processes and processors. */
const operationsRoutes = (needs: OperationsNeeds & OperatorNeeds): readonly Route[] => [
  ...newestEventRoutes(needs),
  ...streamRoutes(makeOwnStreams(needs.events)),
  ...projectionRoutes(needs),
  ...parkedRoutes(needs),
  ...nodeRoutes(needs),
];
