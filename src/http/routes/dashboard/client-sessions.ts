// The dashboard's client sessions: newest first, and one with its fields and the payments that held it. Never a token.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import type { KnownPayment } from '../../../domain/payment/payment.ts';
import type { Queries } from '../../../queries/queries.ts';
import type { Stored } from '../../../stores/read-models.ts';
import {
  SessionDetailAnswer,
  SessionListAnswer,
  SessionStatusName,
  sessionDetailAnswer,
  sessionSummary,
} from '../../answers/session-summary.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forUsers, found, type Route, route } from '../../route.ts';
import { PageSize, pageSize, Time } from '../payment-filter.ts';

const common = { tag: 'Client sessions', method: 'GET', scope: forUsers } as const;
const params = z.object({ id: z.string().regex(/^cs_[0-9A-Za-z]{1,64}$/) });

export const NewestPlace = z.strictObject({ createdAt: z.int(), id: z.string() });

type DashboardSessionNeeds = Pick<
  Queries,
  'customerNames' | 'listClientSessions' | 'readSessionById' | 'readSessionPayments' | 'paymentsById'
>;

export const dashboardSessionRoutes = (needs: DashboardSessionNeeds): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/client-sessions',
    summary: 'List client sessions, newest first',
    request: z.object({
      query: z.strictObject({
        order_id: identifier.optional(),
        customer_id: identifier.optional(),
        status: SessionStatusName.optional(),
        from_date: Time.optional(),
        to_date: Time.optional(),
        limit: PageSize,
        cursor: CursorText.optional(),
      }),
    }),
    answer: SessionListAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { limit, cursor, ...filters } }, { caller: { accountId, at } }) {
      const { order_id: orderId, customer_id: customerId, status, from_date: from, to_date: to } = filters;
      const binding = bindingOf('client-sessions', accountId, filters);
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, NewestPlace);
      if (after !== undefined && 'kind' in after) return after;
      const { rows, next } = await needs.listClientSessions(
        accountId,
        { orderId, customerId, status, from, to },
        at,
        pageSize(limit),
        after?.place,
      );
      const carried = await needs.paymentsById(
        rows.flatMap(({ doc }) => (doc.payment === undefined ? [] : [doc.payment.paymentId])),
      );
      const carriedBy = new Map<string | undefined, Stored<KnownPayment>>(carried.map((one) => [one.id, one]));
      const names = await needs.customerNames(
        accountId,
        rows.flatMap(({ doc: { fields } }) => fields.customerId ?? []),
      );
      const data = rows.map(({ id, doc }) => {
        const name = names.get(doc.fields.customerId ?? '');
        const summary = sessionSummary(id, doc, carriedBy.get(doc.payment?.paymentId), at);
        return name === undefined ? summary : { customerName: name, ...summary };
      });
      return found({ data, ...(next !== undefined && { nextCursor: writeCursor(binding, next) }) });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/client-sessions/:id',
    summary: 'Read a client session, and the payments that held it',
    request: z.object({ params }),
    answer: SessionDetailAnswer,
    async handle({ params: { id } }, { caller: { accountId, at } }) {
      const read = await needs.readSessionById(id, accountId);
      if ('kind' in read) return read;
      return found(sessionDetailAnswer(id, read.doc, await needs.readSessionPayments(id), at), read.revision);
    },
  }),
];
