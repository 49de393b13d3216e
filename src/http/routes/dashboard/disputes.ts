// The dashboard's disputes: the list of an account, and a user's answers, each as the API does it.
import { z } from 'zod';
import type { DisputeAnswers } from '../../../commands/payments/answer-dispute.ts';
import { disputeStatuses } from '../../../domain/dispute-status.ts';
import type { KnownPayment } from '../../../domain/payment/payment.ts';
import { disputeIdIn } from '../../../projections/models/disputes.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { DisputeAnswer } from '../../answers/dispute.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { disputeRoutes } from '../disputes.ts';
import { PageSize, pageSize } from '../payment-filter.ts';

const ListedDispute = DisputeAnswer.omit({ evidence: true, statusReason: true }).extend({
  paymentId: z.string(),
  /** The payment's, as are those of the customer; absent if the payment cannot be read. */
  orderId: z.string().optional(),
  customerId: z.string().optional(),
  customerName: z.string().optional(),
});
const DisputeList = z
  .strictObject({ data: z.array(ListedDispute), nextCursor: z.string().optional() })
  .meta({ id: 'DisputeList' });
const Place = z.strictObject({ key: z.number(), id: z.string() });

function buyerOf({ orderId, customerId, customer }: KnownPayment) {
  const customerName = [customer?.firstName, customer?.lastName].filter((name) => name !== undefined).join(' ');
  return {
    orderId,
    ...(customerId !== undefined && { customerId }),
    ...(customerName !== '' && { customerName }),
  };
}

interface DashboardDisputeNeeds extends DisputeAnswers, Pick<Queries, 'listDisputes' | 'paymentsById'> {}

export const dashboardDisputeRoutes = (needs: DashboardDisputeNeeds): readonly Route[] => [
  route({
    tag: 'Payments',
    method: 'GET',
    path: '/dashboard/api/disputes',
    scope: forUsers,
    summary: 'List disputes: first the ones that await a response, then the newest',
    request: z.object({
      query: z.strictObject({
        status: z.enum(disputeStatuses).optional(),
        limit: PageSize,
        cursor: CursorText.optional(),
      }),
    }),
    answer: DisputeList,
    errors: ['InvalidCursor'],
    async handle({ query: { status, limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('disputes', accountId, { status });
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (after !== undefined && 'kind' in after) return after;
      const page = await needs.listDisputes(
        accountId,
        status === undefined ? [] : [status],
        pageSize(limit),
        after?.place,
      );
      const paid = await needs.paymentsById([...new Set(page.rows.map(({ doc }) => doc.paymentId))]);
      const buyers = new Map(paid.map((one) => [one.id, buyerOf(one.doc)]));
      const data = page.rows.map(({ id, doc: { accountId: _own, openedAt, challengeRequiredBy, ...told } }) => ({
        id: disputeIdIn(id),
        ...told,
        ...buyers.get(told.paymentId),
        openedAt: formatTime(openedAt),
        ...(challengeRequiredBy !== undefined && { challengeRequiredBy: formatTime(challengeRequiredBy) }),
      }));
      return found({ data, ...(page.next !== undefined && { nextCursor: writeCursor(binding, page.next) }) });
    },
  }),
  ...disputeRoutes(needs, { prefix: '/dashboard/api', tag: 'Payments', scope: forRoles('owner', 'support') }),
];
