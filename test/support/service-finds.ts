// The finds of each file of src that finds, asked once each: tests record their shapes.
import type { Notification } from '../../src/domain/notification/state.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { RoutingRules } from '../../src/domain/routing/routing-rules.ts';
import type { User } from '../../src/domain/user/state.ts';
import type { WebhookQueue } from '../../src/domain/webhook-queue/state.ts';
import { forgetSnapshots } from '../../src/journal/fold-snapshots.ts';
import { removeOver } from '../../src/projections/engine/remove-over.ts';
import { accounts } from '../../src/projections/models/accounts.ts';
import { clientSessions } from '../../src/projections/models/client-sessions.ts';
import { type NotificationKey, notifications } from '../../src/projections/models/notifications.ts';
import { paymentInstruments } from '../../src/projections/models/payment-instruments.ts';
import { paymentMessages } from '../../src/projections/models/payment-messages.ts';
import { type PaymentKey, payments } from '../../src/projections/models/payments.ts';
import { forgetRequests } from '../../src/projections/models/request-log.ts';
import { type UserKey, users } from '../../src/projections/models/users.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { listApiKeys, readRoutings, usersOfAccount } from '../../src/queries/accounts.ts';
import { listClientSessions, listInstruments, type SessionStatus } from '../../src/queries/client-sessions.ts';
import { takenByConnection } from '../../src/queries/connection-totals.ts';
import { customerFinds } from '../../src/queries/customer-traces.ts';
import { listCheckpoints, listMessages, newestMessage } from '../../src/queries/events.ts';
import { endpointsOf, listDeliveries, untakenQueues } from '../../src/queries/list-deliveries.ts';
import { disputeOrders, listDisputes } from '../../src/queries/list-disputes.ts';
import { listPayments, type PaymentFilter } from '../../src/queries/list-payments.ts';
import { PARKED, parkedNotifications } from '../../src/queries/notifications.ts';
import { readDaysShown, readOverview } from '../../src/queries/overview.ts';
import { listCustomers, searchCustomers } from '../../src/queries/read-customers.ts';
import { paymentCalled } from '../../src/queries/read-payments.ts';
import { tryRouting } from '../../src/queries/routing.ts';
import { agreementsCharging } from '../../src/queries/saved-methods.ts';
import { searchPayments } from '../../src/queries/search-payments.ts';
import { openWork, unknownAnswers, unresolvedPayments } from '../../src/queries/unknown-outcomes.ts';
import { countFailingEndpoints, countMessages, recentDeliveries } from '../../src/queries/webhook-endpoints.ts';
import { StoreKey } from '../../src/secrets.ts';
import type { Collection, Finds, ReadModels } from '../../src/stores/read-models.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;

/** Filters whose pages are bounded by `place`: the second one is the store’s to check, in at most a thousand rows. */
const FILTERS: readonly PaymentFilter[] = [
  {},
  { fromDate: 1, toDate: 2 },
  ...(['orderId', 'customerId', 'last4Digits', 'status', 'currencyCode', 'processor'] as const).flatMap(
    (name): PaymentFilter[] => [{ [name]: ['a'] }, { [name]: ['a', 'b'], fromDate: 1 }],
  ),
  { derivedStatus: ['DISPUTED'] },
  { derivedStatus: ['DISPUTED', 'REFUND_NOT_KNOWN'], toDate: 2 },
  { declineCode: ['a'] },
  { sort: 'oldest' },
  { status: ['a'], sort: 'oldest' },
  { currencyCode: ['EUR'], sort: 'largest' },
  { currencyCode: ['EUR'], sort: 'smallest' },
  { declineCode: ['a', 'b'], fromDate: 1 },
];

/** Asks a due key as a policy does. */
const due = async <Doc extends object, K extends string>(
  at: Finds,
  of: Collection<Doc, K>,
  ...keys: readonly NoInfer<K>[]
): Promise<void> => {
  for (const by of keys) {
    const where: { [N in K]?: { readonly to: number } } = {};
    where[by] = { to: 1 };
    await at.find(of, { where, order: { by, descending: false }, limit: 10 });
  }
};

