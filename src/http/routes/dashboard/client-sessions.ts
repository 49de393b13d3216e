// The dashboard's client sessions: a list, its totals and its CSV, and one with its fields and the payments that
// held it, never a token; and its payment instruments, their cards masked.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import type { OpenSession } from '../../../domain/client-session/state.ts';
import { derivedStatuses } from '../../../domain/payment/derived-status.ts';
import type { KnownPayment } from '../../../domain/payment/payment.ts';
import type { SessionFilter } from '../../../queries/client-sessions.ts';
import type { NewestCursor } from '../../../queries/pages.ts';
import type { Stored } from '../../../stores/read-models.ts';
import { type CsvColumn, csvAnswer, csvOf, moneyCell } from '../../answers/csv.ts';
import { PaymentInstrumentAnswer, paymentInstrumentAnswer } from '../../answers/payment-instrument.ts';
import {
  SessionDetailAnswer,
  SessionListAnswer,
  SessionStatusName,
  type SessionSummary,
  sessionDetailAnswer,
  sessionSummary,
} from '../../answers/session-summary.ts';
import { TotalsAnswer } from '../../answers/shapes.ts';
import { listed, paging, Time } from '../../list.ts';
import { csvRoute, forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MOST_CHOSEN } from '../payment-filter.ts';
import { instrumentRoute, pageOfWallet } from '../payment-instruments.ts';
import { NewestPlace, newestPlaceOf } from '../payment-links.ts';

const common = { tag: 'Client sessions', method: 'GET', scope: forUsers } as const;
const params = z.object({ id: z.string().regex(/^cs_[0-9A-Za-z]{1,64}$/) });

const Filters = z
  .strictObject({
    order_id: identifier,
    customer_id: identifier,
    status: SessionStatusName,
    derived_status: z.enum(derivedStatuses),
    from_date: Time,
    to_date: Time,
  })
  .partial();
const Sorted = Filters.extend({ sort: z.enum(['newest', 'oldest']).optional() });
const ListQuery = Sorted.extend(paging);
const CsvQuery = Sorted.extend({ id: z.array(params.shape.id).min(1).max(MOST_CHOSEN).optional() });

const filterOf = (sent: z.output<typeof Sorted>): SessionFilter => ({
  orderId: sent.order_id,
  customerId: sent.customer_id,
  status: sent.status,
  derivedStatus: sent.derived_status,
  from: sent.from_date,
  to: sent.to_date,
  isOldestFirst: sent.sort === 'oldest',
});

/** Sessions of a piece of CSV: a session may be large. */
const ROWS_AT_ONCE = 100;

const COLUMNS: readonly CsvColumn<SessionSummary>[] = [
  ['id', ({ id }) => id],
  ['created_utc', ({ createdAt }) => createdAt],
  ['expires_utc', ({ expiresAt }) => expiresAt],
  ['status', ({ status }) => status],
  ['order_id', ({ orderId }) => orderId ?? ''],
  ['customer_id', ({ customerId }) => customerId ?? ''],
  ['currency', ({ currencyCode }) => currencyCode ?? ''],
  [
    'amount',
    ({ amount, currencyCode }) =>
      amount === undefined || currencyCode === undefined ? '' : moneyCell(amount, currencyCode),
  ],
  ['payment_id', ({ payment }) => payment?.id ?? ''],
  ['payment_status', ({ payment }) => payment?.status ?? ''],
  ['payment_derived_status', ({ payment }) => payment?.derivedStatus ?? ''],
];

