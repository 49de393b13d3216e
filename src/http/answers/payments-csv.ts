// Payments as CSV: amounts with the decimals of their currency, times in UTC.
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { last4In, networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { PaymentCursor, PaymentPage } from '../../queries/list-payments.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';
import { type CsvColumn, csvOf, moneyCell } from './csv.ts';

type Column = CsvColumn<Stored<KnownPayment>>;

const money =
  (of: (payment: KnownPayment) => number): Column[1] =>
  ({ doc }) =>
    moneyCell(of(doc), doc.currencyCode);

const COLUMNS: readonly Column[] = [
  ['id', ({ id }) => id],
  ['date_utc', ({ doc }) => formatTime(doc.date)],
  ['updated_utc', ({ doc }) => formatTime(doc.dateUpdated)],
  ['status', ({ doc }) => doc.status],
  ['order_id', ({ doc }) => doc.orderId],
  ['customer_id', ({ doc }) => doc.customerId ?? ''],
  ['currency', ({ doc }) => doc.currencyCode],
  ['amount', money(({ amount }) => amount)],
  ['authorized', money(({ amountAuthorized }) => amountAuthorized)],
  ['captured', money(({ amountCaptured }) => amountCaptured)],
  ['refunded', money(({ amountRefunded }) => amountRefunded)],
  ['refundable', money(({ amountRefundable }) => amountRefundable)],
  ['network', ({ doc: { paymentMethod: of } }) => networkOf(of.paymentMethodType, of.paymentMethodData)],
  ['last_4_digits', ({ doc }) => last4In(doc.paymentMethod.paymentMethodData) ?? ''],
  ['processor', ({ doc }) => doc.processor],
  ['processor_transaction_id', ({ doc }) => doc.processorTransactionId ?? ''],
  ['reason_code', ({ doc }) => doc.statusReason?.code ?? ''],
];

/** The header, then a piece for each page: see csvOf. */
export const paymentsCsv = (pageAfter: (after?: PaymentCursor) => Promise<PaymentPage>): AsyncIterable<string> =>
  csvOf(COLUMNS, pageAfter);
