// Decisions on a webhook queue, and when a delivery that failed is tried again (contract §8).
import { accept, type Decision, reject } from '../decider.ts';
import type { AgreementMessageQueued, CheckpointQueued, MessageQueued, WebhookQueueEvent } from './events.ts';
import { deliveryStatus, type QueuedMessage, type WebhookQueue } from './state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** From each failed attempt to the next one, ms; after the last of them the delivery has failed. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/**
 * The most that chance adds to a delay, as a part of it: receivers that were down together are not called together
 * again.
 */
const JITTER = 0.2;

/**
 * When the next attempt is due, ms; undefined after the last one. `attempts`: those that were made, 1 and up.
 * `failedAt`: ms. `chance`: 0 to 1.
 */
export function nextAttemptAt(attempts: number, failedAt: number, chance: number): number | undefined {
  const delay = RETRY_DELAYS[attempts - 1];
  return delay === undefined ? undefined : failedAt + Math.round(delay * (1 + JITTER * chance));
}

type QueueDecision = Decision<WebhookQueueEvent>;

/** A message without its predecessor, which its queue knows. */
export type QueueableMessage =
  | Omit<MessageQueued, 'previousSequence'>
  | Omit<AgreementMessageQueued, 'previousSequence'>;

/** Messages of one payment or agreement, in the order of their sequence: those that are not queued yet. */
export const queueMessages =
  (messages: readonly QueueableMessage[]) =>
  (queue: WebhookQueue): QueueDecision => {
    let previous = queue.status === 'absent' ? undefined : queue.messages.at(-1)?.sequence;
    const events: WebhookQueueEvent[] = [];
    for (const message of messages) {
      if (previous !== undefined && message.sequence <= previous) continue; // another follower has queued it
      const after = previous === undefined ? {} : { previousSequence: previous };
      events.push(
        'paymentId' in message
          ? { type: 'MessageQueued', data: { ...message, ...after } }
          : { type: 'AgreementMessageQueued', data: { ...message, ...after } },
      );
      previous = message.sequence;
    }
    return accept(...events);
  };

/** The message about a checkpoint: once. */
export const queueCheckpoint =
  (data: CheckpointQueued) =>
  (queue: WebhookQueue): QueueDecision =>
    queue.status === 'absent' ? accept({ type: 'CheckpointQueued', data }) : accept();

/** How a call of the endpoint ended. */
export interface DeliveryOutcome {
  readonly sequence: number;
  /** The message's tries before this one: a later word on the same try changes nothing. */
  readonly tries: number;
  /** ms */
  readonly at: number;
  readonly tookMs: number;
  readonly status?: number;
  readonly body?: string;
  readonly fault?: string;
  /** How the call was signed. */
  readonly signed: { readonly timestamp: number; readonly signature: string };
  /** 0 to 1, for the delay of a retry. */
  readonly chance: number;
}

/** True if the receiver took the message. */
export const isSuccess = (status: number | undefined): status is number =>
  status !== undefined && status >= 200 && status < 300;

/** Records attempts; one that another process made at the same time is on record already, and this one is left out. */
export const recordDeliveries =
  (outcomes: readonly DeliveryOutcome[]) =>
  (queue: WebhookQueue): QueueDecision => {
    if (queue.status === 'absent') return reject('NotFound', 'There is no such webhook queue.');
    return accept(
      ...outcomes.flatMap((outcome): WebhookQueueEvent[] => {
        const message = queue.messages.find(({ sequence }) => sequence === outcome.sequence);
        if (message === undefined || message.status !== 'waiting' || message.tries !== outcome.tries) return [];
        return [recorded(outcome)];
      }),
    );
  };

function recorded({
  sequence,
  tries,
  at,
  tookMs,
  signed,
  status,
  body,
  fault,
  chance,
}: DeliveryOutcome): WebhookQueueEvent {
  const answered = { ...(body !== undefined && body !== '' && { body }) };
  const call = { sequence, at, tookMs, signed: { ...signed } };
  if (isSuccess(status)) return { type: 'MessageDelivered', data: { ...call, status, ...answered } };
  const next = nextAttemptAt(tries + 1, at, chance);
  return {
    type: 'DeliveryFailed',
    data: {
      ...call,
      ...(status !== undefined && { status }),
      ...answered,
      ...(fault !== undefined && { fault }),
      ...(next !== undefined && { nextAttemptAt: next }),
    },
  };
}

/**
 * Delivers a message again from now on (`dueAt`, ms), even one that was delivered. No event for a message that is
 * already due.
 */
export const resendMessage =
  (sequence: number, dueAt: number) =>
  (queue: WebhookQueue): QueueDecision => {
    const message = queue.status === 'absent' ? undefined : queue.messages.find((one) => one.sequence === sequence);
    if (message === undefined) return reject('NotFound', 'There is no such delivery.');
    return message.dueAt !== undefined && message.dueAt <= dueAt
      ? accept()
      : accept({ type: 'MessageResent', data: { sequence, dueAt } });
  };

/** Which messages a person resends at once; times in ms. */
export interface Untaken {
  /** Messages that were queued then or later. */
  readonly since: number;
  /** Messages whose last call ended before then, so that a repetition resends nothing twice. */
  readonly asOf: number;
}

/**
 * The messages that the receiver has not taken: retried later than `at` (ms), or failed. A message that is due already
 * is left out: it is delivered anyway, and its call may be under way.
 */
export const untakenMessages = (queue: WebhookQueue, { since, asOf }: Untaken, at: number): readonly QueuedMessage[] =>
  queue.status === 'absent'
    ? []
    : queue.messages.filter((message) => {
        const status = deliveryStatus(message);
        const isUntaken = status === 'failed' || (status === 'retrying' && (message.dueAt ?? at) > at);
        return isUntaken && message.queuedAt >= since && (message.attempts.at(-1)?.at ?? asOf) < asOf;
      });

/** Delivers these messages again from now on (`at`, ms). */
export const resendUntaken =
  (untaken: Untaken, at: number) =>
  (queue: WebhookQueue): QueueDecision =>
    accept(
      ...untakenMessages(queue, untaken, at).map(
        ({ sequence }): WebhookQueueEvent => ({ type: 'MessageResent', data: { sequence, dueAt: at } }),
      ),
    );

/** The messages that are due at `at`, ms. */
export const dueMessages = (queue: WebhookQueue, at: number): readonly QueuedMessage[] =>
  queue.status === 'absent' ? [] : queue.messages.filter(({ dueAt }) => dueAt !== undefined && dueAt <= at);
