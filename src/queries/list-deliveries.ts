// Webhook endpoints and the deliveries to them, for the command line and the dashboard.
import { deliveryIdOf } from '../commands/webhooks/resend-message.ts';
import type { ExistingEndpoint } from '../domain/webhook-endpoint/state.ts';
import type { ExistingQueue, QueuedMessage } from '../domain/webhook-queue/state.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

/** The endpoints of an account, or of all, in the order in which they were added. */
export async function endpointsOf(readModels: ReadModels, accountId?: string): Promise<readonly Stored<ExistingEndpoint>[]> {
  const found: Stored<ExistingEndpoint>[] = [];
  for await (const row of allOf(readModels, webhookEndpoints, { where: accountId === undefined ? {} : { accountId: [accountId] } }))
    if (row.doc.status !== 'absent') found.push({ ...row, doc: row.doc });
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
  /** Only those that have failed for good. */
  readonly isFailed?: boolean;
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

/** A page of queues, those with the newest message first, each with its messages, the newest first. `limit`: queues, 1 to 100. */
export async function listDeliveries(
  readModels: ReadModels,
  { accountId, endpointId, paymentId, isFailed = false }: DeliveriesQuery,
  limit: number,
  after?: DeliveriesPlace,
): Promise<DeliveriesPage> {
  const where: Query<WebhookQueueKey>['where'] = {
    ...(accountId !== undefined && { accountId: [accountId] }),
    ...(endpointId !== undefined && { endpointId: [endpointId] }),
    ...(paymentId !== undefined && { paymentId: [paymentId] }),
  };
  const order: Query<WebhookQueueKey>['order'] = { by: isFailed ? 'failedAt' : 'queuedAt', descending: true };
  const rows = await readModels.find(webhookQueues, { where, order, limit: limit + 1, ...(after && { after }) });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const key = last === undefined ? undefined : webhookQueues.keys.queuedAt(last.doc);
  return {
    deliveries: shown.flatMap(({ id, doc }) => (doc.status === 'absent' ? [] : deliveriesIn(id, doc, isFailed))),
    ...(rows.length > limit && last !== undefined && typeof key === 'number' && { next: { key, id: last.id } }),
  };
}

/** The newest first; all of them, or those that have failed for good. */
export const deliveriesIn = (queueId: string, queue: ExistingQueue, isFailed = false): readonly Delivery[] =>
  queue.messages
    .filter(({ status }) => !isFailed || status === 'failed')
    .map((message) => ({ id: deliveryIdOf(queueId, message.sequence), queue, message }))
    .reverse();
