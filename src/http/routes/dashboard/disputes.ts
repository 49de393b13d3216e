// The dashboard's disputes: the list of an account, its totals and its CSV, and a user's answers, each as the API does
// it.
import { z } from 'zod';
import { KnownCurrencyCode } from '../../../commands/fields/currency.ts';
import { identifier } from '../../../commands/fields/text.ts';
import type { DisputeAnswers } from '../../../commands/payments/payments.ts';
import { disputeStatuses } from '../../../domain/dispute-status.ts';
import type { KnownPayment } from '../../../domain/payment/payment.ts';
import { disputeIdIn, type ListedDispute } from '../../../projections/models/disputes.ts';
import { type DisputeFilter, type DisputesPlace, disputeOrders } from '../../../queries/list-disputes.ts';
import type { Queries } from '../../../queries/queries.ts';
import type { Stored } from '../../../stores/read-models.ts';
import { formatTime } from '../../../world.ts';
import { type CsvColumn, csvAnswer, csvOf, moneyCell } from '../../answers/csv.ts';
import { DisputeAnswer } from '../../answers/dispute.ts';
import { TotalsAnswer } from '../../answers/shapes.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forRoles, forUsers, found, type Route, route, streamRoute } from '../../route.ts';
import { disputeRoutes } from '../disputes.ts';
import { MOST_CHOSEN, PageSize, pageSize, refuseBareAmountOrder } from '../payment-filter.ts';

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
const Place = z.strictObject({ key: z.number(), id: z.string() });

const Filters = z.strictObject({ status: z.enum(disputeStatuses), currency_code: KnownCurrencyCode }).partial();
const Sorted = Filters.extend({ sort: z.enum(disputeOrders).optional() });
const ListQuery = Sorted.extend({ limit: PageSize, cursor: CursorText.optional() }).check(refuseBareAmountOrder);
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
  return {
    orderId,
    ...(customerId !== undefined && { customerId }),
    ...(customerName !== '' && { customerName }),
  };
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

interface DashboardDisputeNeeds
  extends DisputeAnswers,
    Pick<Queries, 'listDisputes' | 'totalDisputes' | 'disputesById' | 'paymentsById'> {}

export const dashboardDisputeRoutes = (needs: DashboardDisputeNeeds): readonly Route[] => {
  const itemsOf = async (rows: readonly Stored<ListedDispute>[]): Promise<DisputeItem[]> => {
    const paid = await needs.paymentsById([...new Set(rows.map(({ doc }) => doc.paymentId))]);
    const buyers = new Map(paid.map((one) => [one.id, buyerOf(one.doc)]));
    return rows.map(({ id, doc: { accountId: _own, openedAt, challengeRequiredBy, ...told } }) => ({
      id: disputeIdIn(id),
      ...told,
      ...buyers.get(told.paymentId),
      openedAt: formatTime(openedAt),
      ...(challengeRequiredBy !== undefined && { challengeRequiredBy: formatTime(challengeRequiredBy) }),
    }));
  };
  return [
    route({
      tag: 'Payments',
      method: 'GET',
      path: '/dashboard/api/disputes',
      scope: forUsers,
      summary: 'List disputes: first the ones that await a response, then the newest, or by another order',
      request: z.object({ query: ListQuery }),
      answer: DisputeList,
      errors: ['InvalidCursor'],
      async handle({ query: { limit, cursor, ...filters } }, { caller: { accountId } }) {
        const binding = bindingOf('disputes', accountId, filters);
        const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
        if (after !== undefined && 'kind' in after) return after;
        const page = await needs.listDisputes(accountId, filterOf(filters), pageSize(limit), after?.place);
        const data = await itemsOf(page.rows);
        return found({ data, ...(page.next !== undefined && { nextCursor: writeCursor(binding, page.next) }) });
      },
    }),
    route({
      tag: 'Payments',
      method: 'GET',
      path: '/dashboard/api/dispute-totals',
      long: true,
      scope: forUsers,
      summary: 'Count the matching disputes, and add up their amounts in each currency',
      request: z.object({ query: Filters }),
      answer: TotalsAnswer,
      async handle({ query }, { caller: { accountId } }) {
        return found(await needs.totalDisputes(accountId, filterOf(query)));
      },
    }),
    streamRoute({
      tag: 'Payments',
      method: 'GET',
      path: '/dashboard/api/disputes.csv',
      long: true,
      scope: forRoles('owner', 'support', 'auditor'),
      summary: 'Export all matching disputes as CSV, or the disputes with these ids',
      request: z.object({ query: CsvQuery }),
      lists: ['id'],
      contentType: 'text/csv; charset=utf-8',
      handle({ query: { id: ids, ...query } }, { caller: { accountId, at } }) {
        const pieces = csvOf(COLUMNS, async (after?: DisputesPlace) => {
          if (ids !== undefined) return { rows: await itemsOf(await needs.disputesById(accountId, ids)) };
          const { rows, next } = await needs.listDisputes(accountId, filterOf(query), ROWS_AT_ONCE, after);
          return { rows: await itemsOf(rows), ...(next !== undefined && { next }) };
        });
        return csvAnswer('disputes', at, pieces);
      },
    }),
    ...disputeRoutes(needs, { prefix: '/dashboard/api', tag: 'Payments', scope: forRoles('owner', 'support') }),
  ];
};
