// The history of a payment and its causes: the events, and the causal chain that they form (contract §4).
import { z } from 'zod';
import type { Queries } from '../../queries/queries.ts';
import { fewer, page } from '../answer-size.ts';
import { PaymentEventListAnswer, paymentEventAnswer } from '../answers/payment-event.ts';
import { PaymentWhyAnswer, paymentWhyAnswer } from '../answers/payment-why.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import { type Route, route } from '../route.ts';
import { PageSize, pageSize, pageSizeUpTo } from './payment-filter.ts';
import { params } from './payment-params.ts';

const tag = 'Payments';

export type PaymentHistoryNeeds = Pick<Queries, 'readPaymentHistory' | 'readPaymentWhy'>;

export const paymentHistoryRoutes = (needs: PaymentHistoryNeeds): readonly Route[] => [history(needs), why(needs)];

const RevisionPlace = z.strictObject({ revision: z.int().min(0) });
const BEFORE_THE_FIRST = -1;

const history = ({ readPaymentHistory }: Pick<PaymentHistoryNeeds, 'readPaymentHistory'>): Route =>
  route({
    tag,
    method: 'GET',
    path: '/payments/:id/events',
    long: true,
    scope: 'transactions:retrieve',
    id: 'listPaymentEvents',
    example: { on: 'payment', query: { limit: '1' } },
    summary: 'Read the history of a payment, oldest first',
    request: z.object({ params, query: z.strictObject({ limit: PageSize, cursor: CursorText.optional() }) }),
    answer: PaymentEventListAnswer,
    errors: ['InvalidCursor'],
    async handle({ params: { id }, query: { limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('payment-events', accountId, { id });
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, RevisionPlace);
      if (after !== undefined && 'kind' in after) return after;
      const read = await readPaymentHistory(id, accountId, after?.place.revision ?? BEFORE_THE_FIRST, pageSize(limit));
      if ('kind' in read) return read;
      return page(read.events, paymentEventAnswer, (shown, isCut) => {
        const revision = isCut ? read.events[shown - 1]?.recorded.revision : read.next;
        return revision === undefined ? {} : { nextCursor: writeCursor(binding, { revision }) };
      });
    },
  });

const WHY_STEPS = 500;
const WHY_STEPS_AT_FIRST = 100;

const why = ({ readPaymentWhy }: Pick<PaymentHistoryNeeds, 'readPaymentWhy'>): Route =>
  route({
    tag,
    method: 'GET',
    path: '/payments/:id/why',
    long: true,
    scope: 'transactions:retrieve',
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
      const binding = bindingOf('payment-why', accountId, { id });
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, RevisionPlace);
      if (after !== undefined && 'kind' in after) return after;
      return fewer(limit, async (steps) => {
        const read = await readPaymentWhy(id, accountId, after?.place.revision ?? BEFORE_THE_FIRST, steps);
        if ('kind' in read) return read;
        return paymentWhyAnswer(
          read,
          read.next === undefined ? undefined : writeCursor(binding, { revision: read.next }),
        );
      });
    },
  });
