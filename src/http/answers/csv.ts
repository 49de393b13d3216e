// Lists as CSV (RFC 4180), page by page: a spreadsheet runs none of the cells. Amounts have the decimals of their
// currency, times are in UTC.
import { stringify } from 'csv-stringify/sync';
import { inCurrency } from '../../domain/money.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { last4In, networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { PaymentCursor, PaymentPage } from '../../queries/list-payments.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';

/** The name in the header, and the cell of a row. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => string];

/** An amount in minor units with the decimals of its currency, without the code. */
export const moneyCell = (amount: number, currencyCode: string): string =>
  inCurrency(amount, currencyCode).split(' ')[0] ?? '';

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
export async function* csvOf<Row, Cursor>(
  columns: readonly CsvColumn<Row>[],
  pageAfter: (after?: Cursor) => Promise<{ readonly rows: readonly Row[]; readonly next?: Cursor | undefined }>,
): AsyncIterable<string> {
  yield linesOf([columns.map(([name]) => name)]);
  let after: Cursor | undefined;
  do {
    const page = await pageAfter(after);
    yield page.rows.length === 0 ? '' : linesOf(page.rows.map((row) => columns.map(([, cell]) => cell(row))));
    after = page.next;
  } while (after !== undefined);
}

/** A download. `list`: in the name of the file; `at`: the time of the request, ms. */
export const csvAnswer = (list: string, at: number, pieces: AsyncIterable<string>) =>
  ({
    kind: 'streamed',
    pieces,
    headers: [
      'Content-Type',
      'text/csv; charset=utf-8; header=present',
      'Content-Disposition',
      `attachment; filename="${list}-${fileTime(at)}.csv"`,
      'Cache-Control',
      'no-store',
      'X-Content-Type-Options',
      'nosniff',
    ],
  }) as const;

/** `2026-01-31T12-00-00Z`: a colon is not for the names of files. */
const fileTime = (ms: number): string => formatTime(ms).replaceAll(':', '-').replace(/\.\d+/, '');

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
