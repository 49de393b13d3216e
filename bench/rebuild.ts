// Rebuild of the payments read model against a bare scan of the same log, and daily totals against payments. It is not pinned to a core.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProjections } from '../src/projections/engine/engine.ts';
import { dailyTotals } from '../src/projections/models/daily-totals.ts';
import { payments } from '../src/projections/models/payments.ts';
import type { AnyProjection } from '../src/projections/projection.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openMemoryEventStore } from '../src/stores/memory/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../src/world.ts';
import { type Row, rowOf } from './row.ts';
import { writePayments } from './support/payment-histories.ts';

const PAYMENTS = 80_000;
const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault) };

/** Writes 400,000 events of 80,000 payments, scans them, builds read models from the log, and follows the log into empty ones. */
export async function bench(): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-bench-'));
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  try {
    await writePayments(events, PAYMENTS, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
    const scanned = await scan(events);
    const built = await rebuilt(events, payments, join(directory, 'built.db'));
    const totalled = await rebuilt(events, dailyTotals, join(directory, 'totalled.db'));
    const followed = await caughtUp(events, payments, join(directory, 'followed.db'));
    const added = await caughtUp(events, dailyTotals, join(directory, 'added.db'));
    return [
      rowOf('projection rebuild', built, scanned, 0.4, 'events/s'),
      rowOf('projection rebuild, in all', built, 100_000, 1, 'events/s'),
      rowOf('daily totals rebuilt, against payments', totalled, built, 0.7, 'events/s'),
      rowOf('daily totals followed, against payments', added, followed, 1, 'events/s'),
    ];
  } finally {
    await events.close();
    await rm(directory, { recursive: true });
  }
}

/** Events a second of a first build. */
async function rebuilt(events: EventStore, of: AnyProjection, file: string): Promise<number> {
  const readModels = await openSqliteReadModels({ ...parts, file });
  try {
    const projections = await openProjections({ ...parts, events, readModels, projections: [of], forRepair: true });
    const first = await projections.rebuild(of.name);
    return (first.events / first.tookMs) * 1_000;
  } finally {
    await readModels.close();
  }
}

/** Events a second of the follower from the first event to the last, into an empty read model. */
async function caughtUp(events: EventStore, of: AnyProjection, file: string): Promise<number> {
  const readModels = await openSqliteReadModels({ ...parts, file });
  const done = new AbortController();
  try {
    await openProjections({ ...parts, events: openMemoryEventStore(), readModels, projections: [of] });
    const projections = await openProjections({ ...parts, events, readModels, projections: [of] });
    const startedAt = liveWorld.monotonic();
    const running = projections.run(done.signal);
    while (!projections.readiness().ready) await liveWorld.sleep(5, done.signal);
    const perSecond = (Number(await events.head()) / (liveWorld.monotonic() - startedAt)) * 1_000;
    done.abort();
    await running;
    return perSecond;
  } finally {
    await readModels.close();
  }
}

/** Events a second of only reading the log. */
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
