// Durable appends of single events, 64 at once, against bare fdatasync calls on the same disk; then the speed of
// reading the log back.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventStore, NewEvent } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { liveWorld, newUuid } from '../src/world.ts';
import { type Bench, rowOf } from './row.ts';
import { temporary } from './support/temporary.ts';

const CONCURRENT = 64;
const ROUND_MS = 1_500;
const ROUNDS = 3;

const data = JSON.stringify({
  set: {
    orderId: 'order-1',
    amount: 4_200,
    customer: { emailAddress: 'someone@example.org' },
    metadata: { note: 'x'.repeat(80) },
  },
});
const metadata = JSON.stringify({
  accountId: 'acc_1',
  actor: { kind: 'apiKey', id: 'key_1' },
  recordedAt: 1,
  previousHash: 'f'.repeat(64),
  schemaVersion: 1,
});
const eventOf = (): NewEvent => ({ id: newUuid(liveWorld), type: 'ClientSessionUpdated', data, metadata });

/** Runs both in turn, so that neither gets the quieter minutes, and takes the best round of each. */
export const bench: Bench = async () => {
  const directory = await temporary();
  const store = await openSqliteEventStore({ file: join(directory, 'events.db'), world: liveWorld, report: fail });
  try {
    const appends: number[] = [];
    const syncs: number[] = [];
    await appendsPerSecond(store, 'warm', 300);
    for (let round = 0; round < ROUNDS; round += 1) {
      syncs.push(syncsPerSecond(join(directory, 'syncs'), ROUND_MS));
      appends.push(await appendsPerSecond(store, `round${round}`, ROUND_MS));
    }
    return [
      rowOf(
        'append of single events, 64 at once, durable, against fdatasync',
        Math.max(...appends),
        Math.max(...syncs),
        3,
        '1/s',
      ),
    ];
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
};

/** Appends blocks of the size of one event, each synced before the next. */
function syncsPerSecond(file: string, ms: number): number {
  const block = Buffer.from(`${data}${metadata}`);
  const descriptor = openSync(file, 'a');
  const start = liveWorld.monotonic();
  let count = 0;
  for (; liveWorld.monotonic() - start < ms; count += 1) {
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
  }
  const seconds = (liveWorld.monotonic() - start) / 1_000;
  closeSync(descriptor);
  return count / seconds;
}

async function appendsPerSecond(store: EventStore, category: string, ms: number): Promise<number> {
  const start = liveWorld.monotonic();
  let count = 0;
  const writer = async (_: unknown, n: number): Promise<void> => {
    for (let after = -1; liveWorld.monotonic() - start < ms; after += 1, count += 1) {
      const stored = await store.append(`${category}-${n}`, after, [eventOf()]);
      if (stored === 'conflict') throw new Error('a conflict on a stream with one writer');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, writer));
  return count / ((liveWorld.monotonic() - start) / 1_000);
}

function fail(fault: unknown): never {
  throw fault;
}
