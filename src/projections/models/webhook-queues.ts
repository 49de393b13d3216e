// Webhook queues: found by endpoint while a message is due, by the last attempt, by the newest message, and by the
// messages of each status.
import {
  attemptedAtOf,
  type DeliveryStatus,
  deliveryStatus,
  dueAtOf,
  overSinceOf,
  type WebhookQueue,
  webhookQueue,
} from '../../domain/webhook-queue/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type WebhookQueueKey =
  | 'accountId'
  | 'endpointId'
  | 'paymentId'
  | 'dueAt'
  | 'attemptedAt'
  | 'queuedAt'
  | 'waitingAt'
  | 'retryingAt'
  | 'failedAt'
  | 'overSince';

/** When the newest of its messages was queued, ms. */
const queuedAt = (queue: WebhookQueue): number | undefined =>
  queue.status === 'absent' ? undefined : queue.messages.at(-1)?.queuedAt;

/** When its messages of a status were queued, ms, oldest first. */
const queuedAs = (queue: WebhookQueue, status: DeliveryStatus): readonly number[] =>
  queue.status === 'absent'
    ? []
    : queue.messages.flatMap((message) => (deliveryStatus(message) === status ? message.queuedAt : []));

export const webhookQueues: StreamProjection<WebhookQueue, WebhookQueueKey> = projection(foldOf(webhookQueue), {
  name: 'webhook-queues',
  version: 6,
  keys: {
    accountId: (queue) => (queue.status === 'absent' ? undefined : queue.accountId),
    endpointId: (queue) => (queue.status === 'absent' ? undefined : queue.endpointId),
    paymentId: (queue) => (queue.status === 'absent' ? undefined : queue.paymentId),
    dueAt: dueAtOf,
    attemptedAt: attemptedAtOf,
    queuedAt,
    /** When the oldest message that was never tried was queued. */
    waitingAt: (queue) => queuedAs(queue, 'waiting')[0],
    /** When the newest message that is retried was queued. */
    retryingAt: (queue) => queuedAs(queue, 'retrying').at(-1),
    /** When the newest message that has failed permanently was queued. */
    failedAt: (queue) => queuedAs(queue, 'failed').at(-1),
    overSince: overSinceOf,
  },
  indexes: [
    ['endpointId', 'dueAt'],
    ['paymentId'],
    ['endpointId', 'queuedAt'],
    ['endpointId', 'waitingAt'],
    ['endpointId', 'retryingAt'],
    ['endpointId', 'failedAt'],
    ['endpointId', 'attemptedAt'],
    ['accountId', 'failedAt'],
    ['accountId', 'queuedAt'],
    // Of all accounts: what `webhooks deliveries` lists.
    ['failedAt'],
    ['queuedAt'],
    ['overSince'],
  ],
  overSince: 'overSince',
});
