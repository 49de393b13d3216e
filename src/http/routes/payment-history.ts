// The history of a payment and its causes: the events, and the causal chain that they form (contract §4).
import { z } from 'zod';
import { fewer } from '../answer-size.ts';
import { PaymentEventListAnswer, paymentEventAnswer } from '../answers/payment-event.ts';
import { PaymentWhyAnswer, paymentWhyAnswer } from '../answers/payment-why.ts';
import { CursorText, cursorsOf, listed, Paging, pageSizeUpTo } from '../list.ts';
import { type Route, route } from '../route.ts';
import type { RouteParts } from './parts.ts';
import { paymentParams as params } from './payment-filter.ts';

export const RevisionPlace = z.strictObject({ revision: z.int().min(0) });
export const BEFORE_THE_FIRST = { revision: -1 };

export const WHY_STEPS = 500;
export const WHY_STEPS_AT_FIRST = 100;

const common = { tag: 'Payments', method: 'GET', long: true, scope: 'transactions:retrieve' } as const;

export const paymentHistoryRoutes = ({ queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/payments/:id/events',
    id: 'listPaymentEvents',
    example: { on: 'payment', query: { limit: '1' } },
    summary: 'Read the history of a payment, oldest first',
    request: z.object({ params, query: Paging }),
    answer: PaymentEventListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ params: { id }, query }, { caller: { accountId } }) =>
      listed(query, {
        list: 'payment-events',
        accountId,
        filters: { id },
        place: RevisionPlace,
        async read(size, after) {
          const { revision } = after ?? BEFORE_THE_FIRST;
          const read = await queries.readPaymentHistory(id, accountId, revision, size);
          if ('kind' in read) return read;
          return { rows: read.events, next: read.next === undefined ? undefined : { revision: read.next } };
        },
        itemsOf: (events) => events.map(paymentEventAnswer),
        placeOf: ({ recorded: { revision } }) => ({ revision }),
      }),
  }),
  route({
    ...common,
    path: '/payments/:id/why',
    id: 'explainPayment',
    example: { on: 'payment', query: { limit: '1' } },
    summary: 'Explain the state of a payment: the chain of requests, calls, responses and notifications, oldest first',
    request: z.object({
      params,
      query: z.strictObject({ limit: pageSizeUpTo(WHY_STEPS), cursor: CursorText.optional() }),
    }),
    answer: PaymentWhyAnswer,
    errors: ['InvalidCursor'],
    async handle({ params: { id }, query: { limit = WHY_STEPS_AT_FIRST, cursor } }, { caller: { accountId } }) {
      const cursors = cursorsOf({ list: 'payment-why', accountId, filters: { id } }, RevisionPlace);
      const after = cursors.after(cursor);
      if ('kind' in after) return after;
      const { revision } = after.place ?? BEFORE_THE_FIRST;
      return fewer(limit, async (steps) => {
        const read = await queries.readPaymentWhy(id, accountId, revision, steps);
        if ('kind' in read) return read;
        const { nextCursor } = cursors.next(read.next === undefined ? undefined : { revision: read.next });
        return paymentWhyAnswer(read, nextCursor);
      });
    },
  }),
];
