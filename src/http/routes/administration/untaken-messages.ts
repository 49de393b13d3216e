// The messages that no endpoint of the account has taken since a time: counted by endpoint, and resent as a whole, a
// batch a request.
import { z } from 'zod';
import { formatTime, parseTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { cursorsOf, Time } from '../../list.ts';
import { found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';
import { BATCH, Resend, UntakenPlace, UntakenResent } from './webhook-deliveries.ts';

const AccountUntaken = z
  .strictObject({
    /** Only enabled endpoints with untaken messages. */
    data: z
      .array(
        z.strictObject({
          endpointId: z.string(),
          url: z.string(),
          count: z.int().min(0),
          /** True if there are more than were counted. */
          isMore: z.boolean(),
        }),
      )
      .readonly(),
    /** The moment of the count: a request to resend repeats it. */
    asOf: Instant,
  })
  .meta({ id: 'DashboardAccountUntaken' });
const Place = z.strictObject({ endpointId: z.string(), within: UntakenPlace.optional() });

const common = { tag: 'Webhook endpoints' } as const;

export const untakenMessageRoutes = ({ webhooks, queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    scope: MAY.deliveries.read,
    path: '/dashboard/api/webhooks/untaken',
    summary: 'Count the messages that the endpoints of the account have not taken since a time, by endpoint',
    request: z.object({ query: z.strictObject({ since: Time }) }),
    answer: AccountUntaken,
    async handle({ query: { since = 0 } }, { caller: { accountId, at } }) {
      const data = await queries.countUntakenOfAccount(accountId, { since, asOf: at }, at);
      return found({ data, asOf: formatTime(at) });
    },
  }),
  route({
    ...common,
    method: 'POST',
    scope: MAY.deliveries.resend,
    path: '/dashboard/api/webhooks/resend',
    summary:
      'Resend a batch of the messages that the endpoints of the account have not taken since a time; a repetition resends none twice',
    request: z.object({ body: Resend }),
    answer: UntakenResent,
    errors: ['InvalidCursor'],
    async handle({ body: { cursor, ...asked } }, { caller }) {
      const { accountId, at } = caller;
      const cursors = cursorsOf({ list: 'account-untaken', accountId, filters: asked }, Place);
      const after = cursors.after(cursor);
      if ('kind' in after) return after;
      const [since = 0, asOf = 0] = [parseTime(asked.since), parseTime(asked.asOf)];
      const { endpointId, queueIds, next } = await queries.nextUntakenOfAccount(
        accountId,
        { since, asOf },
        at,
        BATCH,
        after.place,
      );
      if (endpointId === undefined) return found({ resent: 0, ...cursors.next(next) });
      const done = await webhooks.resendUntaken({ endpointId, queueIds, since, asOf }, caller);
      // an endpoint that was disabled in this moment gets nothing more; the others do
      return found({ resent: done.kind === 'rejected' ? 0 : done.messages, ...cursors.next(next) });
    },
  }),
];
