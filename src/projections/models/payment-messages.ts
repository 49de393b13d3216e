// The messages of payments and agreements (contract §8), in the log's order: webhooks are queued along it, and GET
// /events reads it.

/**
 * A log projection: one document for each message, at the position of its event. It is separate from the payments
 * because a message needs two folds of its subject, before and after the event, and because its order is the log's.
 */
import { agreementCategory } from '../../domain/agreement/events.ts';
import { tellOfAgreement } from '../../domain/agreement/message.ts';
import { type Agreement, agreement } from '../../domain/agreement/state.ts';
import type { AgreementTold, PaymentTold } from '../../domain/message.ts';
import { paymentCategory } from '../../domain/payment/events.ts';
import { nothingTold, type ToldPayment, tellOf } from '../../domain/payment/message.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { correlationIdOf, unsealEvent } from '../../journal/envelope.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';
import { type Change, type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';

interface Listed {
  readonly accountId: string;
  /** The position of the event in the log; below 2^53 in every log that we know. */
  readonly position: number;
  /** When the event was recorded, ms. */
  readonly date: number;
  /** The request or notification that began it all. */
  readonly correlationId: string;
}
/** The document's id is that of the event. */
export type ListedMessage = Listed & (Omit<PaymentTold, 'eventId'> | Omit<AgreementTold, 'eventId'>);

export type PaymentMessageKey = 'accountId' | 'position';

/** What is known of the stream: of a payment's the one, of an agreement's the other. */
interface Known {
  readonly payment: ToldPayment;
  readonly agreement: Agreement;
}

const reader: Reader<Known, ListedMessage> = {
  categories: [paymentCategory.name, agreementCategory.name],
  initial: { payment: nothingTold, agreement: agreement.initial },
  read: (known, stored) =>
    categoryOf(stored.stream) === paymentCategory.name ? ofPayment(known, stored) : ofAgreement(known, stored),
};

type ReadMessage = ReturnType<typeof reader.read>;

function ofPayment(known: Known, stored: StoredEvent): ReadMessage {
  const { event, recorded } = unsealEvent(paymentCategory, stored);
  const { told, type: eventType } = tellOf(known.payment, event, recorded);
  const after = { ...known, payment: told };
  if (eventType === undefined || !isKnown(told.payment)) return { known: after, changes: [] };
  const { accountId } = told.payment;
  const about = { paymentId: idOf(stored.stream), eventType, sequence: recorded.revision };
  return { known: after, changes: [changeOf({ ...listed(accountId, recorded.at, stored), ...about }, recorded.id)] };
}

function ofAgreement(known: Known, stored: StoredEvent): ReadMessage {
  const { event, recorded } = unsealEvent(agreementCategory, stored);
  const { told, type: eventType } = tellOfAgreement(known.agreement, event, recorded);
  const after = { ...known, agreement: told };
  if (eventType === undefined || told.status === 'absent') return { known: after, changes: [] };
  const about = { agreementId: idOf(stored.stream), eventType, sequence: recorded.revision };
  const doc = { ...listed(told.accountId, recorded.at, stored), ...about };
  return { known: after, changes: [changeOf(doc, recorded.id)] };
}

const changeOf = (doc: ListedMessage, id: string): Change<ListedMessage> => ({ id, doc });

const listed = (accountId: string, date: number, stored: StoredEvent): Listed => ({
  accountId,
  position: Number(stored.position),
  date,
  correlationId: correlationIdOf(stored),
});

/** Its name is older than the messages of agreements. */
export const paymentMessages: LogProjection<ListedMessage, PaymentMessageKey> = logProjection(readingOf(reader), {
  name: 'payment-messages',
  version: 3,
  keys: { accountId: ({ accountId }) => accountId, position: ({ position }) => position },
  indexes: [['accountId', 'position'], ['position']],
});
