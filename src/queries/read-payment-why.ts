// Why a payment is as it is: its events with the state before and after each, and the notifications that led to some of
// them.
import type { Rejection } from '../domain/decider.ts';
import type { NotificationEvent } from '../domain/notification/events.ts';
import type { Notification } from '../domain/notification/state.ts';
import type { Operation } from '../domain/operation.ts';
import { operationAbout, operationsIn } from '../domain/payment/event-words.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import type { StoreKey } from '../secrets.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { keyNames } from './accounts.ts';
import { readPayment } from './read-payments.ts';

/** A step of the payment itself. `before` and `after`: the payment without and with the event. */
export interface PaymentStep {
  readonly kind: 'payment';
  readonly one: Unsealed<PaymentEvent>;
  readonly before: Payment;
  readonly after: Payment;
  /** The operation that the event is about. */
  readonly operation: Operation | undefined;
}

/** A step of a processor's notification; `after`: its record with the event. */
export interface NotificationStep {
  readonly kind: 'notification';
  readonly one: Unsealed<NotificationEvent>;
  readonly after: Notification;
}
export type WhyStep = PaymentStep | NotificationStep;

export interface PaymentWhy {
  readonly payment: Stored<KnownPayment>;
  /** Oldest first; a notification precedes its consequences. */
  readonly steps: readonly WhyStep[];
  /** Ids of all events up to the last step, on pages before as well: what a step may name as its cause. */
  readonly known: ReadonlySet<string>;
  /** Names of the API keys among the actors. */
  readonly names: ReadonlyMap<string, string>;
  /** Revision of the last event on this page, when there are more. */
  readonly next?: number;
}

export interface WhyNeeds {
  readonly readModels: ReadModels;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly storeKey: StoreKey;
}

/** Events of a notification that are read: one that is parked is retried some forty times. */
const OF_NOTIFICATION = 100;

/**
 * The events of the payment after a revision, `limit` of them, and the notifications that caused them. Reads the
 * payment's stream from its beginning up to there. NotFound, including for a payment of another account. Throws
 * StoreUnavailable and BrokenStream.
 */
export const readPaymentWhy =
  (needs: WhyNeeds) =>
  async (paymentId: string, accountId: string, after: number, limit: number): Promise<PaymentWhy | Rejection> => {
    const { readModels, payments } = needs;
    const payment = await readPayment(readModels)(paymentId, accountId);
    if ('kind' in payment) return payment;
    const events: Unsealed<PaymentEvent>[] = [];
    let next: number | undefined;
    for await (const one of payments.history(paymentId, -1)) {
      if (one.recorded.revision > after + limit) {
        next = after + limit;
        break;
      }
      events.push(one);
    }
    const operations = operationsIn(events.map(({ event }) => event));
    const known = new Set<string>();
    const steps: WhyStep[] = [];
    const told = new Set<string>();
    let ending: { readonly cause: string; readonly steps: readonly NotificationStep[] } | undefined;
    let before = payments.decider.initial;
    for (const one of events) {
      const { event, recorded, metadata } = one;
      const state = payments.decider.evolve(before, event, recorded);
      const isShown = recorded.revision > after;
      const cause = metadata.$causationId;
      if (ending !== undefined && ending.cause !== cause) {
        steps.push(...ending.steps);
        ending = undefined;
      }
      if (isNotified(event) && !told.has(cause)) {
        told.add(cause);
        const notified = isShown ? await notificationSteps(needs, accountId, one) : [];
        const closing = notified.findIndex(({ one: { event: its } }) => its.type === 'NotificationApplied');
        steps.push(...(closing === -1 ? notified : notified.slice(0, closing)));
        if (closing !== -1) ending = { cause, steps: notified.slice(closing) };
        for (const step of notified) known.add(step.one.recorded.id);
        if (!isShown) known.add(cause);
      }
      known.add(recorded.id);
      if (isShown)
        steps.push({ kind: 'payment', one, before, after: state, operation: operationAbout(event, operations) });
      before = state;
    }
    if (ending !== undefined) steps.push(...ending.steps);
    const actors = steps.map(({ one: { metadata } }) => metadata.actor);
    const names = await keyNames(readModels)(accountId, actors);
    return { payment, steps, known, names, ...(next !== undefined && { next }) };
  };

const isNotified = ({ data }: PaymentEvent): boolean => 'evidence' in data && data.evidence?.source === 'notification';

/**
 * The notification that an event rests on: how it came, the first time it was parked, each time a person asked for a
 * retry, its end.
 */
async function notificationSteps(
  { notifications, storeKey }: WhyNeeds,
  accountId: string,
  { event: { data }, metadata }: Unsealed<PaymentEvent>,
): Promise<readonly NotificationStep[]> {
  const notificationId =
    'evidence' in data && data.evidence?.source !== 'clock' ? data.evidence?.notificationId : undefined;
  if (notificationId === undefined || metadata.actor.kind !== 'processor') return [];
  const recordId = storeKey.notificationStream(accountId, metadata.actor.id, notificationId);
  const found: NotificationStep[] = [];
  let state = notifications.decider.initial;
  let read = 0;
  for await (const one of notifications.history(recordId, -1)) {
    read += 1;
    if (read > OF_NOTIFICATION) break;
    const { event, recorded } = one;
    const wasParked = state.status === 'parked';
    state = notifications.decider.evolve(state, event, recorded);
    if (event.type === 'NotificationParked' && wasParked) continue; // a failed retry
    found.push({ kind: 'notification', one, after: state });
  }
  // An id with a card number in it was masked: the record that it names is another one.
  return found[0]?.one.recorded.id === metadata.$causationId ? found : [];
}
