// Streams of the account for the dashboard: events with their changes, the state at any revision, the proof of the
// chain.
import { z } from 'zod';
import type { OwnStreams, StreamStep } from '../../../queries/streams/own-streams.ts';
import { bytesOf, cutText, cutTo, MOST_ANSWER_BYTES, page } from '../../answer-size.ts';
import { forRoles, found, notFound, type Route, route } from '../../route.ts';
import { pageSizeUpTo } from '../payment-filter.ts';

const Break = z.strictObject({ revision: z.int().min(0), fault: z.string() }).nullable();
const time = z.iso.datetime({ precision: 3 });
const Change = z.strictObject({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() });
const StreamEvent = z.strictObject({
  stream: z.string(),
  revision: z.int().min(0),
  position: z.string(),
  id: z.string(),
  type: z.string(),
  recordedAt: time,
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
    nextAfter: z.int().nullable(),
    broken: Break,
  })
  .meta({ id: 'DashboardStreamEvents' });
const StreamState = z
  .strictObject({ stream: z.string(), revision: z.int().min(0), recordedAt: time, state: z.unknown(), broken: Break })
  .meta({ id: 'DashboardStreamState' });
const ChainLink = z.strictObject({
  revision: z.int().min(0),
  type: z.string(),
  recordedAt: time,
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

const common = { tag: 'Streams', method: 'GET', scope: forRoles('owner', 'developer', 'auditor') } as const;

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

export const streamRoutes = (streams: OwnStreams): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/streams/:name/events',
    long: true,
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
      const { stream, steps, hasMore, broken = null } = read;
      return page(steps, stepAnswer, (shown, isCut) => {
        const last = isCut ? steps[shown - 1] : undefined;
        return {
          stream,
          nextAfter: last?.revision ?? (hasMore ? after + limit : null),
          broken: last === undefined ? broken : null,
        };
      });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/streams/:name/state',
    long: true,
    summary: 'Read the state of a stream after the event at a revision, folded from its events',
    request: z.object({ params, query: z.strictObject({ revision: Revision.optional() }) }),
    answer: StreamState,
    async handle({ params: { name }, query: { revision = Number.MAX_SAFE_INTEGER } }, { caller: { accountId } }) {
      const at = await streams.stateAt(name, accountId, revision);
      return at === undefined
        ? notFound()
        : found({ ...at, state: cutTo(at.state, MOST_VALUE_BYTES), broken: at.broken ?? null });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/streams/:name/verification',
    long: true,
    summary: 'Verify every event of a stream against the hash of the previous event',
    request: z.object({ params }),
    answer: Verification,
    async handle({ params: { name } }, { caller: { accountId } }) {
      const proof = await streams.verify(name, accountId);
      return proof === undefined
        ? notFound()
        : found({ ...proof, intact: proof.broken === undefined, broken: proof.broken ?? null });
    },
  }),
];
