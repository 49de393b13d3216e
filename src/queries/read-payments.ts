// GET /payments, GET /payments/{id} and its history.
import { type Rejection, reject } from '../domain/decider.ts';
import { isKnown, type KnownPayment, type Payment, type PaymentEvent } from '../domain/payment/state.ts';
import type { Unsealed } from '../journal/envelope.ts';
import type { Streams } from '../journal/streams.ts';
import { type PaymentKey, payments } from '../projections/payments.ts';
import type { Key, Query, ReadModels, Stored } from '../stores/read-models.ts';

const missing = (): Rejection => reject('NotFound', 'There is no such payment.');

export const readPayment =
  (readModels: ReadModels) =>
  async (paymentId: string, accountId: string): Promise<Stored<KnownPayment> | Rejection> => {
    const row = readModels.peek?.(payments, paymentId) ?? (await readModels.get(payments, [paymentId]))[0];
    if (row === undefined || !isKnown(row.doc) || row.doc.accountId !== accountId) return missing();
    return { ...row, doc: row.doc };
  };

export interface PaymentFilter {
  readonly status?: readonly string[];
  readonly currencyCode?: readonly string[];
  readonly orderId?: readonly string[];
  readonly customerId?: readonly string[];
  readonly processor?: readonly string[];
  readonly last4Digits?: readonly string[];
  readonly paymentMethodType?: readonly string[];
  /** ms, inclusive. */
  readonly fromDate?: number;
  readonly toDate?: number;
  /** Minor units, inclusive. */
  readonly minAmount?: number;
  readonly maxAmount?: number;
}
/** Where a page ended: the date (ms) and id of its last payment. */
export interface PaymentCursor {
  readonly date: number;
  readonly id: string;
}
export interface PaymentPage {
  readonly rows: readonly Stored<KnownPayment>[];
  readonly next?: PaymentCursor;
}

/** Newest first, ties by id; `limit` 1 to 100. */
export const listPayments =
  (readModels: ReadModels) =>
  async (accountId: string, filter: PaymentFilter, limit: number, after?: PaymentCursor): Promise<PaymentPage> => {
    const query: Query<PaymentKey> = {
      where: { accountId: [accountId], ...wanted(filter) },
      order: { by: 'date', descending: true },
      limit: limit + 1, // one more tells whether there is a next page
      ...(after !== undefined && { after: { key: after.date, id: after.id } }),
    };
    const found = await readModels.find(payments, query);
    const rows = found.slice(0, limit).flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));
    const last = rows.at(-1);
    return { rows, ...(found.length > limit && last !== undefined && { next: { date: last.doc.date, id: last.id } }) };
  };

function wanted(filter: PaymentFilter): Query<PaymentKey>['where'] {
  const { fromDate, toDate, minAmount, maxAmount, ...lists } = filter;
  const where: { [K in PaymentKey]?: readonly Key[] | { readonly from?: Key; readonly to?: Key } } = { ...lists };
  if (fromDate !== undefined || toDate !== undefined) where.date = range(fromDate, toDate);
  if (minAmount !== undefined || maxAmount !== undefined) where.amount = range(minAmount, maxAmount);
  return where;
}

const range = (from: number | undefined, to: number | undefined): { readonly from?: Key; readonly to?: Key } => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

export interface HistoryPage {
  readonly events: readonly Unsealed<PaymentEvent>[];
  /** Revision of the last event on this page, when there are more. */
  readonly next?: number;
}

/** A payment's events behind a revision, oldest first, from the log itself. */
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
