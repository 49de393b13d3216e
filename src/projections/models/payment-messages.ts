// The messages of payments (contract §8), in the log's order: webhooks are queued along it, and GET /events reads it.

/**
 * A log projection: one document for each message, at the position of its event. It is separate from the payments
 * because a message needs two folds of its payment, before and after the event, and because its order is the log's.
 */
import { paymentCategory } from '../../domain/payment/events.ts';
import { type MessageType, nothingTold, type ToldPayment, tellOf } from '../../domain/payment/message.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { correlationIdOf, unsealEvent } from '../../journal/envelope.ts';
import { idOf } from '../../stores/stream-name.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';

export interface PaymentMessage {
  readonly accountId: string;
  readonly paymentId: string;
  readonly eventType: MessageType;
  /** The event's revision in its payment's stream. */
  readonly sequence: number;
  /** The position of the event in the log; below 2^53 in every log that we know. */
  readonly position: number;
  /** When the event was recorded, ms. */
  readonly date: number;
  /** The request or notification that began it all. */
  readonly correlationId: string;
}

export type PaymentMessageKey = 'accountId' | 'position';

const reader: Reader<ToldPayment, PaymentMessage> = {
  categories: [paymentCategory.name],
  initial: nothingTold,
  read: (before, stored) => {
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    const { told, type: eventType } = tellOf(before, event, recorded);
    if (eventType === undefined || !isKnown(told.payment)) return { known: told, changes: [] };
    const { accountId } = told.payment;
    const { revision: sequence, at: date } = recorded;
    const message = {
      accountId,
      paymentId: idOf(stored.stream),
      eventType,
      sequence,
      position: Number(stored.position),
      date,
      correlationId: correlationIdOf(stored),
    };
    return { known: told, changes: [{ id: recorded.id, doc: message }] };
  },
};

/** A document's id is that of its event. */
export const paymentMessages: LogProjection<PaymentMessage, PaymentMessageKey> = logProjection(readingOf(reader), {
  name: 'payment-messages',
  version: 2,
  keys: { accountId: ({ accountId }) => accountId, position: ({ position }) => position },
  indexes: [['accountId', 'position'], ['position']],
});
