// The dashboard's disputes: the list of an account, and a user's answers, each as the API does it.
import { z } from 'zod';
import { Amount } from '../../../commands/fields/amount.ts';
import type { DisputeAnswers } from '../../../commands/payments/answer-dispute.ts';
import { disputeStatuses } from '../../../domain/dispute-status.ts';
import { disputeIdIn } from '../../../projections/models/disputes.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/instant.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { forRoles, forUsers, found, type Route, route } from '../../route.ts';
import { disputeRoutes } from '../disputes.ts';
import { PageSize, pageSize } from '../payment-filter.ts';

const ListedDispute = z.strictObject({
  id: z.string(),
  paymentId: z.string(),
  status: z.enum(disputeStatuses),
  amount: Amount,
  currencyCode: z.string(),
  reason: z.string().optional(),
  reasonCode: z.string().optional(),
  openedAt: Instant,
  challengeRequiredBy: Instant.optional(),
});
const DisputeList = z.strictObject({ data: z.array(ListedDispute), nextCursor: z.string().optional() }).meta({ id: 'DisputeList' });
const Place = z.strictObject({ key: z.number(), id: z.string() });

export interface DashboardDisputeNeeds extends DisputeAnswers, Pick<Queries, 'listDisputes'> {}

export const dashboardDisputeRoutes = (needs: DashboardDisputeNeeds): readonly Route[] => [
  route({
    tag: 'Payments',
    method: 'GET',
    path: '/dashboard/api/disputes',
    scope: forUsers,
    summary: 'Disputes: those that can be answered first, then the newest',
    request: z.object({
      query: z.strictObject({ status: z.enum(disputeStatuses).optional(), limit: PageSize, cursor: CursorText.optional() }),
    }),
    answer: DisputeList,
    errors: ['InvalidCursor'],
    async handle({ query: { status, limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('disputes', accountId, { status });
      const after = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (after !== undefined && 'kind' in after) return after;
      const page = await needs.listDisputes(accountId, status === undefined ? [] : [status], pageSize(limit), after?.place);
      const data = page.rows.map(({ id, doc: { accountId: _own, openedAt, challengeRequiredBy, ...told } }) => ({
        id: disputeIdIn(id),
        ...told,
        openedAt: formatTime(openedAt),
        ...(challengeRequiredBy !== undefined && { challengeRequiredBy: formatTime(challengeRequiredBy) }),
      }));
      return found({ data, ...(page.next !== undefined && { nextCursor: writeCursor(binding, page.next) }) });
    },
  }),
  ...disputeRoutes(needs, { prefix: '/dashboard/api', tag: 'Payments', scope: forRoles('owner', 'support') }),
];
