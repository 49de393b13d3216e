// Every route: the router mounts the list, the description prints it and the tests walk it.
import type { Caller } from '../../commands/caller.ts';
import type { AccountConnections } from '../../commands/connections/connections.ts';
import type { Instruments } from '../../commands/instruments/instruments.ts';
import type { Notifications } from '../../commands/notifications/notifications.ts';
import type { Payments } from '../../commands/payments/payments.ts';
import type { PaymentLinks } from '../../commands/sessions/payment-link.ts';
import type { Sessions } from '../../commands/sessions/sessions.ts';
import type { Webhooks } from '../../commands/webhooks/webhooks.ts';
import type { Processor } from '../../processors/processor.ts';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import type { Queries } from '../../queries/queries.ts';
import type { Route } from '../route.ts';
import { auditRoutes } from './audit.ts';
import { checkoutRoutes } from './checkout.ts';
import { clientSessionRoutes } from './client-session.ts';
import { customerRoutes, type ErasureRouteNeeds } from './customers.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import { paymentInstrumentRoutes } from './payment-instruments.ts';
import { paymentLinkRoutes } from './payment-links.ts';
import { paymentRoutes } from './payments.ts';
import { publicRoutes } from './public.ts';
import { type FurtherSandbox, type SandboxInspection, sandboxRoutes } from './sandbox.ts';
import { webhookRoutes } from './webhooks.ts';

/** Each subject's functions; a file of routes takes those that it calls. */
export interface RouteParts {
  readonly sessions: Sessions & PaymentLinks;
  readonly instruments: Instruments;
  readonly customers: ErasureRouteNeeds;
  readonly payments: Payments;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly queries: Queries;
  /** The processors that this node can call. */
  readonly processors: ReadonlyMap<string, Processor>;
  readonly connections: { readonly known: Pick<AccountConnections, 'read'> };
  readonly readiness: () => Ready;
  /** In test mode only. */
  readonly sandbox?: SandboxInspection;
}

const LINKS_BY_KEY = {
  prefix: '',
  reads: 'client_tokens:write',
  changes: 'client_tokens:write',
  callerOf: (caller: Caller) => caller,
} as const;

/** In the order in which the router tries them: the routes that are called most come first. */
export function allRoutes(parts: RouteParts): readonly Route[] {
  const { sessions, instruments, customers, payments, notifications, webhooks, queries, processors } = parts;
  const { readiness, sandbox } = parts;
  const isFurther: FurtherSandbox = async (accountId, connectionId) => {
    const row = await parts.connections.known.read(connectionId);
    return row?.doc.accountId === accountId && row.doc.processor === 'sandbox';
  };
  const api = [
    ...clientSessionRoutes({ ...sessions, ...payments, ...queries, processors }),
    ...paymentRoutes({ ...payments, ...queries }),
    ...disputeRoutes(payments, { prefix: '', tag: 'Payments', scope: 'transactions:refund' }),
    ...checkoutRoutes({ ...instruments, ...payments, ...queries, processors }),
    ...paymentLinkRoutes({ ...sessions, ...queries }, LINKS_BY_KEY),
    ...paymentInstrumentRoutes({ ...instruments, ...queries }),
    ...customerRoutes(customers),
    ...webhookRoutes(notifications),
    ...eventRoutes({ ...queries, ...webhooks }),
    ...auditRoutes({ ...queries }),
    ...(sandbox === undefined ? [] : sandboxRoutes(sandbox, isFurther)),
  ];
  return publicRoutes(readiness, api);
}
