// Payments as CSV (RFC 4180), page by page: amounts with the decimals of their currency, times in UTC, and no cell that
// a spreadsheet runs.
import { stringify } from 'csv-stringify/sync';
import { inCurrency } from '../../domain/in-currency.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { last4In, networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { PaymentCursor, PaymentPage } from '../../queries/list-payments.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';

type Column = readonly [name: string, cell: (payment: Stored<KnownPayment>) => string];

const money =
  (of: (payment: KnownPayment) => number): Column[1] =>
  ({ doc }) =>
    inCurrency(of(doc), doc.currencyCode).split(' ')[0] ?? '';

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

/**
 * The places at which a spreadsheet may begin to read a formula: the start of a cell, and that next to a semicolon,
 * which many countries take for the end of a cell. Blanks and characters that nobody sees may come before the formula:
 * some spreadsheets leave them out.
 */
const RUN_FROM = /(^|;)(?=[\s\p{Cf}\p{Cc}\p{Zs}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/gu;
const defused = (cell: string): string => cell.replace(RUN_FROM, "$1'");

/**
 * Lines, each ended by CR LF. A cell that begins like a formula (`=`, `+`, `-`, `@`, tab, CR, LF) gets an apostrophe in
 * front, even if spaces and invisible characters precede it, and so does such a beginning next to a semicolon; a cell
 * with a semicolon or a line break of any kind is quoted.
 */
const linesOf = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => row.map(defused)),
    { record_delimiter: 'windows', quoted_match: /[\r\n;]/ },
  );

/**
 * The header, then a piece for each page; a page is read when the one before it was taken. Also a page on which nothing
 * matches is a piece, without content: where hardly anything matches, others have their turns between.
 */
export async function* paymentsCsv(pageAfter: (after?: PaymentCursor) => Promise<PaymentPage>): AsyncIterable<string> {
  yield linesOf([COLUMNS.map(([name]) => name)]);
  let after: PaymentCursor | undefined;
  do {
    const page = await pageAfter(after);
    yield page.rows.length === 0 ? '' : linesOf(page.rows.map((row) => COLUMNS.map(([, cell]) => cell(row))));
    after = page.next;
  } while (after !== undefined);
}
