// The event store on EventStoreDB: the contract of every event store, on a stand-in or on the server that
// EVENTSTOREDB_URL names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { eventStoreContract } from '../contract/event-store.suite.ts';
import type { StoreUnderTest } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { eventStoreDbUnderTest } from './eventstoredb-under-test.ts';

const open = (url: string): Promise<EventStore> =>
  openEventStoreDb({
    url,
    world: calmWorld,
    report: (fault) => {
      throw fault;
    },
  });

async function appendElsewhere(url: string, stream: string, count: number): Promise<void> {
  const started = nodeArguments(scriptBeside('./eventstoredb-child', import.meta.url), url, String(count), stream);
  const child = spawn(process.execPath, started, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  expect(code).to.equal(0);
}

async function underTest(url: string, dispose: () => Promise<void>): Promise<StoreUnderTest> {
  const opened = [await open(url)];
  const [store] = opened;
  if (store === undefined) throw new Error('no store');
  return {
    store,
    another: async () => {
      const other = await open(url);
      opened.push(other);
      return other;
    },
    appendElsewhere: (stream, count) => appendElsewhere(url, stream, count),
    dispose: async () => {
      for (const one of opened) await one.close();
      await dispose();
    },
  };
}

const opened = async (): Promise<StoreUnderTest> => {
  const { server, dispose } = await eventStoreDbUnderTest();
  return underTest(server.url, dispose);
};
eventStoreContract('the EventStoreDB event store', opened, false);
