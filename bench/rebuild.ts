// Rebuild of the payments read model against a bare scan of the same log, and daily totals against payments. It is not
// pinned to a core.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoldModule } from '../src/projections/engine/rebuild/build-pass.ts';
import type { AnyProjection } from '../src/projections/projection.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { type Row, rowOf } from './row.ts';
import { builtEngine, builtStores } from './support/built.ts';
import { median } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { temporary } from './support/temporary.ts';

/**
 * A multiple of 2,500; a smaller one for a try. A thread takes its time to start and to be compiled, so it shows less
 * there.
 */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 400_000);
const ROUNDS = 3;

const { openProjections, defaultTimings, foldModule, dailyTotals, payments } = await builtEngine();
const { openSqliteEventStore, openSqliteReadModels, openMemoryEventStore, liveWorld } = await builtStores();
const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault) };
/** A rebuild waits two seconds while processes join, however long the log is: not a matter of speed. */
const timings = { ...defaultTimings, joinMs: 0 };

/** Writes a log of payments, scans it, builds read models from it, and follows it into empty ones. */
export async function bench(): Promise<readonly Row[]> {
  const directory = await temporary();
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  const file = (name: string): string => join(directory, `${name}.db`);
  try {
    await writePayments(events, EVENTS / EVENTS_A_PAYMENT, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
    const [scans, firsts, compared]: [Taken[], Taken[], Taken[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      scans.push(await scan(events));
      const [first, second] = await rebuilt(events, payments, file(`built-${round}`), { foldModule }, 2);
      firsts.push(first);
      compared.push(second ?? first);
    }
    const [alone] = await rebuilt(events, payments, file('alone'), {});
    const [totalled] = await rebuilt(events, dailyTotals, file('totalled'), { foldModule });
    const followed = await caughtUp(events, payments, file('followed'));
    const added = await caughtUp(events, dailyTotals, file('added'));
    const scanned = rate(scans);
    process.stderr.write(`  the scan: ${micros(scans)}\n`);
    return [
      rowOf(`projection rebuild (${micros(firsts)})`, rate(firsts), scanned, 0.4, 'events/s'),
      rowOf(
        `projection rebuild, compared with the live one (${micros(compared)})`,
        rate(compared),
        scanned,
        0.4,
        'events/s',
      ),
      rowOf('projection rebuild, in all', rate(firsts), 120_000, 1, 'events/s'),
      rowOf(
        'daily totals rebuilt, against payments in one thread',
        totalled.perSecond,
        alone.perSecond,
        0.7,
        'events/s',
      ),
      rowOf('daily totals followed, against payments', added, followed, 1, 'events/s'),
    ];
  } finally {
    await events.close();
    await rm(directory, { recursive: true });
  }
}

interface Taken {
  readonly perSecond: number;
  /** CPU time of an event, all threads, µs. */
  readonly micros: number;
}

const rate = (taken: readonly Taken[]): number => median(taken.map(({ perSecond }) => perSecond));
const micros = (taken: readonly Taken[]): string =>
  `${median(taken.map((one) => one.micros)).toFixed(1)} µs of CPU an event`;

async function timed(work: () => Promise<number>): Promise<Taken> {
  const [before, startedAt] = [process.cpuUsage(), performance.now()];
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (count / (performance.now() - startedAt)) * 1_000, micros: (user + system) / count };
}

/** A first build, and another one that is compared with it. */
async function rebuilt(
  events: EventStore,
  of: AnyProjection,
  file: string,
  threads: { readonly foldModule?: FoldModule },
  builds = 1,
): Promise<readonly [Taken, ...Taken[]]> {
  const readModels = await openSqliteReadModels({ ...parts, file });
  try {
    const projections = await openProjections({
      ...parts,
      ...threads,
      events,
      readModels,
      timings,
      projections: [of],
      forRepair: true,
    });
    const build = (): Promise<Taken> => timed(async () => (await projections.rebuild(of.name)).events);
    const taken: [Taken, ...Taken[]] = [await build()];
    while (taken.length < builds) taken.push(await build());
    return taken;
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

/** Only reads the log. */
const scan = (events: EventStore): Promise<Taken> =>
  timed(async () => {
    const head = await events.head();
    const enough = new AbortController();
    let count = 0;
    for await (const batch of events.follow(-1n, [payments.category], enough.signal)) {
      count += batch.events.length;
      if (batch.position >= head) enough.abort();
    }
    return count;
  });
