// The dashboard's payment instruments: newest first or a customer's, and one; their cards masked. Merchants revoke them
// by the API.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import type { Queries } from '../../../queries/queries.ts';
import { page } from '../../answer-size.ts';
import { PaymentInstrumentAnswer, paymentInstrumentAnswer } from '../../answers/payment-instrument.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forUsers, type Route, route } from '../../route.ts';
import { PageSize, pageSize } from '../payment-filter.ts';
import { instrumentReply, pageOfWallet, params } from '../payment-instruments.ts';
import { NewestPlace } from './client-sessions.ts';

const common = { tag: 'Payment instruments', method: 'GET', scope: forUsers } as const;

const InstrumentPageAnswer = z
  .strictObject({ data: z.array(PaymentInstrumentAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentInstrumentPage' });

type DashboardInstrumentNeeds = Pick<Queries, 'listInstruments' | 'readPaymentInstrument' | 'readWallet'>;

export const dashboardInstrumentRoutes = (needs: DashboardInstrumentNeeds): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/payment-instruments',
    summary:
      "List payment instruments, newest first; or a customer's vaulted instruments, in the order of their vaulting",
    request: z.object({
      query: z.strictObject({ customer_id: identifier.optional(), limit: PageSize, cursor: CursorText.optional() }),
    }),
    answer: InstrumentPageAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { customer_id: customerId, limit, cursor } }, { caller: { accountId, at } }) {
      if (customerId !== undefined) return pageOfWallet(needs, accountId, { customer_id: customerId, limit, cursor });
      const binding = bindingOf('payment-instruments', accountId, {});
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, NewestPlace);
      if (after !== undefined && 'kind' in after) return after;
      const { rows, next } = await needs.listInstruments(accountId, pageSize(limit), after?.place);
      return page(
        rows,
        ({ id, doc }) => paymentInstrumentAnswer(id, { instrument: doc }, at),
        (shown, isCut) => {
          const last = isCut ? rows[shown - 1] : undefined;
          const place = last === undefined ? next : { createdAt: last.doc.createdAt, id: last.id };
          return place === undefined ? {} : { nextCursor: writeCursor(binding, place) };
        },
      );
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/payment-instruments/:token',
    summary: 'Read a payment instrument, even a deleted one',
    request: z.object({ params }),
    answer: PaymentInstrumentAnswer,
    async handle({ params: { token } }, { caller }) {
      const read = await needs.readPaymentInstrument(token, caller.accountId);
      return 'kind' in read ? read : instrumentReply(token, read, caller.at);
    },
  }),
];
