// GET /payments/{id} and its history.
import { type Rejection, reject } from '../domain/decider.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import { payments } from '../projections/models/payments.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';

const missing = (): Rejection => reject('NotFound', 'There is no such payment.');

export const readPayment =
  (readModels: ReadModels) =>
  async (paymentId: string, accountId: string): Promise<Stored<KnownPayment> | Rejection> => {
    const row = readModels.peek?.(payments, paymentId) ?? (await readModels.get(payments, [paymentId]))[0];
    if (row === undefined || !isKnown(row.doc) || row.doc.accountId !== accountId) return missing();
    return { ...row, doc: row.doc };
  };

export interface HistoryPage {
  readonly events: readonly Unsealed<PaymentEvent>[];
  /** Revision of the last event on this page, when there are more. */
  readonly next?: number;
}

/** A payment's events after a revision, oldest first, from the log itself. */
export const readPaymentHistory =
  (readModels: ReadModels, streams: Streams<Payment, PaymentEvent>) =>
  async (paymentId: string, accountId: string, after: number, limit: number): Promise<HistoryPage | Rejection> => {
    const payment = await readPayment(readModels)(paymentId, accountId);
    if ('kind' in payment) return payment;
    const events: Unsealed<PaymentEvent>[] = [];
    for await (const one of streams.history(paymentId, after)) {
      if (events.length === limit) return { events, next: after + limit };
      events.push(one);
    }
    return { events };
  };
