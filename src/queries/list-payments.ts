// GET /payments: along the index of the most selective filter, newest first, at a cost that no size of the log changes.
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import { isList, type KeyRange } from '../stores/query-index.ts';
import type { Key, Query, ReadModels, Stored } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

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
/** Where a page ended: the date (ms) and id of the last payment that it looked at. */
export interface PaymentCursor {
  readonly date: number;
  readonly id: string;
}
export interface PaymentPage {
  readonly rows: readonly Stored<KnownPayment>[];
  readonly next?: PaymentCursor;
}

/** Filters with an index of their own, the most selective first. Other filters are checked payment by payment. */
const INDEXED = ['orderId', 'customerId', 'last4Digits', 'status', 'currencyCode', 'processor'] as const;
const NEWEST_FIRST: Query<PaymentKey>['order'] = { by: 'date', descending: true };
/** Payments that a page looks at, at most: where nearly none of them match, it ends before it is full. */
const LOOKED_AT = 1_000;
/** Payments that are read at a time where some of them will not match. */
const READ_AT_ONCE = 200;

/** Newest first, ties by id; `limit`: 1 or more. A page may be shorter, and even empty, where `next` says that there may be more. */
export const listPayments =
  (readModels: ReadModels) =>
  async (accountId: string, filter: PaymentFilter, limit: number, after?: PaymentCursor): Promise<PaymentPage> => {
    const { along, others } = planOf(accountId, filter);
    const atOnce = others.length === 0 ? limit + 1 : READ_AT_ONCE; // one more tells whether there is a next page
    const from = after !== undefined && { after: { key: after.date, id: after.id } };
    const rows: Stored<KnownPayment>[] = [];
    let lookedAt = 0;
    for await (const row of newestFirst(
      along.map((where) => allOf(readModels, payments, { where, order: NEWEST_FIRST, ...from }, atOnce)),
    )) {
      const isMatch = others.every((holds) => holds(row.doc));
      if (isMatch && rows.length === limit) return { rows, ...nextAfter(rows) };
      if (isMatch) rows.push(row);
      lookedAt += 1;
      if (others.length > 0 && lookedAt === LOOKED_AT) return { rows, ...nextAfter([row]) };
    }
    return { rows };
  };

function nextAfter(rows: readonly Stored<KnownPayment>[]): { readonly next?: PaymentCursor } {
  const last = rows.at(-1);
  return last === undefined ? {} : { next: { date: last.doc.date, id: last.id } };
}

type Where = Query<PaymentKey>['where'];

interface Plan {
  /** Pieces of one index, each in the order of the list; together they hold every payment that matches, each once. */
  readonly along: readonly Where[];
  /** The filters that have to be checked as well. */
  readonly others: readonly ((doc: Payment) => boolean)[];
}

function planOf(accountId: string, { fromDate, toDate, minAmount, maxAmount, ...lists }: PaymentFilter): Plan {
  const ofAccount: Where = { accountId: [accountId], ...(isRange(fromDate, toDate) && { date: range(fromDate, toDate) }) };
  const index = INDEXED.find((name) => lists[name] !== undefined);
  const values = index === undefined ? [] : [...new Set(lists[index])];
  const others: ((doc: Payment) => boolean)[] = [];
  for (const name of [...INDEXED, 'paymentMethodType'] as const) {
    const wanted = lists[name];
    if (wanted !== undefined && name !== index) others.push(holds(name, wanted));
  }
  if (isRange(minAmount, maxAmount)) others.push(holds('amount', range(minAmount, maxAmount)));
  return { along: index === undefined ? [ofAccount] : values.map((value) => ({ ...ofAccount, [index]: [value] })), others };
}

const isRange = (from: number | undefined, to: number | undefined): boolean => from !== undefined || to !== undefined;

const range = (from: number | undefined, to: number | undefined): KeyRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

const holds =
  (name: PaymentKey, condition: readonly Key[] | KeyRange) =>
  (doc: Payment): boolean => {
    const key = payments.keys[name](doc);
    if (key === undefined) return false;
    if (isList(condition)) return condition.includes(key);
    return (condition.from === undefined || key >= condition.from) && (condition.to === undefined || key <= condition.to);
  };

/** Several lists as one, each of them newest first. */
async function* newestFirst(lists: readonly AsyncIterable<Stored<Payment>>[]): AsyncGenerator<Stored<KnownPayment>> {
  const heads: { readonly rest: AsyncIterator<Stored<Payment>>; row: Stored<KnownPayment> }[] = [];
  for (const list of lists) {
    const rest = list[Symbol.asyncIterator]();
    const row = await nextOf(rest);
    if (row !== undefined) heads.push({ rest, row });
  }
  for (;;) {
    const [newest] = heads.sort((a, b) => newer(a.row, b.row));
    if (newest === undefined) return;
    yield newest.row;
    const row = await nextOf(newest.rest);
    if (row === undefined) heads.shift();
    else newest.row = row;
  }
}

/** Every payment along these indexes has been made; `isKnown` tells the compiler. */
async function nextOf(list: AsyncIterator<Stored<Payment>>): Promise<Stored<KnownPayment> | undefined> {
  for (;;) {
    const { done, value } = await list.next();
    if (done === true) return undefined;
    if (isKnown(value.doc)) return { ...value, doc: value.doc };
  }
}

/** Below zero when `a` comes first in the list. */
const newer = (a: Stored<KnownPayment>, b: Stored<KnownPayment>): number => b.doc.date - a.doc.date || (a.id < b.id ? 1 : -1);
