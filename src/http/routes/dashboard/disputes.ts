// The dashboard's disputes: the list of an account, its totals and its CSV, and a user's answers, each as the API does
// it.
import { z } from 'zod';
import { KnownCurrencyCode } from '../../../commands/fields/currency.ts';
import { identifier } from '../../../commands/fields/text.ts';
import { disputeStatuses } from '../../../domain/dispute-status.ts';
import type { KnownPayment } from '../../../domain/payment/payment.ts';
import { disputeIdIn, type ListedDispute } from '../../../projections/models/disputes.ts';
import { type DisputeFilter, type DisputesPlace, disputeOrders } from '../../../queries/list-disputes.ts';
import type { Stored } from '../../../stores/read-models.ts';
import { formatTime } from '../../../world.ts';
import { type CsvColumn, csvAnswer, csvOf, moneyCell } from '../../answers/csv.ts';
import { DisputeAnswer } from '../../answers/dispute.ts';
import { instantOf, TotalsAnswer } from '../../answers/shapes.ts';
import { listed, paging } from '../../list.ts';
import { csvRoute, forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { disputeRoutes } from '../disputes.ts';
import type { RouteParts } from '../parts.ts';
import { MOST_CHOSEN, refuseBareAmountOrder } from '../payment-filter.ts';

const DisputeItem = DisputeAnswer.omit({ evidence: true, statusReason: true }).extend({
  paymentId: z.string(),
  /** The payment's, as are those of the customer; absent if the payment cannot be read. */
  orderId: z.string().optional(),
  customerId: z.string().optional(),
  customerName: z.string().optional(),
});
type DisputeItem = z.infer<typeof DisputeItem>;
const DisputeList = z
  .strictObject({ data: z.array(DisputeItem), nextCursor: z.string().optional() })
  .meta({ id: 'DisputeList' });
const Place: z.ZodType<DisputesPlace> = z.strictObject({ key: z.number(), id: z.string() });

const Filters = z.strictObject({ status: z.enum(disputeStatuses), currency_code: KnownCurrencyCode }).partial();
const Sorted = Filters.extend({ sort: z.enum(disputeOrders).optional() });
const ListQuery = Sorted.extend(paging).check(refuseBareAmountOrder);
/** `id`: the ids of the payment and of its dispute, with a dot between them. */
const CsvQuery = Sorted.extend({ id: z.array(identifier).min(1).max(MOST_CHOSEN).optional() }).check(
  refuseBareAmountOrder,
);

const filterOf = ({ status, currency_code: currencyCode, sort }: z.output<typeof Sorted>): DisputeFilter => ({
  status,
  currencyCode,
  sort,
});

function buyerOf({ orderId, customerId, customer }: KnownPayment) {
  const customerName = [customer?.firstName, customer?.lastName].filter((name) => name !== undefined).join(' ');
  return { orderId, customerId, ...(customerName !== '' && { customerName }) };
}

/** Disputes of a piece of CSV. */
const ROWS_AT_ONCE = 500;

const COLUMNS: readonly CsvColumn<DisputeItem>[] = [
  ['id', ({ id }) => id],
  ['payment_id', ({ paymentId }) => paymentId],
  ['opened_utc', ({ openedAt }) => openedAt],
  ['respond_by_utc', ({ challengeRequiredBy }) => challengeRequiredBy ?? ''],
  ['status', ({ status }) => status],
  ['order_id', ({ orderId }) => orderId ?? ''],
  ['customer_id', ({ customerId }) => customerId ?? ''],
  ['customer_name', ({ customerName }) => customerName ?? ''],
  ['currency', ({ currencyCode }) => currencyCode],
  ['amount', ({ amount, currencyCode }) => moneyCell(amount, currencyCode)],
  ['reason', ({ reason }) => reason ?? ''],
  ['reason_code', ({ reasonCode }) => reasonCode ?? ''],
  ['round', ({ round }) => String(round)],
  ['type', ({ type }) => type],
];

const common = { tag: 'Payments', method: 'GET', scope: forUsers } as const;

export function dashboardDisputeRoutes(parts: RouteParts): readonly Route[] {
  const { queries } = parts;
  const itemsOf = async (rows: readonly Stored<ListedDispute>[]): Promise<DisputeItem[]> => {
    const paid = await queries.paymentsById([...new Set(rows.map(({ doc }) => doc.paymentId))]);
    const buyers = new Map(paid.map((one) => [one.id, buyerOf(one.doc)]));
    return rows.map(({ id, doc: { accountId: _own, openedAt, challengeRequiredBy, ...told } }) => ({
      id: disputeIdIn(id),
      ...told,
      ...buyers.get(told.paymentId),
      openedAt: formatTime(openedAt),
      challengeRequiredBy: instantOf(challengeRequiredBy),
    }));
  };
  return [
    route({
      ...common,
      path: '/dashboard/api/disputes',
      summary: 'List disputes: first the ones that await a response, then the newest, or by another order',
      request: z.object({ query: ListQuery }),
      answer: DisputeList,
      errors: ['InvalidCursor'],
      handle: ({ query: { limit, cursor, ...filters } }, { caller: { accountId } }) =>
        listed(
          { limit, cursor },
          {
            list: 'disputes',
            accountId,
            filters,
            place: Place,
            read: (size, after) => queries.listDisputes(accountId, filterOf(filters), size, after),
            itemsOf,
          },
        ),
    }),
    route({
      ...common,
      path: '/dashboard/api/dispute-totals',
      long: true,
      summary: 'Count the matching disputes, and add up their amounts in each currency',
      request: z.object({ query: Filters }),
      answer: TotalsAnswer,
      handle: async ({ query }, { caller: { accountId } }) =>
        found(await queries.totalDisputes(accountId, filterOf(query))),
    }),
    csvRoute({
      ...common,
      path: '/dashboard/api/disputes.csv',
      summary: 'Export all matching disputes as CSV, or the disputes with these ids',
      request: z.object({ query: CsvQuery }),
      lists: ['id'],
      handle({ query: { id: ids, ...query } }, { caller: { accountId, at } }) {
        const pieces = csvOf(COLUMNS, async (after?: DisputesPlace) => {
          if (ids !== undefined) return { rows: await itemsOf(await queries.disputesById(accountId, ids)) };
          const { rows, next } = await queries.listDisputes(accountId, filterOf(query), ROWS_AT_ONCE, after);
          return { rows: await itemsOf(rows), next };
        });
        return csvAnswer('disputes', at, pieces);
      },
    }),
    ...disputeRoutes(parts, { prefix: '/dashboard/api', tag: 'Payments', scope: forRoles('owner', 'support') }),
  ];
}
