// A payment of the past for the dashboard: all that is known of it after any of its events, and the chain of what led
// to what.
import { z } from 'zod';
import { formatTime } from '../../../world.ts';
import { fewer } from '../../answer-size.ts';
import { PaymentDetailAnswer, paymentDetailAnswer } from '../../answers/payment-detail.ts';
import { PaymentWhyAnswer, paymentWhyAnswer } from '../../answers/payment-why.ts';
import { Instant } from '../../answers/shapes.ts';
import { forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams as params } from '../payment-filter.ts';

/** The most events of one payment: more than any has in practice, so that a page needs no cursor for them. */
const MOST_EVENTS = 1_000;
/** Nothing can be asked of the past. */
const NOTHING = { captureUpTo: 0, refundUpTo: 0, canCancel: false, canAdjust: false };

const PaymentThen = z
  .strictObject({
    detail: PaymentDetailAnswer,
    /** When the last event of the moment was recorded. */
    recordedAt: Instant,
  })
  .meta({ id: 'PaymentThen' });

const common = { tag: 'Payments', method: 'GET', scope: forUsers } as const;

export const dashboardPaymentPast = ({ queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/payments/:id/after/:revision',
    long: true,
    summary: 'Read a payment as it was right after the event at a revision',
    request: z.object({ params: params.extend({ revision: z.coerce.number().pipe(z.int().min(0)) }) }),
    answer: PaymentThen,
    async handle({ params: { id, revision } }, { caller: { accountId } }) {
      const then = await queries.readPaymentAt(id, accountId, { revision });
      if ('kind' in then) return then;
      const told = await queries.readPaymentHistory(id, accountId, -1, MOST_EVENTS);
      if ('kind' in told) return told;
      const events = told.events.filter(({ recorded }) => recorded.revision <= then.revision);
      const detail = await paymentDetailAnswer(id, then.revision, then.doc, then.recordedAt, () => events);
      return found({ detail: { ...detail, possible: NOTHING }, recordedAt: formatTime(then.recordedAt) });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/payments/:id/why',
    long: true,
    summary: 'Explain the state of a payment: the chain of requests, calls, responses and notifications, oldest first',
    request: z.object({ params }),
    answer: PaymentWhyAnswer,
    async handle({ params: { id } }, { caller: { accountId } }) {
      const emails = await queries.emailsOfAccount(accountId);
      return fewer(MOST_EVENTS, async (steps) => {
        const read = await queries.readPaymentWhy(id, accountId, -1, steps);
        return 'kind' in read ? read : paymentWhyAnswer({ ...read, names: new Map([...read.names, ...emails]) });
      });
    },
  }),
];
