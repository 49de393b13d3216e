// Webhook endpoints and the deliveries to them, for the command line and the dashboard.
import { deliveryIdOf } from '../commands/webhooks/resend-message.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint/state.ts';
import type { ExistingQueue, QueuedMessage } from '../domain/webhook-queue/state.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf, ofOneRequest } from './pages.ts';

/**
 * The endpoints of an account, or of all, in the order in which they were added; without short-lived ones that have
 * ended.
 */
export async function endpointsOf(
  readModels: ReadModels,
  accountId?: string,
): Promise<readonly Stored<ExistingEndpoint>[]> {
  const found: Stored<ExistingEndpoint>[] = [];
  for await (const row of allOf(readModels, webhookEndpoints, {
    where: accountId === undefined ? {} : { accountId: [accountId] },
  }))
    if (row.doc.status === 'enabled' || (row.doc.status === 'disabled' && row.doc.shortLived !== true))
      found.push({ ...row, doc: row.doc });
  return found.sort((a, b) => a.doc.addedAt - b.doc.addedAt || (a.id < b.id ? -1 : 1));
}

export interface Delivery {
  /** `webhooks resend` takes it. */
  readonly id: string;
  readonly queue: ExistingQueue;
  readonly message: QueuedMessage;
}

export interface DeliveriesQuery {
  readonly accountId?: string;
  readonly endpointId?: string;
  readonly paymentId?: string;
  readonly status?: QueuedMessage['status'];
  readonly eventType?: string;
}

/** Where a page ended. */
export interface DeliveriesPlace {
  readonly key: number;
  readonly id: string;
}

export interface DeliveriesPage {
  readonly deliveries: readonly Delivery[];
  readonly next?: DeliveriesPlace;
}

/** Queues that one page looks at: those of an endpoint whose messages all fail a filter may be many. */
const SCANNED = 500;
/** The most queues of one payment: as many as endpoints got its messages. */
const OF_PAYMENT = 1_000;

/**
 * A page of queues that have messages of the query, each with those messages, the newest first. The queue with the
 * newest message stands first; of those that wait, the one that is due next. `limit`: queues, 1 to 100. Deliveries of
 * one payment are all on one page.
 */
export async function listDeliveries(
  readModels: ReadModels,
  query: DeliveriesQuery,
  limit: number,
  after?: DeliveriesPlace,
): Promise<DeliveriesPage> {
  if (query.paymentId !== undefined)
    return { deliveries: await deliveriesOfPayment(readModels, query, query.paymentId) };
  const finds = ofOneRequest(readModels);
  const order = ORDERS[query.status ?? 'delivered'];
  const deliveries: Delivery[] = [];
  let place = after;
  let shown = 0;
  for (let scanned = 0; scanned < SCANNED && shown < limit; scanned += limit) {
    const left = limit - shown;
    const rows = await finds.find(webhookQueues, {
      where: whereOf(query),
      order,
      limit: left + 1,
      ...(place && { after: place }),
    });
    for (const { id, doc } of rows.slice(0, left)) {
      const found = doc.status === 'absent' ? [] : deliveriesIn(id, doc, query);
      deliveries.push(...found);
      if (found.length > 0) shown += 1;
      const key = webhookQueues.keys[order.by](doc);
      if (typeof key === 'number') place = { key, id };
    }
    if (rows.length <= left) return { deliveries };
  }
  return { deliveries, ...(place !== undefined && { next: place }) };
}

type DeliveryOrder = NonNullable<Query<WebhookQueueKey>['order']>;

/** Each along an index of its own. */
const ORDERS: { readonly [S in QueuedMessage['status']]: DeliveryOrder } = {
  delivered: { by: 'queuedAt', descending: true },
  failed: { by: 'failedAt', descending: true },
  waiting: { by: 'dueAt', descending: false },
};

const whereOf = ({ accountId, endpointId }: DeliveriesQuery): Query<WebhookQueueKey>['where'] => ({
  ...(accountId !== undefined && { accountId: [accountId] }),
  ...(endpointId !== undefined && { endpointId: [endpointId] }),
});

async function deliveriesOfPayment(
  readModels: ReadModels,
  query: DeliveriesQuery,
  paymentId: string,
): Promise<readonly Delivery[]> {
  const rows = await readModels.find(webhookQueues, {
    where: { ...whereOf(query), paymentId: [paymentId] },
    limit: OF_PAYMENT,
  });
  return rows
    .flatMap(({ id, doc }) => (doc.status === 'absent' ? [] : deliveriesIn(id, doc, query)))
    .sort((a, b) => b.message.sequence - a.message.sequence || b.message.queuedAt - a.message.queuedAt);
}

/** The newest first: all of them, or those of a status or type. */
export const deliveriesIn = (
  queueId: string,
  queue: ExistingQueue,
  { status, eventType }: Pick<DeliveriesQuery, 'status' | 'eventType'> = {},
): readonly Delivery[] =>
  queue.messages
    .filter(
      (message) =>
        (status === undefined || message.status === status) &&
        (eventType === undefined || message.eventType === eventType),
    )
    .map((message) => ({ id: deliveryIdOf(queueId, message.sequence), queue, message }))
    .reverse();
