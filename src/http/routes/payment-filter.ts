// The path of one payment, and the query of GET /payments: filters, page size and cursor (contract §4).
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { KnownCurrencyCode } from '../../commands/fields/currency.ts';
import { identifier } from '../../commands/fields/text.ts';
import { derivedStatuses } from '../../domain/payment/derived-status.ts';
import { PaymentMethodType } from '../../domain/payment-method.ts';
import type { PaymentFilter } from '../../queries/list-payments.ts';
import { PaymentStatusName } from '../answers/payment-status.ts';
import { asNumber, paging, Time } from '../list.ts';

const MAX_VALUES = 50;

export const paymentParams = z.object({ id: z.string().regex(/^pay_[0-9A-Za-z]{1,64}$/) });

const list = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(MAX_VALUES);

/**
 * Values that cannot hold a comma: a percent-encoded comma separates them as well, because many clients encode all they
 * send.
 */
const words = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((sent) => (Array.isArray(sent) ? sent.flatMap((one) => String(one).split(',')) : sent), list(item));

const lists = {
  status: words(PaymentStatusName),
  currency_code: words(KnownCurrencyCode),
  order_id: list(identifier),
  customer_id: list(identifier),
  processor: words(identifier),
  last_4_digits: words(z.string().regex(/^\d{4}$/, { error: 'Must be four digits.' })),
  payment_method_type: words(PaymentMethodType),
};

/** Parameters that are comma-separated or repeated. */
export const LIST_PARAMETERS = Object.keys(lists);

/** The dashboard's own, beside those of the API. A code of a processor may contain a comma. */
const dashboardLists = {
  derived_status: words(z.enum(derivedStatuses)),
  decline_code: list(identifier),
};

/** Those of the dashboard's lists. */
export const DASHBOARD_LIST_PARAMETERS = [...LIST_PARAMETERS, ...Object.keys(dashboardLists)];

const Filters = z
  .strictObject({
    ...lists,
    from_date: Time,
    to_date: Time,
    min_amount: asNumber(Amount),
    max_amount: asNumber(Amount),
  })
  .partial();

/** An amount without a currency says nothing. */
const refuseBareAmounts = ({ value, issues }: z.core.ParsePayload<z.output<typeof Filters>>): void => {
  if (value.currency_code !== undefined) return;
  for (const name of ['min_amount', 'max_amount'] as const) {
    if (value[name] !== undefined)
      issues.push({ code: 'custom', input: value, path: [name], message: 'Needs currency_code as well.' });
  }
};

export const PaymentListQuery = Filters.extend(paging).check(refuseBareAmounts);

const DashboardFilters = Filters.extend(z.object(dashboardLists).partial().shape);

/** The filters of the dashboard without a page, for all that match. */
export const DashboardFilterQuery = DashboardFilters.check(refuseBareAmounts);

/** Chosen rows of a list in one CSV. */
export const MOST_CHOSEN = 100;

interface SortedQuery {
  readonly sort?: string | undefined;
  readonly currency_code?: string | readonly string[] | undefined;
}
/** Amounts of several currencies have no order. */
export const refuseBareAmountOrder = ({ value, issues }: z.core.ParsePayload<SortedQuery>): void => {
  const { sort: order, currency_code: currency } = value;
  const isOne = typeof currency === 'string' || new Set(currency).size === 1;
  if ((order === 'largest' || order === 'smallest') && !isOne)
    issues.push({ code: 'custom', input: value, path: ['sort'], message: 'Needs one currency_code as well.' });
};

const sort = z.enum(['newest', 'oldest', 'largest', 'smallest']).optional();
const DashboardSorted = DashboardFilters.extend({ sort });

export const DashboardListQuery = DashboardSorted.extend(paging).check(refuseBareAmounts, refuseBareAmountOrder);

/** All that match, or the chosen ones of them. */
export const DashboardCsvQuery = DashboardSorted.extend({
  id: z.array(identifier).min(1).max(MOST_CHOSEN).optional(),
}).check(refuseBareAmounts, refuseBareAmountOrder);

/** The filters alone, under the names of the query; also what a cursor is bound to. */
type SentFilters = z.output<typeof DashboardSorted>;

export function paymentFilter(sent: SentFilters): PaymentFilter {
  const { status, currency_code, order_id, customer_id, processor, last_4_digits, payment_method_type } = sent;
  const { derived_status, decline_code, from_date, to_date, min_amount, max_amount, sort } = sent;
  return {
    ...(status !== undefined && { status }),
    ...(currency_code !== undefined && { currencyCode: currency_code }),
    ...(order_id !== undefined && { orderId: order_id }),
    ...(customer_id !== undefined && { customerId: customer_id }),
    ...(processor !== undefined && { processor }),
    ...(last_4_digits !== undefined && { last4Digits: last_4_digits }),
    ...(payment_method_type !== undefined && { paymentMethodType: payment_method_type }),
    ...(derived_status !== undefined && { derivedStatus: derived_status }),
    ...(decline_code !== undefined && { declineCode: decline_code }),
    ...(from_date !== undefined && { fromDate: from_date }),
    ...(to_date !== undefined && { toDate: to_date }),
    ...(min_amount !== undefined && { minAmount: min_amount }),
    ...(max_amount !== undefined && { maxAmount: max_amount }),
    ...(sort !== undefined && sort !== 'newest' && { sort }),
  };
}
