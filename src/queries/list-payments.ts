// GET /payments: along the index of the most selective filter, by date, at a cost that no size of the log changes.
import { MAX_AMOUNT } from '../domain/money.ts';
import type { DerivedStatus } from '../domain/payment/derived-status.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { derivedKeysOf, type PaymentKey, payments } from '../projections/models/payments.ts';
import type { KeyRange } from '../stores/query-index.ts';
import type { PlaceQuery, Query, ReadModels, Stored } from '../stores/read-models.ts';
import { ofOneRequest } from './pages.ts';

export interface PaymentFilter {
  readonly status?: readonly string[];
  readonly currencyCode?: readonly string[];
  readonly orderId?: readonly string[];
  readonly customerId?: readonly string[];
  readonly processor?: readonly string[];
  readonly last4Digits?: readonly string[];
  readonly paymentMethodType?: readonly string[];
  /** Payments that have one of them, whatever else they have. */
  readonly derivedStatus?: readonly DerivedStatus[];
  /** Of declined payments. */
  readonly declineCode?: readonly string[];
  /** ms, inclusive. */
  readonly fromDate?: number;
  readonly toDate?: number;
  /** Minor units, inclusive. */
  readonly minAmount?: number;
  readonly maxAmount?: number;
  readonly isOldestFirst?: true;
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

/**
 * Filters with an index of their own, the most selective first, and the key of its order, which is the payment's date:
 * the store goes along one of them, and checks the others itself.
 */
const INDEXED = [
  ['orderId', 'date'],
  ['customerId', 'date'],
  ['last4Digits', 'date'],
  ['derivedStatus', 'derivedAt'],
  ['declineCode', 'declinedAt'],
  ['status', 'date'],
  ['currencyCode', 'date'],
  ['processor', 'date'],
] as const;
/** Payments that a page looks at, at most: where nearly none of them match, it ends before it is full. */
const LOOKED_AT = 1_000;

/**
 * By date, newest first unless the filter asks for the oldest, ties by id; `limit`: 1 or more. A page may be shorter,
 * and even empty, where `next` says that there may be more.
 */
export const listPayments =
  (readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>) =>
  async (accountId: string, filter: PaymentFilter, limit: number, after?: PaymentCursor): Promise<PaymentPage> => {
    const finds = ofOneRequest(readModels);
    const { along, all, order } = planOf(accountId, filter);
    const from = after !== undefined && { after: { key: after.date, id: after.id } };
    const end = along === all ? undefined : await finds.place(payments, { where: along, order, ...from }, LOOKED_AT);
    const query = { where: all, order, ...from, ...(end !== undefined && { upTo: end }) };
    // one more shows whether there is a next page
    const found = await finds.find(payments, { ...query, limit: limit + 1 });
    // Every payment along these indexes exists; `isKnown` proves that to the compiler.
    const rows = found.slice(0, limit).flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));
    if (found.length > limit) return { rows, ...nextAfter(rows) };
    return { rows, ...(typeof end?.key === 'number' && { next: { date: end.key, id: end.id } }) };
  };

function nextAfter(rows: readonly Stored<KnownPayment>[]): { readonly next?: PaymentCursor } {
  const last = rows.at(-1);
  return last === undefined ? {} : { next: { date: last.doc.date, id: last.id } };
}

type PaymentWhere = Query<PaymentKey>['where'];

interface PagePlan {
  /** The part that one index serves: the payments that a page looks at. */
  readonly along: PaymentWhere;
  /** All filters; the same object where the index serves them all. */
  readonly all: PaymentWhere;
  readonly order: PlaceQuery<PaymentKey>['order'];
}

function planOf(
  accountId: string,
  { fromDate, toDate, minAmount, maxAmount, isOldestFirst, ...filter }: PaymentFilter,
): PagePlan {
  const { derivedStatus } = filter;
  const lists = { ...filter, ...(derivedStatus !== undefined && { derivedStatus: derivedKeysOf(derivedStatus) }) };
  const [index, by] = INDEXED.find(([name]) => lists[name] !== undefined) ?? [undefined, 'date' as const];
  const order = { by, descending: isOldestFirst !== true };
  const ofAccount: PaymentWhere = {
    accountId: [accountId],
    ...(isRange(fromDate, toDate) && { [by]: range(fromDate, toDate) }),
  };
  const along: PaymentWhere = { ...ofAccount, ...(index !== undefined && { [index]: lists[index] }) };
  const others = [...INDEXED.map(([name]) => name), 'paymentMethodType'] as const;
  const isSifted = others.some((name) => name !== index && lists[name] !== undefined) || isRange(minAmount, maxAmount);
  if (!isSifted) return { along, all: along, order };
  const amount = isRange(minAmount, maxAmount) && { amount: range(minAmount, maxAmount) };
  return { along, all: { ...ofAccount, ...lists, ...amount }, order };
}

const isRange = (from: number | undefined, to: number | undefined): boolean => from !== undefined || to !== undefined;

const range = (from: number | undefined, to: number | undefined): KeyRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** A page and the row after it are what a store finds at once. */
const COUNTED_AT_ONCE = 999;
const MOST_PAGES = 10;

export interface PaymentTotals {
  readonly count: number;
  /** True if there may be more: a total looks at some 10,000 payments, the first ones of the list. */
  readonly isMore: boolean;
  /**
   * Amounts in minor units, the currency of most payments first; without the sum where it is larger than any amount can
   * be.
   */
  readonly currencies: { readonly currencyCode: string; readonly count: number; readonly amount?: number }[];
}

/** The number of payments that match, and the sum of their amounts in each currency; along the same indexes. */
export const totalPayments =
  (list: ReturnType<typeof listPayments>) =>
  async (accountId: string, filter: PaymentFilter): Promise<PaymentTotals> => {
    const sums = new Map<string, { count: number; amount: number }>();
    let after: PaymentCursor | undefined;
    let pages = 0;
    do {
      const { rows, next } = await list(accountId, filter, COUNTED_AT_ONCE, after);
      for (const { doc } of rows) {
        const { count, amount } = sums.get(doc.currencyCode) ?? { count: 0, amount: 0 };
        sums.set(doc.currencyCode, { count: count + 1, amount: amount + doc.amount });
      }
      after = next;
      pages += 1;
    } while (after !== undefined && pages < MOST_PAGES);
    const currencies = [...sums].map(([currencyCode, { count, amount }]) => ({
      currencyCode,
      count,
      ...(amount <= MAX_AMOUNT && { amount }),
    }));
    return {
      count: currencies.reduce((sum, { count }) => sum + count, 0),
      isMore: after !== undefined,
      currencies: currencies.sort((a, b) => b.count - a.count),
    };
  };