/** The finds of each file of src that finds. */
export const FINDS: Readonly<Record<string, (at: ReadModels) => Promise<unknown>>> = {
  'queries/list-payments.ts': (at) => Promise.all(FILTERS.map((filter) => listPayments(at)(ACCOUNT, filter, 20))),
  'queries/client-sessions.ts': async (at) => {
    const filters = [{}, { orderId: 'o' }, { customerId: 'c' }, { from: 1, to: 2 }];
    for (const filter of filters) {
      await listClientSessions(at)(ACCOUNT, filter, 1, 20);
      await listClientSessions(at)(ACCOUNT, { ...filter, isOldestFirst: true }, 1, 20);
      for (const status of ['OPEN', 'IN_PAYMENT', 'EXPIRED'] satisfies SessionStatus[])
        if (!('orderId' in filter || 'customerId' in filter))
          await listClientSessions(at)(ACCOUNT, { ...filter, status }, DAY_MS, 20);
    }
    await listClientSessions(at)(ACCOUNT, { derivedStatus: 'DISPUTED' }, 1, 20);
    await listInstruments(at)(ACCOUNT, 20);
  },
  'queries/list-disputes.ts': async (at) => {
    for (const sort of disputeOrders)
      for (const filter of [{}, { status: 'OPEN' }, { currencyCode: 'EUR' }] as const)
        await listDisputes(at)(ACCOUNT, { ...filter, sort }, 20);
  },
  'queries/events.ts': async (at) => {
    await listMessages(at)(ACCOUNT, { position: 3 }, 20);
    await newestMessage(at, ACCOUNT);
    await listCheckpoints(at)(20);
    await listCheckpoints(at)(20, 3);
  },
  'queries/list-deliveries.ts': async (at) => {
    const of = [{}, { accountId: ACCOUNT }, { endpointId: 'we_1' }, { accountId: ACCOUNT, endpointId: 'we_1' }];
    for (const query of of) {
      for (const status of ['delivered', 'failed'] as const)
        for (const range of [{}, { from: 1, to: 2 }]) await listDeliveries(at, { ...query, status, ...range }, 20);
      if ('endpointId' in query)
        for (const status of ['waiting', 'retrying'] as const)
          for (const range of [{}, { from: 1, to: 2 }]) await listDeliveries(at, { ...query, status, ...range }, 20);
      await listDeliveries(at, { ...query, paymentId: 'pay_1' }, 20);
    }
    for (const by of ['failedAt', 'retryingAt'] as const)
      await untakenQueues(at, { endpointId: 'we_1', since: 1, asOf: 2 }, 2, 20, { by });
    await endpointsOf(at);
    await endpointsOf(at, ACCOUNT);
  },
  'queries/webhook-endpoints.ts': async (at) => {
    for (const by of ['attemptedAt', 'dueAt', 'failedAt'] as const)
      await at.find<WebhookQueue, WebhookQueueKey>(webhookQueues, {
        where: { endpointId: ['we_1'] },
        order: { by, descending: true },
        limit: 1,
      });
    await countMessages(at)('we_1', DAY_MS);
    await countFailingEndpoints(at)(ACCOUNT, DAY_MS);
    await recentDeliveries(at)('we_1', DAY_MS);
  },
  'queries/connection-totals.ts': (at) => takenByConnection(at)(ACCOUNT, 40 * DAY_MS),
  'queries/unknown-outcomes.ts': async (at) => {
    await openWork(at, 20);
    await unresolvedPayments(at)(ACCOUNT, 1, 20);
    await unknownAnswers(at, 1, { limit: 20 });
  },
  'queries/overview.ts': async (at) => {
    await readOverview(at)(ACCOUNT, 10 * DAY_MS, 10 * DAY_MS, 10 * DAY_MS + 1, 'EUR');
    await readDaysShown(at)(ACCOUNT, DAY_MS);
  },
  'queries/read-payments.ts': (at) => paymentCalled(at)(ACCOUNT, 'sandbox', 'tx_1'),
  'queries/saved-methods.ts': (at) => agreementsCharging(at)('pm_1'),
  'queries/search-payments.ts': (at) => searchPayments(at, new StoreKey(Buffer.alloc(32)))(ACCOUNT, 'ada@shop.example'),
  'queries/read-customers.ts': async (at) => {
    await listCustomers(at)(ACCOUNT, 20);
    await searchCustomers(at, new StoreKey(Buffer.alloc(32)))(ACCOUNT, 'ada@shop.example');
  },
  'queries/customer-traces.ts': async (at) => {
    const { idsOfCustomer, tokensOfSession, notificationsAppliedTo } = customerFinds(at);
    await idsOfCustomer(ACCOUNT, 'c');
    await tokensOfSession('ses_1');
    await notificationsAppliedTo('pay_1');
  },
  'journal/fold-snapshots.ts': (at) => forgetSnapshots(at, ['payment-pay_1']),
  'queries/accounts.ts': async (at) => {
    await usersOfAccount(at)(ACCOUNT);
    await listApiKeys(at)(ACCOUNT);
    await due(at, accounts, 'createdAt');
    await readRoutings(at);
  },
  'queries/routing.ts': (at) => {
    const rules = RoutingRules.parse({ rules: [], default: { use: [{ connection: 'sandbox', weight: 1 }] } });
    return tryRouting(at, { draw: () => 0, unsupported: () => undefined })(
      ACCOUNT,
      { rules, connections: [] },
      { since: 1, most: 10 },
    );
  },
  'cli/admin/notifications.ts': (at) => at.find<Notification, NotificationKey>(notifications, { ...PARKED, limit: 10 }),
  'cli/serve/sampler.ts': (at) => due(at, notifications, 'parkedAt'),
  'queries/notifications.ts': (at) => parkedNotifications(at, ACCOUNT, 10),
  'policies/policy.ts': async (at) => {
    await due(at, payments, 'dueAt', 'expiresAt', 'disputeDueAt');
    await due(at, paymentInstruments, 'expiresAt', 'vaultingSince');
    await due(at, clientSessions, 'expiresAt');
    await due(at, notifications, 'receivedAt', 'retryAt');
    await due(at, users, 'sessionEndsAt');
  },
  'policies/walk.ts': async (at) => {
    await due(at, clientSessions, 'claimedAt');
    await due(at, paymentInstruments, 'claimedAt');
    await due(at, payments, 'endedAt');
    await due(at, paymentMessages, 'position');
  },
  'policies/leave-after-days.ts': (at) => at.find(webhookEndpoints, { where: {}, limit: 10 }),
  'projections/engine/remove-over.ts': async (at) => {
    const rest = async (): Promise<void> => undefined;
    await removeOver(at, webhookQueues, webhookQueues.overSince, 1, rest);
    await removeOver(at, webhookQueues, 'queuedAt', 1, rest, { endpointId: ['we_1'] });
  },
  'projections/models/request-log.ts': (at) => forgetRequests(at, 1, async () => undefined),
  'policies/ask-after-outages.ts': (at) =>
    at.find<Payment, PaymentKey>(payments, {
      where: { processor: ['sandbox'], dueAt: { from: 1 } },
      order: { by: 'dueAt', descending: false },
      limit: 10,
    }),
  'policies/webhook-lane.ts': (at) =>
    at.find<WebhookQueue, WebhookQueueKey>(webhookQueues, {
      where: { endpointId: ['we_1'], dueAt: { to: 1 } },
      order: { by: 'dueAt', descending: false },
      limit: 10,
    }),
  'policies/deliver-webhooks.ts': async (at) => {
    await at.find(webhookEndpoints, { where: { enabled: [true] }, limit: 10 });
    await at.find<WebhookQueue, WebhookQueueKey>(webhookQueues, {
      where: { endpointId: ['we_1', 'we_2'], dueAt: { to: 1 } },
      order: { by: 'dueAt', descending: false },
      limit: 10,
    });
  },
  'policies/queue-webhooks.ts': (at) =>
    at.find(webhookEndpoints, { where: { accountId: ['a', 'b'], enabled: [true] }, limit: 10 }),
  'policies/checkpoints.ts': (at) => at.find(webhookEndpoints, { where: { enabled: [true] }, limit: 10 }),
  'cli/serve/announce.ts': (at) =>
    at.find<User, UserKey>(users, {
      where: { signedInAt: { from: 0 } },
      order: { by: 'signedInAt', descending: false },
      limit: 1,
    }),
};
