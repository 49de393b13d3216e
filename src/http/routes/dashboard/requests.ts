// The request log for the dashboard's developers: the newest requests of the account's API keys and checkouts.
import { z } from 'zod';
import type { LoggedRequest } from '../../../projections/models/request-log.ts';
import type { RequestCursor } from '../../../queries/read-request-log.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { pageSizeUpTo, Time } from '../../list.ts';
import { forRoles, found, foundOr, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';

const LoggedRequestAnswer = z
  .strictObject({
    id: z.string(),
    date: Instant,
    durationMs: z.number().min(0),
    method: z.string(),
    /** The route's own path, with `:id` where the request had an id. */
    route: z.string(),
    /** 499: the caller hung up before the answer. */
    status: z.int(),
    errorId: z.string().optional(),
    /** The request's `X-Request-Id`, and the `diagnosticsId` of its error. */
    diagnosticsId: z.string(),
    keyId: z.string().optional(),
    checkoutSessionId: z.string().optional(),
    paymentId: z.string().optional(),
    /** Masked. */
    instrument: z.string().optional(),
  })
  .meta({ id: 'DashboardRequest' });

const RequestListAnswer = z
  .strictObject({
    data: z.array(LoggedRequestAnswer).readonly(),
    /** Where the next page begins, for `after`; absent on the last page. */
    nextAfter: z.string().optional(),
    routes: z.array(z.string()).readonly(),
    keyIds: z.array(z.string()).readonly(),
  })
  .meta({ id: 'DashboardRequestList' });

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
const Text = z.string().min(1).max(255);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(10).optional();

const Query = z.strictObject({
  status: list(z.enum(CLASSES)),
  method: list(z.enum(METHODS)),
  route: Text.optional(),
  key: Text.optional(),
  payment: Text.optional(),
  diagnostics_id: Text.optional(),
  /** Business time, both ends included. */
  from_date: Time.optional(),
  to_date: Time.optional(),
  limit: pageSizeUpTo(MAX_LIMIT),
  after: z
    .string()
    .regex(/^\d{1,16}\.rq_[0-9a-f]{1,64}$/)
    .transform(cursorOf)
    .optional(),
});

const common = { tag: 'Request log', method: 'GET', scope: forRoles('owner', 'developer') } as const;

export const requestRoutes = ({ queries }: RouteParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/requests',
    summary: 'List up to a thousand requests of the account, newest first',
    lists: ['status', 'method'],
    request: z.object({ query: Query }),
    answer: RequestListAnswer,
    async handle(
      { query: { status, method, route: path, key, payment, limit = DEFAULT_LIMIT, after, ...query } },
      { caller: { accountId } },
    ) {
      const filter = {
        statusClasses: status?.map((one) => Number(one[0])),
        methods: method,
        route: path,
        keyId: key,
        paymentId: payment,
        requestId: query.diagnostics_id,
        from: query.from_date,
        to: query.to_date,
      };
      const { requests, hasMore, routes, keyIds } = await queries.listRequests(accountId, filter, limit, after);
      return found({
        data: requests.map(answerOf),
        nextAfter: hasMore ? textOf(requests.at(-1)) : undefined,
        routes,
        keyIds,
      });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/requests/:id',
    summary: 'Read one request of the log',
    request: z.object({ params: z.object({ id: z.string().regex(/^rq_[0-9a-f]{1,64}$/) }) }),
    answer: LoggedRequestAnswer,
    handle: async ({ params: { id } }, { caller: { accountId } }) =>
      foundOr(await queries.readRequest(accountId, id), answerOf),
  }),
];

/** `<ms>.<id>` */
function cursorOf(text: string): RequestCursor {
  const dot = text.indexOf('.');
  return { at: Number(text.slice(0, dot)), id: text.slice(dot + 1) };
}

const textOf = (last: LoggedRequest | undefined): string | undefined => last && `${last.at}.${last.id}`;

const answerOf = ({ at, ms, requestId, sessionId, ...same }: LoggedRequest): z.output<typeof LoggedRequestAnswer> => ({
  ...same,
  date: formatTime(at),
  durationMs: ms,
  diagnosticsId: requestId,
  checkoutSessionId: sessionId,
});
