// The processes of the service, the processors that they call, and how far the read models lagged, for the dashboard.
import { z } from 'zod';
import type { CallCounts } from '../../../commands/limits/circuit.ts';
import { machineTime } from '../../../commands/users/machine-time.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { aboutStore, forRoles, forUsers, found, type Route, route } from '../../route.ts';
import type { RouteParts, ServingParts } from '../parts.ts';

const count = z.int().min(0);
const Node = z.strictObject({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  /** It follows the log and does due work for all. */
  leading: z.boolean(),
  upMs: count,
  /** Since its last sign of life was seen by the process that answers. */
  silentMs: count,
  /** The process that answers. */
  isThis: z.boolean(),
});
const NodeList = z
  .strictObject({
    data: z.array(Node).readonly(),
    /** True if the process that responds is ready. */
    ready: z.boolean(),
    reasons: z.array(z.string()).readonly(),
    degraded: count.optional().meta({
      description:
        'Streams and API keys of all accounts that cannot be relied on; absent for other users than operators of the store.',
    }),
    /** The stalled read models in words: "webhooks since 18:40, 32 events", in UTC. */
    notMoving: z.array(z.string()).readonly(),
  })
  .meta({ id: 'DashboardNodes' });
const Calls = z.strictObject({ calls: count, failed: count });
const Circuit = z.strictObject({
  accountId: z
    .string()
    .meta({ description: 'The account of the connection: another one only for operators of the store.' }),
  processor: z.string(),
  open: z.boolean(),
  /** Until an operation may try the processor; absent while the circuit is closed. */
  triesInMs: count.optional(),
  operation: Calls,
  lookUp: Calls,
  tokenization: Calls,
});
const CircuitList = z
  .strictObject({
    data: z.array(Circuit).readonly(),
    windowMs: count,
    minCalls: count,
    failedShare: z.number(),
    openMs: count,
  })
  .meta({ id: 'DashboardCircuits' });

const common = {
  tag: 'Nodes',
  method: 'GET',
  scope: aboutStore(forRoles('owner', 'developer')),
  request: z.object({}),
} as const;

/** The figures of all accounts are for users of an account that operates the store. */
export const nodeRoutes = ({ nodes, circuits, readiness, queries }: ServingParts): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/nodes',
    summary: 'List the processes that work on this store, and the readiness of the process that responds',
    answer: NodeList,
    async handle(_request, { caller: { accountId } }) {
      const [list, isOperator] = await Promise.all([nodes.list(), queries.operatesStore(accountId)]);
      const { ready, reasons, degraded, notMoving = [] } = readiness();
      return found({ data: list, ready, reasons, degraded: isOperator ? degraded.length : undefined, notMoving });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/circuits',
    summary:
      'List the circuit of each connection of the account on the process that responds, with the calls of its window',
    answer: CircuitList,
    async handle(_request, { caller: { accountId } }) {
      const { windowMs, minCalls, failedShare, openMs } = circuits.limits;
      const own = circuits.statusesOf(accountId);
      const shown = (await queries.operatesStore(accountId)) ? circuits.statuses() : own;
      const data = shown.map(({ accountId: owner, connectionId, isOpen, triesInMs, counts }) => ({
        accountId: owner,
        processor: connectionId,
        open: isOpen,
        triesInMs,
        operation: calls(counts.operation),
        lookUp: calls(counts.look_up),
        tokenization: calls(counts.tokenization),
      }));
      return found({ data, windowMs, minCalls, failedShare, openMs });
    },
  }),
];

const calls = ({ calls: all, failed }: CallCounts): CallCounts => ({ calls: all, failed });

/** The minutes of a point, by the hours that are asked for. */
const STEPS = { 1: 1, 6: 2, 24: 5 } as const;
const Hours = z.literal([1, 6, 24]);
type Hours = z.infer<typeof Hours>;

const LagHistoryAnswer = z
  .strictObject({
    /** Every step of the hours, oldest first. */
    points: z
      .array(
        z.strictObject({
          start: Instant,
          /** The longest observed lag; null if no process could report it. */
          seconds: z.number().min(0).nullable(),
          /** The read model that lagged so; null where none did. */
          name: z.string().nullable(),
        }),
      )
      .readonly(),
    stepMinutes: z.int(),
    hours: Hours,
  })
  .meta({ id: 'DashboardLagHistory' });

export const lagRoutes = ({ queries, world }: RouteParts): readonly Route[] => [
  route({
    tag: 'Overview',
    method: 'GET',
    path: '/dashboard/api/lag',
    scope: aboutStore(forUsers),
    summary: 'Read the longest lag of a read model over the last hours, from a sample a minute',
    request: z.object({
      query: z.strictObject({
        /** Otherwise the fewest that hold every sample of the last day. */
        hours: z.coerce.number().pipe(Hours).optional(),
      }),
    }),
    answer: LagHistoryAnswer,
    async handle({ query: { hours: asked } }) {
      const now = machineTime(world);
      const read = (hours: Hours) => queries.readLagHistory(now, hours * 60, STEPS[hours]);
      const day = asked === undefined ? await read(24) : undefined;
      const hours = asked ?? hoursOf(now - (day?.find(({ seconds }) => seconds !== undefined)?.start ?? now));
      const points = day !== undefined && hours === 24 ? day : await read(hours);
      return found({
        points: points.map(({ start, seconds = null, name = null }) => ({ start: formatTime(start), seconds, name })),
        stepMinutes: STEPS[hours],
        hours,
      });
    },
  }),
];

const HOUR_MS = 3_600_000;

/** The fewest hours that hold a sample of `ms` ago. */
const hoursOf = (ms: number): Hours => (ms <= HOUR_MS ? 1 : ms <= 6 * HOUR_MS ? 6 : 24);
