// A webhook queue as it stands: the messages about one payment or agreement to one endpoint, in their order.
import type { Decider } from '../decider.ts';
import type { WebhookType } from '../webhook-endpoint.ts';
import {
  type AgreementMessageQueued,
  type CheckpointQueued,
  type MessageQueued,
  type WebhookQueueEvent,
  webhookQueueCategory,
} from './events.ts';

/** One call of the endpoint, as it ended. */
export interface DeliveryAttempt {
  readonly at: number;
  readonly tookMs: number;
  readonly status?: number;
  /** The beginning of the answer's body. */
  readonly body?: string;
  /** Why there was no answer. */
  readonly fault?: string;
}

/** waiting: due at `dueAt` · delivered · failed: after the last retry; it can be resent. */
export interface QueuedMessage extends Pick<MessageQueued, 'eventId' | 'sequence' | 'previousSequence' | 'queuedAt'> {
  readonly eventType: WebhookType;
  readonly status: 'waiting' | 'delivered' | 'failed';
  /** ms; of those that wait. */
  readonly dueAt?: number;
  /** Attempts since it was queued, or resent: they choose the next delay. */
  readonly tries: number;
  /** The newest last; the oldest are left out beyond ATTEMPTS_KEPT. */
  readonly attempts: readonly DeliveryAttempt[];
}

export interface ExistingQueue extends Pick<MessageQueued, 'accountId' | 'endpointId'> {
  readonly status: 'queue';
  /** What its messages are about; neither: its one message reports a checkpoint of the log. */
  readonly paymentId?: string;
  readonly agreementId?: string;
  readonly messages: readonly QueuedMessage[];
}

export type WebhookQueue = { readonly status: 'absent' } | ExistingQueue;

/** Attempts of a message in the document; the stream has all. */
const ATTEMPTS_KEPT = 12;

export const webhookQueue: Decider<WebhookQueue, WebhookQueueEvent> = {
  category: webhookQueueCategory,
  initial: { status: 'absent' },
  evolve(queue, { type, data }) {
    if (type === 'MessageQueued' || type === 'AgreementMessageQueued' || type === 'CheckpointQueued')
      return withMessage(queue, data);
    if (queue.status === 'absent') throw new Error(`${type} before MessageQueued`);
    const { messages } = queue;
    const change = (to: (message: QueuedMessage) => QueuedMessage): WebhookQueue => ({
      ...queue,
      messages: messages.map((message) => (message.sequence === data.sequence ? to(message) : message)),
    });
    switch (type) {
      case 'MessageDelivered':
        return change((message) => tried(message, data, 'delivered'));
      case 'DeliveryFailed':
        return change((message) =>
          tried(message, data, data.nextAttemptAt === undefined ? 'failed' : 'waiting', data.nextAttemptAt),
        );
      case 'MessageResent':
        return change((message) => ({ ...message, status: 'waiting', dueAt: data.dueAt, tries: 0 }));
      default:
        return type satisfies never;
    }
  },
};

function withMessage(
  queue: WebhookQueue,
  data: MessageQueued | AgreementMessageQueued | CheckpointQueued,
): ExistingQueue {
  const {
    accountId,
    endpointId,
    paymentId,
    agreementId,
    ...queued
  }: Subjects & (MessageQueued | AgreementMessageQueued | CheckpointQueued) = data;
  const before = queue.status === 'absent' ? [] : queue.messages;
  const message: QueuedMessage = { ...queued, status: 'waiting', dueAt: queued.queuedAt, tries: 0, attempts: [] };
  const ids = {
    accountId,
    endpointId,
    ...(paymentId !== undefined && { paymentId }),
    ...(agreementId !== undefined && { agreementId }),
  };
  return { status: 'queue', ...ids, messages: [...before, message] };
}

/** An event of a queue names one of them, or none. */
interface Subjects {
  readonly paymentId?: string;
  readonly agreementId?: string;
}

type DeliveryTry = Extract<WebhookQueueEvent, { type: 'MessageDelivered' | 'DeliveryFailed' }>['data'];

function tried(
  { dueAt: _due, ...message }: QueuedMessage,
  data: DeliveryTry,
  status: QueuedMessage['status'],
  dueAt?: number,
): QueuedMessage {
  const attempt: DeliveryAttempt = {
    at: data.at,
    tookMs: data.tookMs,
    ...(data.status !== undefined && { status: data.status }),
    ...(data.body !== undefined && { body: data.body }),
    ...('fault' in data && data.fault !== undefined && { fault: data.fault }),
  };
  const attempts = [...message.attempts, attempt].slice(-ATTEMPTS_KEPT);
  return { ...message, status, tries: message.tries + 1, attempts, ...(dueAt !== undefined && { dueAt }) };
}

/** `retrying`: the receiver has not taken the message, and it is tried again at its due time. */
export const DELIVERY_STATUSES = ['waiting', 'retrying', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The status of a message for people. A message that a person resends is waiting, as if it were new. */
export const deliveryStatus = ({ status, tries }: QueuedMessage): DeliveryStatus =>
  status === 'waiting' && tries > 0 ? 'retrying' : status;

/** When the first of its waiting messages is due, ms; undefined if none waits. */
export function dueAtOf(queue: WebhookQueue): number | undefined {
  if (queue.status === 'absent') return undefined;
  const due = queue.messages.flatMap(({ dueAt }) => dueAt ?? []);
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Since when nothing of it is owed, ms: each message was delivered, or has failed; undefined while one waits. */
export const overSinceOf = (queue: WebhookQueue): number | undefined =>
  queue.status === 'absent' || queue.messages.some(({ status }) => status === 'waiting')
    ? undefined
    : attemptedAtOf(queue);

/** When a call of the endpoint ended last, ms; undefined if none was made. */
export function attemptedAtOf(queue: WebhookQueue): number | undefined {
  const last = queue.status === 'absent' ? undefined : lastAttemptIn(queue);
  return last?.at;
}

/** The attempt that ended last. */
export const lastAttemptIn = ({ messages }: ExistingQueue): DeliveryAttempt | undefined =>
  messages
    .flatMap(({ attempts }) => attempts.at(-1) ?? [])
    .reduce<DeliveryAttempt | undefined>(
      (last, one) => (last === undefined || one.at >= last.at ? one : last),
      undefined,
    );
