// An EventStoreDB for tests: a real gRPC server in a process of its own, which can be told to misbehave, frozen, killed, started again.
import { LoopbackServer } from '../loopback-server.ts';
import { scriptBeside } from '../script.ts';
import type { EventStoreDbCounters, EventStoreDbOrder } from './orders.ts';

export type { AppendFault, DropAs, EventStoreDbCounters, EventStoreDbOrder } from './orders.ts';

/** It is frozen, killed and started again as `LoopbackServer` says. */
export interface EventStoreDbLoopback extends Pick<LoopbackServer<EventStoreDbOrder>, 'start' | 'freeze' | 'thaw' | 'kill' | 'terminate'> {
  /** For `EventStoreDBClient.connectionString`; the same for its whole life. */
  readonly url: string;
  order(order: EventStoreDbOrder): Promise<void>;
  /** What it was asked since its start; `prefix`: with the appends to each stream whose name begins so. */
  counters(prefix?: string): Promise<EventStoreDbCounters>;
}

/** Starts it, with the events that the directory has. Its end is `kill`; the directory is the caller's to remove. */
export async function openEventStoreDbLoopback({ directory }: { readonly directory: string }): Promise<EventStoreDbLoopback> {
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
      if (!isCounters(told)) throw new Error('these are no counters');
      return told;
    },
  };
}

const isCounters = (told: unknown): told is EventStoreDbCounters => typeof told === 'object' && told !== null && 'appends' in told;
