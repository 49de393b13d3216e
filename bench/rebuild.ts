// Rebuild of the payments read model against a bare scan of the same log; not pinned: a rebuild has both cores.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProjections } from '../src/projections/engine/engine.ts';
import { payments } from '../src/projections/models/payments.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../src/world.ts';
import type { Row } from './row.ts';
import { writePayments } from './support/payment-histories.ts';

const PAYMENTS = 80_000;

/** Writes 400,000 events of 80,000 payments, scans them, and builds their read model from nothing. */
export async function bench(): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-bench-'));
  const report = (fault: unknown): void => console.error(fault);
  const parts = { world: liveWorld, report };
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  const readModels = await openSqliteReadModels({ ...parts, file: join(directory, 'read-models.db') });
  try {
    await writePayments(events, PAYMENTS, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
    const scanned = await scan(events);
    const projections = await openProjections({ ...parts, events, readModels, projections: [payments], forRepair: true });
    const first = await projections.rebuild(payments.name);
    const perSecond = (first.events / first.tookMs) * 1_000;
    return [
      { what: 'projection rebuild', measured: perSecond, against: scanned, ratio: perSecond / scanned, reach: 0.4, unit: 'events/s' },
      { what: 'projection rebuild, in all', measured: perSecond, against: 100_000, ratio: perSecond / 100_000, reach: 1, unit: 'events/s' },
    ];
  } finally {
    await readModels.close();
    await events.close();
    await rm(directory, { recursive: true });
  }
}

/** Events a second of reading the log and nothing else. */
async function scan(events: EventStore): Promise<number> {
  const head = await events.head();
  const enough = new AbortController();
  const startedAt = liveWorld.monotonic();
  let count = 0;
  for await (const batch of events.follow(-1n, [payments.category], enough.signal)) {
    count += batch.events.length;
    if (batch.position >= head) enough.abort();
  }
  return (count / (liveWorld.monotonic() - startedAt)) * 1_000;
}
