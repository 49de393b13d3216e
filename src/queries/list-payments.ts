// GET /payments: along the index of the most selective filter, by date, at a cost that no size of the log changes. The
// dashboard's list may also be by amount, in one currency.
import type { DerivedStatus } from '../domain/payment/derived-status.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { derivedKeysOf, type PaymentKey, payments } from '../projections/models/payments.ts';
import type { KeyRange } from '../stores/query-index.ts';
import type { Finds, Place, PlaceQuery, Query, ReadModels, Stored } from '../stores/read-models.ts';
import { ofOneRequest, type Totals, totalsOf } from './pages.ts';

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
  /** Left out: the newest first. By amount, `currencyCode` has to name one currency. */
  readonly sort?: 'oldest' | 'largest' | 'smallest';
}
/** Where a page ended: the date (ms) or the amount, whichever gives the order, and the id of the last payment. */
export type PaymentCursor =
  | { readonly date: number; readonly id: string }
  | { readonly amount: number; readonly id: string };
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
 * By date, newest first unless the filter asks for another order, ties by id; `limit`: 1 or more. A page may be
 * shorter, and even empty, where `next` says that there may be more.
 */
export const listPayments =
  (readModels: Pick<ReadModels, 'find' | 'place' | 'ofOneRequest'>) =>
  async (accountId: string, filter: PaymentFilter, limit: number, after?: PaymentCursor): Promise<PaymentPage> => {
    const finds = ofOneRequest(readModels);
    const byDate = planOf(accountId, filter);
    const byAmount = amountPlanOf(accountId, filter, byDate);
    if (byAmount !== undefined && (await finds.place(payments, placesOf(byDate), LOOKED_AT)) === undefined)
      return sortedPage(finds, byDate, byAmount.order.descending, limit, after);
    const { along, all, order } = byAmount ?? byDate;
    const from = after !== undefined && { after: placeOf(after) };
    const end = along === all ? undefined : await finds.place(payments, { where: along, order, ...from }, LOOKED_AT);
    const query = { where: all, order, ...from, ...(end !== undefined && { upTo: end }) };
    // one more shows whether there is a next page
    const rows = knownOf(await finds.find(payments, { ...query, limit: limit + 1 }));
    if (rows.length > limit) return cutAt(rows, limit, filter);
    return { rows, ...(typeof end?.key === 'number' && { next: cursorOf(end.key, end.id, filter) }) };
  };

/**
 * A page by amount of payments that are fewer than LOOKED_AT along the most selective filter: they are all read and
 * sorted here, because along the amounts they may be one in a million.
 */
async function sortedPage(
  finds: Finds,
  { all, order }: PagePlan,
  isLargestFirst: boolean,
  limit: number,
  after: PaymentCursor | undefined,
): Promise<PaymentPage> {
  const sign = isLargestFirst ? -1 : 1;
  const compare = (a: Place, b: Place): number => sign * (Number(a.key) - Number(b.key) || (a.id < b.id ? -1 : 1));
  const amountOf = ({ id, doc }: Stored<KnownPayment>): Place => ({ key: doc.amount, id });
  const found = knownOf(await finds.find(payments, { where: all, order, limit: LOOKED_AT }));
  const from = after && placeOf(after);
  const rows = found
    .filter((row) => from === undefined || (row.id !== from.id && compare(amountOf(row), from) > 0))
    .sort((a, b) => compare(amountOf(a), amountOf(b)));
  return rows.length > limit ? cutAt(rows, limit, { sort: isLargestFirst ? 'largest' : 'smallest' }) : { rows };
}

/** Every payment along these indexes exists; `isKnown` proves that to the compiler. */
const knownOf = (rows: readonly Stored<Payment>[]): Stored<KnownPayment>[] =>
  rows.flatMap((row) => (isKnown(row.doc) ? [{ ...row, doc: row.doc }] : []));

/** The first `limit` of more rows. */
function cutAt(rows: readonly Stored<KnownPayment>[], limit: number, sorted: Pick<PaymentFilter, 'sort'>): PaymentPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, ...(last !== undefined && { next: cursorAfter(last, sorted) }) };
}

const isByAmount = ({ sort }: Pick<PaymentFilter, 'sort'>): boolean => sort === 'largest' || sort === 'smallest';

const cursorOf = (key: number, id: string, sorted: Pick<PaymentFilter, 'sort'>): PaymentCursor =>
  isByAmount(sorted) ? { amount: key, id } : { date: key, id };

/** The place right after a payment in the order of the filter. */
export const cursorAfter = ({ id, doc }: Stored<KnownPayment>, sorted: Pick<PaymentFilter, 'sort'>): PaymentCursor =>
  cursorOf(isByAmount(sorted) ? doc.amount : doc.date, id, sorted);

const placeOf = (cursor: PaymentCursor): Place => ({
  key: 'amount' in cursor ? cursor.amount : cursor.date,
  id: cursor.id,
});

const placesOf = ({ along, order }: PagePlan): PlaceQuery<PaymentKey> => ({ where: along, order });

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
  { fromDate, toDate, minAmount, maxAmount, sort, ...filter }: PaymentFilter,
): PagePlan {
  const { derivedStatus } = filter;
  const lists = { ...filter, ...(derivedStatus !== undefined && { derivedStatus: derivedKeysOf(derivedStatus) }) };
  const [index, by] = INDEXED.find(([name]) => lists[name] !== undefined) ?? [undefined, 'date' as const];
  const order = { by, descending: sort !== 'oldest' };
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

/** The same payments by amount; undefined of an order by date. */
function amountPlanOf(accountId: string, filter: PaymentFilter, byDate: PagePlan): PagePlan | undefined {
  if (!isByAmount(filter)) return undefined;
  const { currencyCode = [], minAmount, maxAmount } = filter;
  const along: PaymentWhere = {
    accountId: [accountId],
    currencyCode,
    ...(isRange(minAmount, maxAmount) && { amount: range(minAmount, maxAmount) }),
  };
  const order = { by: 'amount', descending: filter.sort === 'largest' } as const;
  const isSifted = Object.keys(byDate.all).some((name) => !(name in along));
  return { along, all: isSifted ? { ...byDate.all, ...along } : along, order };
}

const isRange = (from: number | undefined, to: number | undefined): boolean => from !== undefined || to !== undefined;

const range = (from: number | undefined, to: number | undefined): KeyRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** A page and the row after it are what a store finds at once. A total looks at ten pages. */
const COUNTED_AT_ONCE = 999;

/** The number of payments that match, and the sum of their amounts in each currency; along the same indexes. */
export const totalPayments =
  (list: ReturnType<typeof listPayments>) =>
  (accountId: string, filter: PaymentFilter): Promise<Totals> =>
    totalsOf<PaymentCursor>(async (after) => {
      const { rows, next } = await list(accountId, filter, COUNTED_AT_ONCE, after);
      return { rows: rows.map(({ doc }) => doc), ...(next !== undefined && { next }) };
    });
