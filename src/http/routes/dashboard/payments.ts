// The dashboard's payments: lists and search for every user, and all that is known of one.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import { issuerDeclineCodes } from '../../../domain/payment/decline-reason.ts';
import type { PaymentPage } from '../../../queries/list-payments.ts';
import type { Queries } from '../../../queries/queries.ts';
import { SEARCHED } from '../../../queries/search-payments.ts';
import { page } from '../../answer-size.ts';
import { csvAnswer, paymentsCsv } from '../../answers/csv.ts';
import {
  CustomerNameAnswer,
  customerNameAnswer,
  ListedPayment,
  ListedPaymentsAnswer,
  listedPayment,
} from '../../answers/listed-payment.ts';
import { PaymentDetailAnswer, paymentDetailAnswer } from '../../answers/payment-detail.ts';
import {
  PaymentStoryAnswer,
  paymentStoryAnswer,
  StoredEventsAnswer,
  storedEventAnswer,
} from '../../answers/payment-story.ts';
import { TotalsAnswer } from '../../answers/shapes.ts';
import { forRoles, forUsers, found, type Route, route, streamRoute } from '../../route.ts';
import {
  DASHBOARD_LIST_PARAMETERS,
  DashboardCsvQuery,
  DashboardFilterQuery,
  DashboardListQuery,
  paymentFilter,
} from '../payment-filter.ts';
import { pageOfPayments } from '../payment-list.ts';
import { params } from '../payment-params.ts';

const tag = 'Payments';
/** The most events of one payment: more than any has in practice, so that a page needs no cursor for them. */
const MOST_EVENTS = 1_000;
/** Payments of a piece of CSV. */
const ROWS_AT_ONCE = 500;
/** Payments that wait for a look-up or for a person, in one answer. */
const MOST_UNRESOLVED = 200;

type DashboardPaymentNeeds = Pick<
  Queries,
  | 'readPayment'
  | 'listPayments'
  | 'totalPayments'
  | 'withNames'
  | 'searchPayments'
  | 'unresolvedPayments'
  | 'readPaymentHistory'
  | 'readStoredPayment'
  | 'keyNames'
  | 'usersOfAccount'
>;

export const dashboardPaymentRoutes = (needs: DashboardPaymentNeeds): readonly Route[] => [
  ...lists(needs),
  csv(needs),
  one(needs),
  ...history(needs),
];

const SearchAnswer = z
  .strictObject({
    matches: z.array(z.strictObject({ by: z.enum(SEARCHED), data: z.array(ListedPayment), hasMore: z.boolean() })),
    customers: z.array(
      z.strictObject({
        customerId: z.string(),
        customerName: CustomerNameAnswer.optional(),
        emailAddress: z.string().optional(),
        /** How many payments the customer has. */
        payments: z.int(),
      }),
    ),
  })
  .meta({ id: 'PaymentSearch' });

const UnresolvedAnswer = z
  .strictObject({
    data: z.array(ListedPayment),
    isWhole: z.boolean(),
    /** Others, with an operation that the processor has accepted and not ended. */
    pending: z.strictObject({ count: z.int(), isMore: z.boolean() }),
  })
  .meta({ id: 'UnresolvedPayments' });

const lists = ({
  listPayments,
  totalPayments,
  withNames,
  searchPayments,
  unresolvedPayments,
}: DashboardPaymentNeeds): readonly Route[] => [
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payments',
    scope: forUsers,
    summary: 'List payments, newest first or by another order, by derived status and by the reason of a decline, too',
    request: z.object({ query: DashboardListQuery }),
    lists: DASHBOARD_LIST_PARAMETERS,
    answer: ListedPaymentsAnswer,
    errors: ['InvalidCursor'],
    handle: pageOfPayments(
      async (accountId, ...query) => withNames(accountId, await listPayments(accountId, ...query)),
      listedPayment,
    ),
  }),
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payment-totals',
    long: true,
    scope: forUsers,
    summary: 'Count the matching payments, and add up their amounts in each currency',
    request: z.object({ query: DashboardFilterQuery }),
    lists: DASHBOARD_LIST_PARAMETERS,
    answer: TotalsAnswer,
    async handle({ query }, { caller: { accountId } }) {
      return found(await totalPayments(accountId, paymentFilter(query)));
    },
  }),
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/decline-codes',
    scope: forUsers,
    summary: 'List the codes for which an issuer declines a payment; a processor may report others',
    request: z.object({}),
    answer: z.strictObject({ data: z.array(z.string()) }).meta({ id: 'DeclineCodes' }),
    async handle() {
      return found({ data: issuerDeclineCodes.toSorted() });
    },
  }),
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payment-search',
    scope: forUsers,
    summary:
      'Find payments by one text: the id of a payment, event or request, the reference of the processor, an order or its beginning, a customer, an e-mail address, the last four digits of a card',
    request: z.object({ query: z.strictObject({ text: identifier }) }),
    answer: SearchAnswer,
    async handle({ query: { text } }, { caller: { accountId } }) {
      const { matches, customers } = await searchPayments(accountId, text.trim());
      return found({
        matches: matches.map(({ by, rows, hasMore }) => ({
          by,
          data: rows.map(({ id, revision, doc }) => listedPayment(id, revision, doc)),
          hasMore,
        })),
        customers: [...customers].map(([customerId, { name, emailAddress, payments }]) => ({
          customerId,
          ...customerNameAnswer(name),
          ...(emailAddress !== undefined && { emailAddress }),
          payments,
        })),
      });
    },
  }),
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/unresolved-payments',
    scope: forUsers,
    summary: 'List payments with an unknown outcome, and payments that only a person can close',
    request: z.object({}),
    answer: UnresolvedAnswer,
    async handle(_request, { caller: { accountId, at } }) {
      const { rows, isWhole, pending } = await unresolvedPayments(accountId, at, MOST_UNRESOLVED);
      return page(
        rows,
        ({ id, revision, doc }) => listedPayment(id, revision, doc),
        (_shown, isCut) => ({ isWhole: isWhole && !isCut, pending }),
      );
    },
  }),
];

