// GET /payments/{id} and its history, and payments by other names.
import { type Rejection, reject } from '../domain/decider.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import type { PaymentNoteEvent, PaymentNotes } from '../domain/payment-note.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import { payments } from '../projections/models/payments.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';
import { type PastMoment, stateAt } from './past.ts';

const missing = (): Rejection => reject('NotFound', 'There is no such payment.');

export const readPayment =
  (readModels: ReadModels) =>
  async (paymentId: string, accountId: string): Promise<Stored<KnownPayment> | Rejection> => {
    const row = readModels.peek?.(payments, paymentId) ?? (await readModels.get(payments, [paymentId]))[0];
    if (row === undefined || !isKnown(row.doc) || row.doc.accountId !== accountId) return missing();
    return { ...row, doc: row.doc };
  };

/** The existing payments among these ids, unordered; the caller checks their account. */
export const paymentsById =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (ids: readonly string[]): Promise<readonly Stored<KnownPayment>[]> =>
    ids.length === 0
      ? []
      : (await readModels.get(payments, ids)).flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));

/**
 * The id of the payment whose authorization the processor calls so, or undefined if none is known (yet). Throws
 * StoreUnavailable.
 */
export const paymentCalled =
  (readModels: ReadModels) =>
  async (accountId: string, processor: string, processorTransactionId: string): Promise<string | undefined> => {
    const where = { accountId: [accountId], processor: [processor], processorTransactionId: [processorTransactionId] };
    return (await readModels.find(payments, { where, limit: 1 }))[0]?.id;
  };

interface HistoryPage<Event = Unsealed<PaymentEvent>> {
  readonly events: readonly Event[];
  /** Revision of the last event on this page, when there are more. */
  readonly next?: number;
}

/** A payment's events after a revision, oldest first, from the log itself. */
export const readPaymentHistory =
  (readModels: ReadModels, streams: Streams<Payment, PaymentEvent>) =>
  async (paymentId: string, accountId: string, after: number, limit: number): Promise<HistoryPage | Rejection> => {
    const payment = await readPayment(readModels)(paymentId, accountId);
    return 'kind' in payment ? payment : pageOf(streams.history(paymentId, after), after, limit);
  };

/** The stored events of the payment. */
export const readStoredPayment =
  (readModels: ReadModels, streams: Streams<Payment, PaymentEvent>) =>
  async (
    paymentId: string,
    accountId: string,
    after: number,
    limit: number,
  ): Promise<HistoryPage<StoredEvent> | Rejection> => {
    const payment = await readPayment(readModels)(paymentId, accountId);
    return 'kind' in payment ? payment : pageOf(streams.stored(paymentId, after), after, limit);
  };

async function pageOf<Event>(history: AsyncIterable<Event>, after: number, limit: number): Promise<HistoryPage<Event>> {
  const events: Event[] = [];
  for await (const one of history) {
    if (events.length === limit) return { events, next: after + limit };
    events.push(one);
  }
  return { events };
}

interface PaymentThen {
  readonly revision: number;
  readonly doc: KnownPayment;
  /** When the last event of the moment was recorded, ms. */
  readonly recordedAt: number;
}

/**
 * NotFound for a payment of another account, and before it was created. See stateAt. Throws StoreUnavailable and
 * BrokenStream.
 */
export const readPaymentAt =
  (streams: Streams<Payment, PaymentEvent>) =>
  async (paymentId: string, accountId: string, moment: PastMoment): Promise<PaymentThen | Rejection> => {
    const isOwn = (payment: Payment): boolean => !isKnown(payment) || payment.accountId === accountId;
    const then = await stateAt(streams, paymentId, moment, isOwn);
    if (then === undefined || !isKnown(then.state)) return notThere();
    return { revision: then.revision, doc: then.state, recordedAt: then.recordedAt };
  };

/** One sentence for all, so that it does not reveal that another account has the payment. */
const notThere = (): Rejection => reject('NotFound', 'There was no such payment then.');

/** NotFound, including for a payment of another account. Throws StoreUnavailable and BrokenStream. */
export const readPaymentNotes =
  (readModels: ReadModels, notes: Streams<PaymentNotes, PaymentNoteEvent>) =>
  async (paymentId: string, accountId: string): Promise<PaymentNotes | Rejection> => {
    const payment = await readPayment(readModels)(paymentId, accountId);
    return 'kind' in payment ? payment : (await notes.current(paymentId)).state;
  };
