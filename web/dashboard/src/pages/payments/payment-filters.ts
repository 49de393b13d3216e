// The filters and the order of the payments list. They are kept in the URL, under the API's own names, and nowhere
// else.
import type { paths } from '../../app/api-types.d.ts';
import { isByAmount } from '../../parts/sorting.tsx';

type PaymentQuery = NonNullable<paths['/dashboard/api/payments']['get']['parameters']['query']>;

/** In the URL every value is text; lists are separated by commas. Amounts are in minor units. */
export interface PaymentSearch {
  readonly status?: string;
  readonly currency_code?: string;
  readonly order_id?: string;
  readonly customer_id?: string;
  readonly processor?: string;
  readonly last_4_digits?: string;
  readonly payment_method_type?: string;
  readonly derived_status?: string;
  /** Of declined payments. */
  readonly decline_code?: string;
  readonly from_date?: string;
  readonly to_date?: string;
  readonly min_amount?: string;
  readonly max_amount?: string;
  /** `unresolved`: payments with an unknown outcome; no other filter counts beside it. */
  readonly show?: string;
  /** The order: `oldest`, `largest` or `smallest`; left out, the newest first. */
  readonly sort?: string;
}

const NAMES = [
  'status',
  'currency_code',
  'order_id',
  'customer_id',
  'processor',
  'last_4_digits',
  'payment_method_type',
  'derived_status',
  'decline_code',
  'from_date',
  'to_date',
  'min_amount',
  'max_amount',
  'show',
  'sort',
] as const satisfies readonly (keyof PaymentSearch)[];

/** True if the filters leave one currency, so that the amounts of the list can be compared. */
export const hasOneCurrency = ({ currency_code }: PaymentSearch): boolean =>
  currency_code !== undefined && !currency_code.includes(',');

/** The members of a URL's search that this page knows; others are dropped, and so is an order that does not apply. */
export function paymentSearch(search: Record<string, unknown>): PaymentSearch {
  const found = NAMES.flatMap((name) => {
    const value = search[name];
    return value === undefined || value === null || value === '' ? [] : [[name, String(value)] as const];
  });
  const { sort, ...known }: PaymentSearch = Object.fromEntries(found);
  const isSorted = sort === 'oldest' || (isByAmount(sort) && hasOneCurrency(known));
  return sort !== undefined && isSorted ? { ...known, sort } : known;
}

const PAGE = 50;
const list = (text: string): string[] => text.split(',').filter((one) => one !== '');

type Status = NonNullable<PaymentQuery['status']>[number];
type Currency = NonNullable<PaymentQuery['currency_code']>[number];
/** The form of their names. The API knows which of them exist. */
const isStatus = (text: string): text is Status => /^[A-Z_]+$/.test(text);
type Method = NonNullable<PaymentQuery['payment_method_type']>[number];
type Derived = NonNullable<PaymentQuery['derived_status']>[number];
const isDerived = (text: string): text is Derived => /^[A-Z_]+$/.test(text);
const isMethod = (text: string): text is Method => /^[A-Z_]+$/.test(text);
type Order = NonNullable<PaymentQuery['sort']>;
const isOrder = (text: string | undefined): text is Order => text === 'oldest' || isByAmount(text);
const isCurrency = (text: string): text is Currency => /^[A-Z]{3}$/.test(text);

/** The query of the API, for a page of the list. */
export function paymentQuery(search: PaymentSearch, cursor?: string): PaymentQuery {
  return {
    ...paymentFilter(search),
    ...(isOrder(search.sort) && { sort: search.sort }),
    limit: PAGE,
    ...(cursor !== undefined && { cursor }),
  };
}

/**
 * The filters, for the list, its totals and the CSV. The id of an order or customer may contain a comma, so there is
 * one of each.
 */
export function paymentFilter(search: PaymentSearch): PaymentQuery {
  const {
    status,
    currency_code,
    order_id,
    customer_id,
    processor,
    last_4_digits,
    from_date,
    to_date,
    min_amount,
    max_amount,
    payment_method_type,
    derived_status,
    decline_code,
  } = search;
  return {
    ...(status !== undefined && { status: list(status).filter(isStatus) }),
    ...(currency_code !== undefined && { currency_code: list(currency_code).filter(isCurrency) }),
    ...(order_id !== undefined && { order_id: [order_id] }),
    ...(customer_id !== undefined && { customer_id: [customer_id] }),
    ...(processor !== undefined && { processor: list(processor) }),
    ...(last_4_digits !== undefined && { last_4_digits: list(last_4_digits) }),
    ...(payment_method_type !== undefined && { payment_method_type: list(payment_method_type).filter(isMethod) }),
    ...(derived_status !== undefined && { derived_status: list(derived_status).filter(isDerived) }),
    ...(decline_code !== undefined && { decline_code: [decline_code] }),
    ...(from_date !== undefined && { from_date }),
    ...(to_date !== undefined && { to_date }),
    ...(min_amount !== undefined && { min_amount: Number(min_amount) }),
    ...(max_amount !== undefined && { max_amount: Number(max_amount) }),
  };
}

/** How many filters narrow the list. */
export const filterCount = (search: PaymentSearch): number => {
  const { from_date, to_date, min_amount, max_amount, sort: _sort, ...others } = search;
  const ranges = [from_date ?? to_date, min_amount ?? max_amount].filter((one) => one !== undefined).length;
  return Object.keys(others).length + ranges;
};

/** True if all payments of the list are declined or failed, so that their reasons are of interest. */
export const isOfDeclined = ({ status, decline_code }: PaymentSearch): boolean =>
  decline_code !== undefined ||
  (status !== undefined && list(status).every((one) => one === 'DECLINED' || one === 'FAILED'));
