// Live changes: server-sent events of the account for the dashboard's pages, with ids and types alone.
import { z } from 'zod';
import type { Role } from '../../../domain/user/roles.ts';
import { forUsers, type HandlerCall, type Route, streamRoute, unattended } from '../../route.ts';
import type { ServingParts } from '../parts.ts';
import { userOf } from './sign-in.ts';

const CONTENT_TYPE = 'text/event-stream; charset=utf-8';
const HEADERS: readonly string[] = [
  ...['Content-Type', CONTENT_TYPE],
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['X-Accel-Buffering', 'no'], // nginx would keep the events until its buffer is full
];
/** As in the routes of Operations. */
const OPERATORS: readonly Role[] = ['owner', 'developer'];
const POSITION = /^\d{1,20}$/;

export const liveRoutes = ({ feed, access, cookie, queries }: ServingParts): readonly Route[] => [
  streamRoute({
    tag: 'Live',
    method: 'GET',
    path: '/dashboard/api/live',
    scope: unattended(forUsers),
    summary: 'Follow changes in the account as server-sent events; resumes after Last-Event-ID, or `after`',
    request: z.object({ query: z.strictObject({ after: z.string().regex(POSITION).optional() }) }),
    contentType: CONTENT_TYPE,
    async handle({ query: { after } }, call) {
      const { caller, headers } = call;
      const user = userOf(call);
      const resumed = lastEventId(headers) ?? after;
      const value = cookie.read(headers);
      const isSignedIn = async (): Promise<boolean> => {
        const holder = value === undefined ? undefined : await access.authentication.user(value, false);
        return holder !== undefined && holder.role === user.role;
      };
      const { accountId } = caller;
      const mayOperate = OPERATORS.includes(user.role) && (await queries.operatesStore(accountId));
      const { sessionId } = user;
      const from = resumed === undefined ? undefined : BigInt(resumed);
      const pieces = await feed.open({ accountId, sessionId, after: from, isSignedIn, mayOperate });
      return { kind: 'streamed', pieces, headers: HEADERS };
    },
  }),
];

/**
 * The id of the last event. A browser sends it automatically when it reconnects; it is newer than the one in the page's
 * address.
 */
function lastEventId(headers: HandlerCall['headers']): string | undefined {
  const sent = headers['last-event-id'];
  return typeof sent === 'string' && POSITION.test(sent) ? sent : undefined;
}
