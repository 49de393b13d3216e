// Webhook endpoints and the deliveries to them, for the command line and the dashboard.
import { deliveryIdOf } from '../commands/webhooks/resend-message.ts';
import { type EndpointState, type ExistingEndpoint, endpointState } from '../domain/webhook-endpoint.ts';
import { type Untaken, untakenMessages } from '../domain/webhook-queue/decide.ts';
import {
  type DeliveryStatus,
  deliveryStatus,
  type ExistingQueue,
  type QueuedMessage,
  type WebhookQueue,
} from '../domain/webhook-queue/state.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf, ofOneRequest } from './pages.ts';

/**
 * The endpoints of an account, or of all, in the order in which they were added; without deleted ones, and short-lived
 * ones that have ended.
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
  readonly accountId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  /** Messages that were queued in this range, both ends included; ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Where a page ended. */
export interface DeliveriesPlace {
  readonly key: number;
  readonly id: string;
}

interface DeliveriesPage {
  readonly deliveries: readonly Delivery[];
  readonly next?: DeliveriesPlace;
}

/** Queues that one page looks at: those of an endpoint whose messages all fail a filter may be many. */
const SCANNED = 500;
/** The most queues of one payment: as many as endpoints got its messages. */
const OF_PAYMENT = 1_000;

/**
 * A page of queues that have messages of the query, each with those messages, the newest first. The queue with the
 * newest message of the status is first; of those that wait, the one with the oldest. `limit`: queues, 1 to 100.
 * Deliveries of one payment are all on one page. A range of time is that of the message by which its queue is ordered:
 * an older message is left out while the same payment has a newer one after `to`.
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
  const where = { ...whereOf(query), ...inRange(order, query) };
  const deliveries: Delivery[] = [];
  let place = after;
  let shown = 0;
  for (let scanned = 0; scanned < SCANNED && shown < limit; scanned += limit) {
    const left = limit - shown;
    const rows = await finds.find(webhookQueues, {
      where,
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
const ORDERS: { readonly [S in DeliveryStatus]: DeliveryOrder } = {
  delivered: { by: 'queuedAt', descending: true },
  failed: { by: 'failedAt', descending: true },
  retrying: { by: 'retryingAt', descending: true },
  waiting: { by: 'waitingAt', descending: false },
};

/** A queue whose oldest waiting message is before `from` may have a later one. */
function inRange({ by, descending }: DeliveryOrder, { from, to }: DeliveriesQuery): Query<WebhookQueueKey>['where'] {
  const range = { ...(descending && from !== undefined && { from }), ...(to !== undefined && { to }) };
  return Object.keys(range).length === 0 ? {} : { [by]: range };
}

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

/** Where messages go, and whether they do. */
interface Receiving {
  readonly url: string;
  readonly state: EndpointState;
}

/** The endpoints of deliveries by id, even deleted ones. */
export const endpointsOfDeliveries =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (deliveries: readonly Delivery[]): Promise<ReadonlyMap<string, Receiving>> => {
    const ids = new Set(deliveries.map(({ queue }) => queue.endpointId));
    const rows = ids.size === 0 ? [] : await readModels.get(webhookEndpoints, [...ids]);
    return new Map(
      rows.flatMap(({ id, doc }) =>
        doc.status === 'absent' ? [] : [[id, { url: doc.url, state: endpointState(doc) }]],
      ),
    );
  };

/** The newest first: all of them, or those of a status or type. */
export const deliveriesIn = (
  queueId: string,
  queue: ExistingQueue,
  { status, eventType, from, to }: Pick<DeliveriesQuery, 'status' | 'eventType' | 'from' | 'to'> = {},
): readonly Delivery[] =>
  queue.messages
    .filter(
      (message) =>
        (status === undefined || deliveryStatus(message) === status) &&
        (eventType === undefined || message.eventType === eventType) &&
        (from === undefined || message.queuedAt >= from) &&
        (to === undefined || message.queuedAt <= to),
    )
    .map((message) => ({ id: deliveryIdOf(queueId, message.sequence), queue, message }))
    .reverse();

/** Which untaken messages are counted or resent. */
export interface UntakenQuery extends Untaken {
  readonly endpointId: string;
}

/** Where a run over the queues with untaken messages goes on. */
export interface UntakenPlace {
  readonly by: 'failedAt' | 'retryingAt';
  readonly after?: DeliveriesPlace | undefined;
}

export interface UntakenPage {
  readonly queueIds: readonly string[];
  /** The number of untaken messages in these queues. */
  readonly messages: number;
  readonly next?: UntakenPlace;
}

/**
 * A page of the queues of an endpoint that have untaken messages: those with a failed message, then those whose
 * messages are retried. `at`: now, in ms. `limit`: the queues that are looked at, 1 to 1000.
 */
export async function untakenQueues(
  readModels: Pick<ReadModels, 'find'>,
  { endpointId, ...untaken }: UntakenQuery,
  at: number,
  limit: number,
  { by, after }: UntakenPlace = { by: 'failedAt' },
): Promise<UntakenPage> {
  const where: Query<WebhookQueueKey>['where'] = { endpointId: [endpointId], [by]: { from: untaken.since } };
  const order = { by, descending: true };
  const rows = await readModels.find<WebhookQueue, WebhookQueueKey>(webhookQueues, {
    where,
    order,
    limit,
    ...(after !== undefined && { after }),
  });
  const isFirstPass = by === 'failedAt';
  const found = rows.flatMap(({ id, doc }) => {
    const wasFound = !isFirstPass && Number(webhookQueues.keys.failedAt(doc) ?? -1) >= untaken.since;
    const count = wasFound ? 0 : untakenMessages(doc, untaken, at).length;
    return count === 0 ? [] : [{ id, count }];
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const key = last && webhookQueues.keys[by](last.doc);
  const next: UntakenPlace | undefined =
    last !== undefined && typeof key === 'number'
      ? { by, after: { key, id: last.id } }
      : isFirstPass
        ? { by: 'retryingAt' }
        : undefined;
  return {
    queueIds: found.map(({ id }) => id),
    messages: found.reduce((sum, { count }) => sum + count, 0),
    ...(next !== undefined && { next }),
  };
}

/** The most queues that are counted. */
export const COUNTED = 2_000;

/** Counts untaken messages. `isMore`: there are more than were counted. `most`: the queues that are looked at. */
export async function countUntaken(
  readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>,
  query: UntakenQuery,
  at: number,
  most = COUNTED,
): Promise<{ readonly count: number; readonly isMore: boolean }> {
  const finds = ofOneRequest(readModels);
  const step = Math.min(LOOKED_AT, most / 2);
  let count = 0;
  let place: UntakenPlace | undefined = { by: 'failedAt' };
  for (let looked = 0; looked < most && place !== undefined; looked += step) {
    const page: UntakenPage = await untakenQueues(finds, query, at, step, place);
    count += page.messages;
    place = page.next;
  }
  return { count, isMore: place !== undefined };
}

/** Queues that one find looks at. */
const LOOKED_AT = 500;