const csv = ({ listPayments, readPayment }: DashboardPaymentNeeds): Route =>
  streamRoute({
    tag,
    method: 'GET',
    path: '/dashboard/api/payments.csv',
    long: true,
    scope: forRoles('owner', 'support', 'auditor'),
    summary: 'Export all matching payments as CSV, by date, or the payments with these ids',
    request: z.object({ query: DashboardCsvQuery }),
    lists: [...DASHBOARD_LIST_PARAMETERS, 'id'],
    contentType: 'text/csv; charset=utf-8',
    handle({ query: { id: ids, ...query } }, { caller: { accountId, at } }) {
      const filter = paymentFilter(query);
      const pieces = paymentsCsv(async (after) =>
        ids === undefined ? listPayments(accountId, filter, ROWS_AT_ONCE, after) : chosen(readPayment, accountId, ids),
      );
      return csvAnswer('payments', at, pieces);
    },
  });

/** In the order of the ids; an id without a payment of the account is left out. */
async function chosen(
  readPayment: DashboardPaymentNeeds['readPayment'],
  accountId: string,
  ids: readonly string[],
): Promise<PaymentPage> {
  const read = await Promise.all(ids.map((id) => readPayment(id, accountId)));
  return { rows: read.flatMap((one) => ('kind' in one ? [] : [one])) };
}

const one = ({ readPayment, readPaymentHistory }: DashboardPaymentNeeds): Route =>
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payments/:id',
    long: true,
    scope: forUsers,
    summary: 'Read a payment, the operations it allows, and its unresolved attempts',
    request: z.object({ params }),
    answer: PaymentDetailAnswer,
    async handle({ params: { id } }, { caller: { accountId, at } }) {
      const read = await readPayment(id, accountId);
      if ('kind' in read) return read;
      const told = await readPaymentHistory(id, accountId, -1, MOST_EVENTS);
      if ('kind' in told) return told;
      return found(await paymentDetailAnswer(id, read.revision, read.doc, at, () => told.events), read.revision);
    },
  });

const history = ({
  readPayment,
  readPaymentHistory,
  readStoredPayment,
  ...named
}: DashboardPaymentNeeds): readonly Route[] => [
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payments/:id/events',
    long: true,
    scope: forUsers,
    summary: 'Read the history of a payment in words, oldest first',
    request: z.object({ params }),
    answer: PaymentStoryAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const read = await readPayment(id, accountId);
      if ('kind' in read) return read;
      const told = await readPaymentHistory(id, accountId, -1, MOST_EVENTS);
      if ('kind' in told) return told;
      const actors = told.events.map(({ metadata }) => metadata.actor);
      const users = actors.some(({ kind }) => kind === 'user') ? await named.usersOfAccount(accountId) : [];
      const names = new Map([
        ...(await named.keyNames(accountId, actors)),
        ...users.map(({ userId, user }) => [userId, user.email] as const),
      ]);
      const { data } = paymentStoryAnswer(told.events, read.doc.currencyCode, names);
      return page(
        data,
        (one) => one,
        (_shown, isCut) => ({ isWhole: told.next === undefined && !isCut }),
      );
    },
  }),
  route({
    tag,
    method: 'GET',
    path: '/dashboard/api/payments/:id/stored-events',
    long: true,
    scope: forRoles('owner', 'developer', 'auditor'),
    summary: 'Read the events of a payment as stored, oldest first',
    request: z.object({ params }),
    answer: StoredEventsAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const stored = await readStoredPayment(id, accountId, -1, MOST_EVENTS);
      if ('kind' in stored) return stored;
      return page(stored.events, storedEventAnswer, (_shown, isCut) => ({
        isWhole: stored.next === undefined && !isCut,
      }));
    },
  }),
];
