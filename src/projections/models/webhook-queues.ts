// Webhook queues: found by endpoint while a message is due, by the last attempt, by the newest message, and those with
// a failed delivery.
import { attemptedAtOf, dueAtOf, type WebhookQueue, webhookQueue } from '../../domain/webhook-queue/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type WebhookQueueKey =
  | 'accountId'
  | 'endpointId'
  | 'paymentId'
  | 'dueAt'
  | 'attemptedAt'
  | 'queuedAt'
  | 'failedAt';

/** When the newest of its messages was queued, ms. */
const queuedAt = (queue: WebhookQueue): number | undefined =>
  queue.status === 'absent' ? undefined : queue.messages.at(-1)?.queuedAt;

/** When a delivery of the queue has failed permanently. */
const failedAt = (queue: WebhookQueue): number | undefined =>
  queue.status !== 'absent' && queue.messages.some(({ status }) => status === 'failed') ? queuedAt(queue) : undefined;

export const webhookQueues: StreamProjection<WebhookQueue, WebhookQueueKey> = projection(foldOf(webhookQueue), {
  name: 'webhook-queues',
  version: 3,
  keys: {
    accountId: (queue) => (queue.status === 'absent' ? undefined : queue.accountId),
    endpointId: (queue) => (queue.status === 'absent' ? undefined : queue.endpointId),
    paymentId: (queue) => (queue.status === 'absent' ? undefined : queue.paymentId),
    dueAt: dueAtOf,
    attemptedAt: attemptedAtOf,
    queuedAt,
    failedAt,
  },
  indexes: [
    ['endpointId', 'dueAt'],
    ['paymentId'],
    ['endpointId', 'queuedAt'],
    ['endpointId', 'failedAt'],
    ['endpointId', 'attemptedAt'],
    ['accountId', 'dueAt'],
    ['accountId', 'failedAt'],
    ['accountId', 'queuedAt'],
    // Of all accounts: what `webhooks deliveries` lists.
    ['failedAt'],
    ['queuedAt'],
  ],
});
