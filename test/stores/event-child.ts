// A process for the tests of the embedded event store: `append` appends and prints acknowledged events, `lock` holds
// the write lock.

import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { appended, eventOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { printed } from '../support/printed.ts';

const [what = '', file = '', ...rest] = process.argv.slice(2);

/** Prints `<stream> <revision> <id>` for each event once its append was acknowledged, and not before. */
async function append(streams: readonly string[], count: number): Promise<void> {
  const store = await openSqliteEventStore({ file, world: calmWorld, report: (fault) => console.error(fault) });
  const writer = async (stream: string): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const [stored] = await untilWritten(store, stream, n);
      await printed(`${stored?.stream} ${stored?.revision} ${stored?.id}`);
    }
  };
  await Promise.all(streams.map(writer));
  await store.close();
}

/**
 * A paused process with the lock makes all others wait; after five seconds nothing was written, and the append is tried
 * again.
 */
async function untilWritten(store: EventStore, stream: string, n: number): Promise<readonly StoredEvent[]> {
  for (;;) {
    try {
      return await appended(store, stream, n - 1, [eventOf({ n })]);
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable) || fault.outcomeUnknown) throw fault;
    }
  }
}

async function lock(): Promise<void> {
  const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
  database.exec('BEGIN IMMEDIATE');
  await printed('locked');
  process.stdin.resume(); // until it is killed, or its parent is gone
  process.stdin.once('end', () => database.close());
}

const [count = '0', ...streams] = rest;
await (what === 'lock' ? lock() : append(streams, Number(count)));
