// A stand-in of EventStoreDB: a gRPC server in a process of its own, which tests order to misbehave, freeze, kill and
// start again.
import { LoopbackServer } from '../loopback-server.ts';
import { scriptBeside } from '../script.ts';
import type { EventStoreDbCounters, EventStoreDbOrder } from './orders.ts';

export type { AppendFault, DropAs, EventStoreDbCounters, EventStoreDbOrder } from './orders.ts';

/** The process, which can be frozen, killed and started again; see `LoopbackServer`. */
export interface EventStoreDbLoopback
  extends Pick<LoopbackServer<EventStoreDbOrder>, 'start' | 'freeze' | 'thaw' | 'kill' | 'terminate'> {
  /** For `EventStoreDBClient.connectionString`; the same over all restarts. */
  readonly url: string;
  order(order: EventStoreDbOrder): Promise<void>;
  /** The counts of requests since the start. With `prefix` also those of each stream whose name begins so. */
  counters(prefix?: string): Promise<EventStoreDbCounters>;
}

/** Starts a server with the events in the directory. The caller ends it with `kill`, and removes the directory. */
export async function openEventStoreDbLoopback({
  directory,
}: {
  readonly directory: string;
}): Promise<EventStoreDbLoopback> {
  const server = new LoopbackServer<EventStoreDbOrder>({ script: scriptBeside('./main', import.meta.url), directory });
  await server.start();
  return {
    url: `esdb://127.0.0.1:${server.port}?tls=false`,
    start: () => server.start(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    terminate: () => server.terminate(),
    order: async (order) => {
      await server.order(order);
    },
    counters: async (prefix) => {
      const told = await server.order({ order: 'count', ...(prefix === undefined ? {} : { prefix }) });
      if (!isCounters(told)) throw new Error('the stand-in answered no counters');
      return told;
    },
  };
}

const isCounters = (told: unknown): told is EventStoreDbCounters =>
  typeof told === 'object' && told !== null && 'appends' in told;
