// Streams of the account for the dashboard: events with their changes, the state at any revision, the proof of the
// chain; and the newest events over all of them, by category, type and time.
import { z } from 'zod';
import { EventMetadata } from '../../../journal/envelope.ts';
import { newestEvents } from '../../../queries/events.ts';
import { makeOwnStreams, type StreamStep } from '../../../queries/own-streams.ts';
import { BrokenStream } from '../../../stores/broken-stream.ts';
import { bytesOf, cutText, cutTo, MOST_ANSWER_BYTES, page } from '../../answer-size.ts';
import { Instant } from '../../answers/shapes.ts';
import { pageSizeUpTo, Time } from '../../list.ts';
import { forRoles, foundOr, notFound, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';

const Break = z.strictObject({ revision: z.int().min(0), fault: z.string() }).optional();
const Change = z.strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() });
/** Where an event is in the log. */
const EventPlace = z.strictObject({
  stream: z.string(),
  revision: z.int().min(0),
  position: z.string(),
  id: z.string(),
  type: z.string(),
  recordedAt: Instant,
});
const StreamEvent = EventPlace.extend({
  data: z.unknown(),
  metadata: z.unknown(),
  hash: z.string(),
  changes: z.array(Change).readonly(),
});
const StreamEvents = z
  .strictObject({
    stream: z.string(),
    data: z.array(StreamEvent).readonly(),
    /** The next page begins after this revision. */
    nextAfter: z.int().optional(),
    broken: Break,
  })
  .meta({ id: 'DashboardStreamEvents' });
const StreamState = z
  .strictObject({
    stream: z.string(),
    revision: z.int().min(0),
    recordedAt: Instant,
    state: z.unknown(),
    broken: Break,
  })
  .meta({ id: 'DashboardStreamState' });
const ChainLink = z.strictObject({
  revision: z.int().min(0),
  type: z.string(),
  recordedAt: Instant,
  previousHash: z.string(),
  hash: z.string(),
});
const Verification = z
  .strictObject({
    stream: z.string(),
    /** Events that were checked, up to a break. */
    events: z.int().min(0),
    intact: z.boolean(),
    broken: Break,
    /** The newest of them, oldest first. */
    links: z.array(ChainLink).readonly(),
  })
  .meta({ id: 'DashboardStreamVerification' });

const PAGE_EVENTS = 100;
const MOST_EVENTS = 500;
const Revision = z.coerce.number().pipe(z.int().min(-1));
const params = z.object({ name: z.string().regex(/^[0-9A-Za-z_.:-]{1,200}$/) });

const common = {
  tag: 'Streams',
  method: 'GET',
  scope: forRoles('owner', 'developer', 'auditor'),
  long: true,
} as const;

/** The most bytes for the state of a stream, or all changes of an event; and as many again for the event itself. */
const MOST_VALUE_BYTES = MOST_ANSWER_BYTES * 0.45;

const stepAnswer = ({ changes, ...event }: StreamStep) => ({
  ...event,
  data: cutTo(event.data, MOST_VALUE_BYTES),
  changes:
    bytesOf(changes) <= MOST_VALUE_BYTES
      ? changes
      : changes.map((one) => changeAnswer(one, MOST_VALUE_BYTES / changes.length)),
});

const changeAnswer = ({ path, ...values }: StreamStep['changes'][number], most: number) => ({
  path: cutText(path, 1_000),
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cutTo(value, most / 2)])),
});

export function streamRoutes({ events }: RouteParts): readonly Route[] {
  const streams = makeOwnStreams(events);
  return [
    route({
      ...common,
      path: '/dashboard/api/streams/:name/events',
      summary:
        'Read the events of a stream and their changes, oldest first, by the name of the stream or the id of its subject',
      request: z.object({
        params,
        query: z.strictObject({ after: Revision.optional(), limit: pageSizeUpTo(MOST_EVENTS) }),
      }),
      answer: StreamEvents,
      async handle({ params: { name }, query: { after = -1, limit = PAGE_EVENTS } }, { caller: { accountId } }) {
        const read = await streams.eventsOf(name, accountId, after, limit);
        if (read === undefined) return notFound();
        const { stream, steps, hasMore, broken } = read;
        return page(steps, stepAnswer, (shown, isCut) =>
          isCut
            ? { stream, nextAfter: steps[shown - 1]?.revision }
            : { stream, nextAfter: hasMore ? after + limit : undefined, broken },
        );
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/streams/:name/state',
      summary: 'Read the state of a stream after the event at a revision, folded from its events',
      request: z.object({ params, query: z.strictObject({ revision: Revision.optional() }) }),
      answer: StreamState,
      handle: async ({ params: { name }, query: { revision = Number.MAX_SAFE_INTEGER } }, { caller: { accountId } }) =>
        foundOr(await streams.stateAt(name, accountId, revision), (at) => ({
          ...at,
          state: cutTo(at.state, MOST_VALUE_BYTES),
        })),
    }),
    route({
      ...common,
      path: '/dashboard/api/streams/:name/verification',
      summary: 'Verify every event of a stream against the hash of the previous event',
      request: z.object({ params }),
      answer: Verification,
      handle: async ({ params: { name } }, { caller: { accountId } }) =>
        foundOr(await streams.verify(name, accountId), (proof) => ({ ...proof, intact: proof.broken === undefined })),
    }),
  ];
}

const NewestEvent = EventPlace.extend({
  /** `email` of a user of the account. */
  actor: z.strictObject({ kind: z.string(), id: z.string(), email: z.string().optional() }),
  data: z.unknown(),
  metadata: z.unknown(),
});
const NewestEvents = z
  .strictObject({
    /** Newest first. May be empty although older ones follow: a call looks at a bounded part of the log. */
    data: z.array(NewestEvent).readonly(),
    /** For `before` of the next page; absent where the log begins. */
    nextBefore: z.string().optional(),
  })
  .meta({ id: 'DashboardNewestEvents' });

const NEWEST = 50;
const MOST_NEWEST = 200;
const Position = z.string().regex(/^\d{1,19}$/);

export const newestEventRoutes = ({ events, queries }: RouteParts): readonly Route[] => [
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
        /** Business time of the record, both ends included. */
        from_date: Time.optional(),
        to_date: Time.optional(),
        before: Position.optional(),
        limit: pageSizeUpTo(MOST_NEWEST),
      }),
    }),
    answer: NewestEvents,
    async handle({ query: { category, type, show, before, limit = NEWEST, ...times } }, { caller: { accountId } }) {
      const { events: newest, next } = await newestEvents(events, {
        accountId,
        category,
        type,
        withOwn: show === 'all',
        from: times.from_date,
        to: times.to_date,
        before: before === undefined ? undefined : BigInt(before),
        limit,
      });
      const actors = newest.map(({ metadata }) => EventMetadata.parse(metadata).actor);
      const emails = await emailsOf(actors, accountId, queries);
      const data = newest.map((event, place) => {
        const { kind = '', id = '' } = actors[place] ?? {};
        return {
          ...event,
          data: cutTo(event.data, MOST_ANSWER_BYTES / 2),
          actor: { kind, id, email: emails.get(id) },
        };
      });
      return page(
        data,
        (one) => one,
        (shown, isCut) => {
          const before = isCut ? newest[shown - 1]?.position : next;
          return before === undefined ? {} : { nextBefore: String(before) };
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
  { readUser }: RouteParts['queries'],
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
