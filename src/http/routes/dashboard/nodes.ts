// The processes of the service and the processors that they call, for the dashboard.
import { z } from 'zod';
import type { CallCounts } from '../../../commands/limits/circuit.ts';
import type { Circuits } from '../../../commands/limits/circuits.ts';
import type { Ready } from '../../../projections/engine/health/readiness.ts';
import type { Nodes } from '../../../projections/running/nodes.ts';
import type { Queries } from '../../../queries/queries.ts';
import { aboutStore, forRoles, found, type Route, route } from '../../route.ts';

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
    degraded: count.nullable().meta({
      description:
        'Streams and API keys of all accounts that cannot be relied on; null for other users than operators of the store.',
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
  /** Until an operation may try the processor; null while the circuit is closed. */
  triesInMs: count.nullable(),
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
export interface OperatorNeeds {
  readonly queries: Pick<Queries, 'operatesStore'>;
}

export interface NodeRouteNeeds {
  readonly nodes: Pick<Nodes, 'list'>;
  readonly circuits: Pick<Circuits, 'statuses' | 'statusesOf' | 'limits'>;
  readonly readiness: () => Ready;
}

export const nodeRoutes = ({
  nodes,
  circuits,
  readiness,
  queries,
}: NodeRouteNeeds & OperatorNeeds): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/nodes',
    summary: 'List the processes that work on this store, and the readiness of the process that responds',
    answer: NodeList,
    async handle(_request, { caller: { accountId } }) {
      const [list, isOperator] = await Promise.all([nodes.list(), queries.operatesStore(accountId)]);
      const { ready, reasons, degraded, notMoving = [] } = readiness();
      return found({ data: list, ready, reasons, degraded: isOperator ? degraded.length : null, notMoving });
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
      const data = shown.map(({ accountId: owner, connectionId, isOpen, triesInMs = null, counts }) => ({
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