export function dashboardSessionRoutes({ queries }: RouteParts): readonly Route[] {
  const summariesOf = async (rows: readonly Stored<OpenSession>[], accountId: string, at: number) => {
    const carried = await queries.paymentsById(
      rows.flatMap(({ doc }) => (doc.payment === undefined ? [] : [doc.payment.paymentId])),
    );
    const carriedBy = new Map<string | undefined, Stored<KnownPayment>>(carried.map((one) => [one.id, one]));
    const names = await queries.customerNames(
      accountId,
      rows.flatMap(({ doc: { fields } }) => fields.customerId ?? []),
    );
    return rows.map(({ id, doc }): SessionSummary => {
      const name = names.get(doc.fields.customerId ?? '');
      const summary = sessionSummary(id, doc, carriedBy.get(doc.payment?.paymentId), at);
      return name === undefined ? summary : { customerName: name, ...summary };
    });
  };
  const chosen = async (ids: readonly string[], accountId: string): Promise<readonly Stored<OpenSession>[]> => {
    const read = await Promise.all(ids.map((id) => queries.readSessionById(id, accountId)));
    return read.flatMap((one) => ('kind' in one ? [] : [one]));
  };
  return [
    route({
      ...common,
      path: '/dashboard/api/client-sessions',
      summary: 'List client sessions, newest first unless the oldest are asked for',
      request: z.object({ query: ListQuery }),
      answer: SessionListAnswer,
      errors: ['InvalidCursor'],
      handle: ({ query: { limit, cursor, ...filters } }, { caller: { accountId, at } }) =>
        listed(
          { limit, cursor },
          {
            list: 'client-sessions',
            accountId,
            filters,
            place: NewestPlace,
            read: (size, after) => queries.listClientSessions(accountId, filterOf(filters), at, size, after),
            itemsOf: (rows) => summariesOf(rows, accountId, at),
          },
        ),
    }),
    route({
      ...common,
      path: '/dashboard/api/client-session-totals',
      long: true,
      summary: 'Count the matching client sessions, and add up their amounts in each currency',
      request: z.object({ query: Filters }),
      answer: TotalsAnswer,
      handle: async ({ query }, { caller: { accountId, at } }) =>
        found(await queries.totalClientSessions(accountId, filterOf(query), at)),
    }),
    csvRoute({
      ...common,
      path: '/dashboard/api/client-sessions.csv',
      summary: 'Export all matching client sessions as CSV, or the client sessions with these ids',
      request: z.object({ query: CsvQuery }),
      lists: ['id'],
      handle({ query: { id: ids, ...query } }, { caller: { accountId, at } }) {
        const pieces = csvOf(COLUMNS, async (after?: NewestCursor) => {
          if (ids !== undefined) return { rows: await summariesOf(await chosen(ids, accountId), accountId, at) };
          const { rows, next } = await queries.listClientSessions(accountId, filterOf(query), at, ROWS_AT_ONCE, after);
          return { rows: await summariesOf(rows, accountId, at), next };
        });
        return csvAnswer('client-sessions', at, pieces);
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/client-sessions/:id',
      summary: 'Read a client session, and the payments that held it',
      request: z.object({ params }),
      answer: SessionDetailAnswer,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await queries.readSessionById(id, accountId);
        if ('kind' in read) return read;
        return found(sessionDetailAnswer(id, read.doc, await queries.readSessionPayments(id), at), read.revision);
      },
    }),
  ];
}

const InstrumentPageAnswer = z
  .strictObject({ data: z.array(PaymentInstrumentAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentInstrumentPage' });

export const dashboardInstrumentRoutes = (parts: RouteParts): readonly Route[] => [
  route({
    tag: 'Payment instruments',
    method: 'GET',
    scope: forUsers,
    path: '/dashboard/api/payment-instruments',
    summary:
      "List payment instruments, newest first; or a customer's vaulted instruments, in the order of their vaulting",
    request: z.object({ query: z.strictObject({ customer_id: identifier.optional(), ...paging }) }),
    answer: InstrumentPageAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { customer_id, ...query } }, { caller: { accountId, at } }) {
      if (customer_id !== undefined) return pageOfWallet(parts.queries, accountId, { customer_id, ...query });
      return listed(query, {
        list: 'payment-instruments',
        accountId,
        filters: {},
        place: NewestPlace,
        read: (size, after) => parts.queries.listInstruments(accountId, size, after),
        itemsOf: (rows) => rows.map(({ id, doc }) => paymentInstrumentAnswer(id, { instrument: doc }, at)),
        placeOf: newestPlaceOf,
      });
    },
  }),
  instrumentRoute(parts, { prefix: '/dashboard/api', scope: forUsers }),
];
