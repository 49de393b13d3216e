// Streams of the account for the dashboard: events with their changes, the state at any revision, the proof of the chain.
import { z } from 'zod';
import type { OwnStreams } from '../../../queries/streams/own-streams.ts';
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

export const streamRoutes = (streams: OwnStreams): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/streams/:name/events',
    summary: 'The events of a stream, oldest first, each with the change that it made; by its name, or the id of its subject',
    request: z.object({ params, query: z.strictObject({ after: Revision.optional(), limit: pageSizeUpTo(MOST_EVENTS) }) }),
    answer: StreamEvents,
    async handle({ params: { name }, query: { after = -1, limit = PAGE_EVENTS } }, { caller: { accountId } }) {
      const page = await streams.eventsOf(name, accountId, after, limit);
      if (page === undefined) return notFound();
      const { stream, steps, hasMore, broken = null } = page;
      return found({ stream, data: steps, nextAfter: hasMore ? after + limit : null, broken });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/streams/:name/state',
    summary: 'The state of a stream after the event at a revision, folded from its events',
    request: z.object({ params, query: z.strictObject({ revision: Revision.optional() }) }),
    answer: StreamState,
    async handle({ params: { name }, query: { revision = Number.MAX_SAFE_INTEGER } }, { caller: { accountId } }) {
      const at = await streams.stateAt(name, accountId, revision);
      return at === undefined ? notFound() : found({ ...at, broken: at.broken ?? null });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/streams/:name/verification',
    summary: 'Holds every event of a stream against the hash of the event before it',
    request: z.object({ params }),
    answer: Verification,
    async handle({ params: { name } }, { caller: { accountId } }) {
      const proof = await streams.verify(name, accountId);
      return proof === undefined ? notFound() : found({ ...proof, intact: proof.broken === undefined, broken: proof.broken ?? null });
    },
  }),
];
