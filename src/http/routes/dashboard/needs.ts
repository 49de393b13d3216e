// What needs a user of the dashboard: counts of work that waits for a person, for the overview and the navigation.
import { z } from 'zod';
import type { Role } from '../../../domain/user/roles.ts';
import { parkedNotifications } from '../../../queries/notifications.ts';
import { isStreamOf, ownParked } from '../../../queries/own-streams.ts';
import { unlessUnavailable } from '../../../stores/store-unavailable.ts';
import { within } from '../../../world.ts';
import { Instant, instantOf } from '../../answers/shapes.ts';
import { forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';

const Need = z.strictObject({
  /** Each has a list in the dashboard with as many rows. */
  kind: z.enum(['disputes', 'failing_endpoints', 'unknown_outcomes', 'parked_streams', 'parked_notifications']),
  count: z.int().min(0),
  /** True if there may be more than were counted. */
  isMore: z.boolean(),
  /** The earliest deadline of the disputes. */
  dueAt: Instant.optional(),
});
type Need = z.infer<typeof Need>;
const Needs = z
  .strictObject({
    /** The kinds whose list the user may open, those without work included. */
    data: z.array(Need).readonly(),
  })
  .meta({ id: 'DashboardNeeds' });

/** Counts end here. */
const COUNTED = 100;
/** Parked streams of all accounts that are looked at, as in their list. */
const LOOKED_AT = 200;
const LOOK_WITHIN_MS = 2_000;
/** The roles that may open the lists of webhook endpoints and of parked work. */
const OPERATORS: readonly Role[] = ['owner', 'developer'];

export const needsRoutes = (needs: RouteParts): readonly Route[] => [
  route({
    tag: 'Overview',
    method: 'GET',
    path: '/dashboard/api/needs',
    scope: forUsers,
    summary: 'Count the work that waits for a person, by kind, as far as the user may see its lists',
    request: z.object({}),
    answer: Needs,
    async handle(_request, { caller: { accountId, at }, user }) {
      const isOperator = user !== undefined && OPERATORS.includes(user.role);
      const counts = await Promise.all([
        disputes(needs, accountId),
        ...(isOperator ? [failingEndpoints(needs, accountId, at)] : []),
        unknownOutcomes(needs, accountId, at),
        ...(isOperator ? [parkedStreams(needs, accountId), parkedOnes(needs, accountId)] : []),
      ]);
      return found({ data: counts });
    },
  }),
];

const need = (kind: Need['kind'], { count, isMore }: Pick<Need, 'count' | 'isMore'>): Need => ({ kind, count, isMore });

async function disputes({ queries }: RouteParts, accountId: string): Promise<Need> {
  const { rows, next } = await queries.listDisputes(accountId, { status: 'OPEN' }, COUNTED);
  const dueAt = rows.find(({ doc }) => doc.challengeRequiredBy !== undefined)?.doc.challengeRequiredBy;
  return {
    ...need('disputes', { count: rows.length, isMore: next !== undefined }),
    dueAt: instantOf(dueAt),
  };
}

const failingEndpoints = async ({ queries }: RouteParts, accountId: string, at: number): Promise<Need> =>
  need('failing_endpoints', await queries.countFailingEndpoints(accountId, at));

const unknownOutcomes = async ({ queries }: RouteParts, accountId: string, at: number): Promise<Need> =>
  need('unknown_outcomes', await queries.countUnresolved(accountId, at, COUNTED));

/** Only the event store says whose a stream is; while it is unavailable, there may be more. */
async function parkedStreams({ projections, events, world }: RouteParts, accountId: string): Promise<Need> {
  const parked = await projections.parked();
  const look = ownParked(parked, ({ stream }) => isStreamOf(events, stream, accountId), LOOKED_AT);
  const looked = await within(world, LOOK_WITHIN_MS, () => look.catch(unlessUnavailable(undefined)));
  if (looked === 'timeout' || looked === undefined) return need('parked_streams', { count: 0, isMore: true });
  const { own, isWhole } = looked;
  return need('parked_streams', { count: Math.min(own.length, COUNTED), isMore: !isWhole || own.length > COUNTED });
}

async function parkedOnes({ readModels }: RouteParts, accountId: string): Promise<Need> {
  const rows = await parkedNotifications(readModels, accountId, COUNTED + 1);
  return need('parked_notifications', { count: Math.min(rows.length, COUNTED), isMore: rows.length > COUNTED });
}
