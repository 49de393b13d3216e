// The search parameters of the page of disputes, in the URL under the API's own names.
import { isByAmount, type Order, type Sorts } from '../../parts/sorting.tsx';

export const DISPUTE_STATUSES = ['OPEN', 'CHALLENGED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'PREVENTED'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const DISPUTE_SORTS = {
  due: ['deadline'],
  opened: ['newest', 'oldest'],
  amount: ['largest', 'smallest'],
} as const satisfies Sorts;

export interface DisputeSearch {
  readonly status?: DisputeStatus;
  readonly currency_code?: string;
  /** Left out: by deadline. */
  readonly sort?: Order;
}

/** Anything else in the address is left out, and so is an order that does not apply. */
export function disputeSearch({ status, currency_code, sort }: Record<string, unknown>): DisputeSearch {
  const known = DISPUTE_STATUSES.find((one) => one === status);
  const currency = typeof currency_code === 'string' && /^[A-Z]{3}$/.test(currency_code) ? currency_code : undefined;
  const orders = [...DISPUTE_SORTS.opened, ...(currency === undefined ? [] : DISPUTE_SORTS.amount)];
  const order = orders.find((one) => one === sort);
  return {
    ...(known !== undefined && { status: known }),
    ...(currency !== undefined && { currency_code: currency }),
    ...(order !== undefined && { sort: order }),
  };
}

/** The search in another order; by amount, in `currencyCode` unless it has a currency. */
export const disputesInOrder = (search: DisputeSearch, sort: Order, currencyCode: string | undefined): DisputeSearch =>
  disputeSearch({ ...search, ...(isByAmount(sort) && { currency_code: search.currency_code ?? currencyCode }), sort });
