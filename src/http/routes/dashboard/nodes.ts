// The processes of the service and the processors that they call, for the dashboard.
import { z } from 'zod';
import type { CallCounts } from '../../../commands/limits/circuit.ts';
import type { Circuits } from '../../../commands/limits/circuits.ts';
import type { Ready } from '../../../projections/engine/health/readiness.ts';
import type { Nodes } from '../../../projections/running/nodes.ts';
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
    /** Streams and API keys that cannot be relied on; of all accounts. */
    degraded: count,
    /** The stalled read models in words: "webhooks since 18:40, 32 events", in UTC. */
    notMoving: z.array(z.string()).readonly(),
  })
  .meta({ id: 'DashboardNodes' });
const Calls = z.strictObject({ calls: count, failed: count });
const Circuit = z.strictObject({
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

export interface NodeRouteNeeds {
  readonly nodes: Pick<Nodes, 'list'>;
  readonly circuits: Pick<Circuits, 'status' | 'limits'>;
  readonly readiness: () => Ready;
}

export const nodeRoutes = ({ nodes, circuits, readiness }: NodeRouteNeeds): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/nodes',
    summary: 'List the processes that work on this store, and the readiness of the process that responds',
    answer: NodeList,
    async handle() {
      const { ready, reasons, degraded, notMoving = [] } = readiness();
      return found({ data: await nodes.list(), ready, reasons, degraded: degraded.length, notMoving });
    },
  }),
  route({
    ...common,
    path: '/dashboard/api/circuits',
    summary: 'List the circuit of each processor on the process that responds, with the calls of its window',
    answer: CircuitList,
    handle() {
      const { windowMs, minCalls, failedShare, openMs } = circuits.limits;
      const data = [...circuits.status()].map(([processor, { isOpen, triesInMs = null, counts }]) => ({
        processor,
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
