// The dashboard's payments: lists and search for every user, and all that is known of one.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import { issuerDeclineCodes } from '../../../domain/payment/decline-reason.ts';
import type { PaymentPage } from '../../../queries/list-payments.ts';
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
import { csvRoute, forRoles, forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import {
  DASHBOARD_LIST_PARAMETERS,
  DashboardCsvQuery,
  DashboardFilterQuery,
  DashboardListQuery,
  paymentParams as params,
  paymentFilter,
} from '../payment-filter.ts';
import { pageOfPayments } from '../payments.ts';

const common = { tag: 'Payments', method: 'GET', scope: forUsers } as const;
/** The most events of one payment: more than any has in practice, so that a page needs no cursor for them. */
const MOST_EVENTS = 1_000;
/** Payments of a piece of CSV. */
const ROWS_AT_ONCE = 500;
/** Payments that wait for a look-up or for a person, in one answer. */
const MOST_UNRESOLVED = 200;

export const dashboardPaymentRoutes = (parts: RouteParts): readonly Route[] => [
  ...lists(parts),
  csv(parts),
  one(parts),
  ...history(parts),
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

const lists = ({ queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/payments',
    summary: 'List payments, newest first or by another order, by derived status and by the reason of a decline, too',
    request: z.object({ query: DashboardListQuery }),
    lists: DASHBOARD_LIST_PARAMETERS,
    answer: ListedPaymentsAnswer,
    errors: ['InvalidCursor'],
    handle: pageOfPayments(
      async (accountId, ...query) => queries.withNames(accountId, await queries.listPayments(accountId, ...query)),
      listedPayment,
    ),
  }),
  route({
    ...common,
    path: '/dashboard/api/payment-totals',
    long: true,
    summary: 'Count the matching payments, and add up their amounts in each currency',
    request: z.object({ query: DashboardFilterQuery }),
    lists: DASHBOARD_LIST_PARAMETERS,
    answer: TotalsAnswer,
    handle: async ({ query }, { caller: { accountId } }) =>
      found(await queries.totalPayments(accountId, paymentFilter(query))),
  }),
  route({
    ...common,
    path: '/dashboard/api/decline-codes',
    summary: 'List the codes for which an issuer declines a payment; a processor may report others',
    request: z.object({}),
    answer: z.strictObject({ data: z.array(z.string()) }).meta({ id: 'DeclineCodes' }),
    handle: () => found({ data: issuerDeclineCodes.toSorted() }),
  }),
  route({
    ...common,
    path: '/dashboard/api/payment-search',
    summary:
      'Find payments by one text: the id of a payment, event or request, the reference of the processor, an order or its beginning, a customer, an e-mail address, the last four digits of a card',
    request: z.object({ query: z.strictObject({ text: identifier }) }),
    answer: SearchAnswer,
    async handle({ query: { text } }, { caller: { accountId } }) {
      const { matches, customers } = await queries.searchPayments(accountId, text.trim());
      return found({
        matches: matches.map(({ by, rows, hasMore }) => ({
          by,
          data: rows.map(({ id, revision, doc }) => listedPayment(id, revision, doc)),
          hasMore,
        })),
        customers: [...customers].map(([customerId, { name, emailAddress, payments }]) => ({
          customerId,
          ...customerNameAnswer(name),
          emailAddress,
          payments,
        })),
      });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/unresolved-payments',
    summary: 'List payments with an unknown outcome, and payments that only a person can close',
    request: z.object({}),
    answer: UnresolvedAnswer,
    async handle(_request, { caller: { accountId, at } }) {
      const { rows, isWhole, pending } = await queries.unresolvedPayments(accountId, at, MOST_UNRESOLVED);
      return page(
        rows,
        ({ id, revision, doc }) => listedPayment(id, revision, doc),
        (_shown, isCut) => ({ isWhole: isWhole && !isCut, pending }),
      );
    },
  }),
];

const csv = ({ queries }: RouteParts): Route =>
  csvRoute({
    ...common,
    path: '/dashboard/api/payments.csv',
    summary: 'Export all matching payments as CSV, by date, or the payments with these ids',
    request: z.object({ query: DashboardCsvQuery }),
    lists: [...DASHBOARD_LIST_PARAMETERS, 'id'],
    handle({ query: { id: ids, ...query } }, { caller: { accountId, at } }) {
      const filter = paymentFilter(query);
      const pieces = paymentsCsv(async (after) =>
        ids === undefined
          ? queries.listPayments(accountId, filter, ROWS_AT_ONCE, after)
          : chosen(queries, accountId, ids),
      );
      return csvAnswer('payments', at, pieces);
    },
  });

/** In the order of the ids; an id without a payment of the account is left out. */
async function chosen(
  { readPayment }: RouteParts['queries'],
  accountId: string,
  ids: readonly string[],
): Promise<PaymentPage> {
  const read = await Promise.all(ids.map((id) => readPayment(id, accountId)));
  return { rows: read.flatMap((one) => ('kind' in one ? [] : [one])) };
}

const one = ({ queries: { readPayment, readPaymentHistory } }: RouteParts): Route =>
  route({
    ...common,
    path: '/dashboard/api/payments/:id',
    long: true,
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

const history = ({ queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/payments/:id/events',
    long: true,
    summary: 'Read the history of a payment in words, oldest first',
    request: z.object({ params }),
    answer: PaymentStoryAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const read = await queries.readPayment(id, accountId);
      if ('kind' in read) return read;
      const told = await queries.readPaymentHistory(id, accountId, -1, MOST_EVENTS);
      if ('kind' in told) return told;
      const actors = told.events.map(({ metadata }) => metadata.actor);
      const isOfUsers = actors.some(({ kind }) => kind === 'user');
      const names = new Map([
        ...(await queries.keyNames(accountId, actors)),
        ...(isOfUsers ? await queries.emailsOfAccount(accountId) : []),
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
    ...common,
    path: '/dashboard/api/payments/:id/stored-events',
    long: true,
    scope: forRoles('owner', 'developer', 'auditor'),
    summary: 'Read the events of a payment as stored, oldest first',
    request: z.object({ params }),
    answer: StoredEventsAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const stored = await queries.readStoredPayment(id, accountId, -1, MOST_EVENTS);
      if ('kind' in stored) return stored;
      return page(stored.events, storedEventAnswer, (_shown, isCut) => ({
        isWhole: stored.next === undefined && !isCut,
      }));
    },
  }),
];
