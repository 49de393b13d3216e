// The newest events of the account for the dashboard, over all of its streams; by category and type, page by page.
import { z } from 'zod';
import { EventMetadata } from '../../../journal/envelope.ts';
import { newestEvents } from '../../../queries/newest-events.ts';
import type { ReadUser } from '../../../queries/read-users.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import { cutTo, MOST_ANSWER_BYTES, page } from '../../answer-size.ts';
import { forRoles, type Route, route } from '../../route.ts';
import { pageSizeUpTo } from '../payment-filter.ts';

const NewestEvent = z.strictObject({
  stream: z.string(),
  revision: z.int().min(0),
  position: z.string(),
  id: z.string(),
  type: z.string(),
  recordedAt: z.iso.datetime({ precision: 3 }),
  /** `email` of a user of the account. */
  actor: z.strictObject({ kind: z.string(), id: z.string(), email: z.string().nullable() }),
  data: z.unknown(),
  metadata: z.unknown(),
});
const NewestEvents = z
  .strictObject({
    /** Newest first. May be empty although older ones follow: a call looks at a bounded part of the log. */
    data: z.array(NewestEvent).readonly(),
    /** For `before` of the next page; null where the log begins. */
    nextBefore: z.string().nullable(),
  })
  .meta({ id: 'DashboardNewestEvents' });

const PAGE_EVENTS = 50;
const MOST_EVENTS = 200;
const Position = z.string().regex(/^\d{1,19}$/);

export interface NewestEventNeeds {
  readonly events: Pick<EventStore, 'newest'>;
  readonly readUser: (userId: string) => Promise<ReadUser | undefined>;
}

export const newestEventRoutes = ({ events, readUser }: NewestEventNeeds): readonly Route[] => [
  route({
    method: 'GET',
    path: '/dashboard/api/events',
    scope: forRoles('owner', 'developer', 'auditor'),
    tag: 'Streams',
    summary:
      'List the newest events of the account, over all of its streams; the service’s own ones if they are asked for',
    request: z.object({
      query: z.strictObject({
        category: z.string().max(64).optional(),
        type: z.string().max(128).optional(),
        /** `all`: with the service's own events, which otherwise only their category or type shows. */
        show: z.literal('all').optional(),
        before: Position.optional(),
        limit: pageSizeUpTo(MOST_EVENTS),
      }),
    }),
    answer: NewestEvents,
    async handle({ query: { category, type, show, before, limit = PAGE_EVENTS } }, { caller: { accountId } }) {
      const { events: newest, next } = await newestEvents(events, {
        accountId,
        category,
        type,
        withOwn: show === 'all',
        before: before === undefined ? undefined : BigInt(before),
        limit,
      });
      const actors = newest.map(({ metadata }) => EventMetadata.parse(metadata).actor);
      const emails = await emailsOf(actors, accountId, readUser);
      const data = newest.map((event, place) => {
        const { kind = '', id = '' } = actors[place] ?? {};
        return {
          ...event,
          data: cutTo(event.data, MOST_ANSWER_BYTES / 2),
          actor: { kind, id, email: emails.get(id) ?? null },
        };
      });
      return page(
        data,
        (one) => one,
        (shown, isCut) => {
          const before = isCut ? newest[shown - 1]?.position : next;
          return { nextBefore: before === undefined ? null : String(before) };
        },
      );
    },
  }),
];

/**
 * The e-mail addresses of the account's users among the actors, by id. A user whose stream is broken is shown by the id
 * alone.
 */
async function emailsOf(
  actors: readonly { readonly kind: string; readonly id: string }[],
  accountId: string,
  readUser: NewestEventNeeds['readUser'],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(actors.flatMap(({ kind, id }) => (kind === 'user' ? [id] : [])));
  const known = await Promise.all(
    [...ids].map(async (id) => {
      const read = await readUser(id).catch((fault: unknown) =>
        fault instanceof BrokenStream ? undefined : Promise.reject(fault),
      );
      return read?.user.accountId === accountId ? [[id, read.user.email] as const] : [];
    }),
  );
  return new Map(known.flat());
}
