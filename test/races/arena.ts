// The arena of all races: two services on one set of stores, first in this process and then as processes of their own.
import { SCOPES } from '../../src/domain/scopes.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { differencesOf } from '../crash/books.ts';
import { besideOthers } from '../support/calm-world.ts';
import { type Answer, Client } from '../support/load-client.ts';
import { serveNode } from '../support/load-node.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';

export interface Arena {
  readonly nodes: readonly [Client, Client];
  /** The log that both services append to. */
  readonly events: EventStore;
  /** The differences between the processor's ledger and the payments. */
  readonly differences: () => Promise<readonly string[]>;
  /** Log lines or answers of the services that must never appear. */
  readonly faults: () => readonly string[];
  readonly close: () => Promise<void>;
}

export const arenas: readonly (readonly [string, () => Promise<Arena>])[] = [
  ['two services on the same stores', inOneProcess],
  ['two processes on the same data directory', inTwoProcesses],
];

async function inOneProcess(): Promise<Arena> {
  const stores = await memoryStores();
  const [one, two] = [
    await nodeOn(stores, { cardTestingLimits: false }),
    await nodeOn(stores, { cardTestingLimits: false }),
  ];
  const account = await one.service.access.createAccount('Shop');
  if (account.kind === 'rejected') throw new Error(account.description);
  const key = await one.service.access.createApiKey({ accountId: account.id, name: 'test', scopes: SCOPES });
  if (key.kind === 'rejected') throw new Error(key.description);
  const logged: string[] = [];
  const served = await Promise.all([one, two].map((node) => serveNode(node, stores.sandbox, logged)));
  const [first, second] = served.map(({ url }) => new Client(url, key.key));
  if (first === undefined || second === undefined) throw new Error('two were started');
  return {
    nodes: [first, second],
    events: stores.events,
    differences: () => differencesOf(two.service, stores.sandbox),
    faults: () => [
      ...logged,
      ...first.faults,
      ...second.faults,
      ...[one, two].flatMap(({ reported }) => reported.map(String)),
    ],
    async close() {
      first.close();
      second.close();
      await Promise.all(served.map(({ close }) => close()));
    },
  };
}

async function inTwoProcesses(): Promise<Arena> {
  const directory = new DataDirectory();
  const [one, two] = [await directory.serve(), await directory.serve()];
  const events = await directory.events();
  return {
    nodes: [one.client, two.client],
    events,
    async differences() {
      const stores = await directory.stores(besideOthers);
      const { service } = await nodeOn(stores);
      const differences = await differencesOf(service, stores.sandbox);
      await Promise.all([stores.events.close(), stores.readModels.close(), stores.sandbox.close()]);
      return differences;
    },
    faults: () => [...[one, two].flatMap(({ serving, client }) => [...errorsIn(serving.stderr()), ...client.faults])],
    async close() {
      await events.close();
      await directory.remove();
    },
  };
}

/** Makes `count` calls at once, in turn on either node. */
export const atOnce = (
  count: number,
  { nodes }: Arena,
  call: (node: Client, index: number) => Promise<Answer>,
): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(nodes[index % 2 === 0 ? 0 : 1], index)));

/** The events after a position of the log. */
export async function appendedSince(events: EventStore, position: bigint): Promise<readonly StoredEvent[]> {
  const enough = new AbortController();
  const found: StoredEvent[] = [];
  for await (const batch of events.follow(position, [], enough.signal)) {
    found.push(...batch.events);
    if (batch.caughtUp) enough.abort();
  }
  return found;
}

export async function streamOf(events: EventStore, stream: string): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const stored of events.read(stream, -1)) found.push(stored);
  return found;
}

/** The number of events of each type. */
export function typesOf(stored: readonly StoredEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of stored) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
