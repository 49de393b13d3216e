// EventStoreDB against its own client on the same server: PATCH, catch-up, memory, and a copied log. EVENTSTOREDB_URL
// names a real server.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { copyLog } from '../src/journal/copy-log.ts';
import { openEventStoreDb } from '../src/stores/eventstoredb/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../src/world.ts';
import { openEventStoreDbLoopback } from '../test/support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type Bench, type Row, rowOf } from './row.ts';
import { firstOf, main, quiet } from './support/data-directory.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { AS_STARTED, end, lineOf, unpinned } from './support/pinned.ts';
import { rounds } from './support/rounds.ts';
import { temporary } from './support/temporary.ts';

const CONNECTIONS = 64;
const ROUND_MS = 5_000;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
/**
 * V8 compiles meanwhile: the service once; the client and the load in each round, because their processes are new each
 * time, ms.
 */
const WARM_SERVICE_MS = 20_000;
const WARM_MS = 3_000;
const FOLLOWED = Number(process.env['BENCH_FOLLOWED'] ?? 1_000_000);
const COPIED = 20_000;
/** The time that a server with a disk takes for an append, ms. */
const DISK_MS = 1;

/** BENCH_EVENTSTOREDB=patch,copy leaves the million events out. */
const wanted = (process.env['BENCH_EVENTSTOREDB'] ?? 'patch,follow,copy').split(',');

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const fromSource = [...AS_STARTED, '--expose-gc', '--import', 'tsx'];
const Loaded = z.object({ perSecond: z.number() });
const Followed = z.object({ events: z.number(), perSecond: z.number(), early: z.number(), late: z.number() });

export const bench: Bench = async () => {
  const directory = await temporary();
  const given = process.env['EVENTSTOREDB_URL'];
  const server = given === undefined ? await openEventStoreDbLoopback({ directory }) : undefined;
  const url = given ?? server?.url ?? '';
  try {
    const rows: Row[] = [];
    if (wanted.includes('patch')) rows.push(await patches(url, directory));
    if (wanted.includes('follow')) rows.push(...(await following(url, directory)));
    if (wanted.includes('copy')) rows.push(await copying(directory));
    return rows;
  } finally {
    await server?.kill();
    await rm(directory, { recursive: true });
  }
};

/**
 * Runs both in turn, so that neither gets the quieter minutes; the ratio is the median of the pairs. Server, service
 * and load share the machine: nothing is pinned.
 */
async function patches(url: string, directory: string): Promise<Row> {
  const service = unpinned(
    [...AS_STARTED, main, 'serve', '--json', '--port', '0', '--data-dir', join(directory, 'data')],
    {
      COUNTERFOIL_EVENT_STORE: url,
      COUNTERFOIL_SECRET: Buffer.alloc(32, 5).toString('base64url'),
      ...quiet,
    },
  );
  try {
    const first = await firstOf(service);
    const load = await sessionPatches(first.url, first.key, CONNECTIONS);
    const patch = (begin: () => Promise<void>): Promise<number> =>
      measured(directory, { ...load, warmMs: WARM_MS, ms: ROUND_MS }, unpinned, begin);
    await measured(directory, { ...load, ms: WARM_SERVICE_MS }, unpinned);
    const appended: number[] = [];
    const ratios: number[] = [];
    const patched = rounds(service, ROUND_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const bare = await printed('client-appends.ts', /^Loaded (.*)$/, [url, CONNECTIONS, ROUND_MS, WARM_MS]);
      const { perSecond } = Loaded.parse(bare);
      appended.push(perSecond);
      ratios.push((await patched.one(patch)) / perSecond);
    }
    const what = `PATCH over EventStoreDB, ${CONNECTIONS} connections (${patched.cpu()}), against the client's own appends`;
    return { ...rowOf(what, patched.perSecond(), median(appended), 0.6, '1/s'), ratio: median(ratios) };
  } finally {
    await end(service);
  }
}

async function following(url: string, directory: string): Promise<readonly Row[]> {
  const events = await openEventStoreDb({ url, world: liveWorld, report: console.error });
  await writePayments(events, FOLLOWED / EVENTS_A_PAYMENT, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
  await events.close();
  process.stderr.write(`  ${FOLLOWED} events written\n`);
  const bare = Loaded.parse(await printed('client-subscription.ts', /^Loaded (.*)$/, [url, FOLLOWED]));
  const file = join(directory, 'followed', 'read-models.db');
  const followed = Followed.parse(await printed('catch-up.ts', /^Followed (.*)$/, [url, file, FOLLOWED]));
  const count = FOLLOWED.toLocaleString('en');
  return [
    rowOf(
      `catch-up of projections from ${count} events against the client's subscription`,
      followed.perSecond,
      bare.perSecond,
      0.6,
      '1/s',
    ),
    rowOf(
      `memory after ${count} events followed against a tenth of them`,
      followed.late,
      followed.early,
      { atMost: 1.1 },
      'MiB',
    ),
  ];
}

/**
 * Copies into another stand-in, because the target must be empty. Its answers take as long as those of a server with a
 * disk.
 */
async function copying(directory: string): Promise<Row> {
  const parts = { world: liveWorld, report: console.error };
  const source = await openSqliteEventStore({ ...parts, file: join(directory, 'copied', 'events.db') });
  await writePayments(source, COPIED / EVENTS_A_PAYMENT, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
  const server = await openEventStoreDbLoopback({ directory: await mkdtemp(join(directory, 'copy-')) });
  try {
    await server.order({ order: 'slow answers', ms: DISK_MS });
    const target = await openEventStoreDb({ ...parts, url: server.url, inOrder: true });
    const startedAt = performance.now();
    const { events } = await copyLog(source, target, { signal: new AbortController().signal });
    const copied = (events / (performance.now() - startedAt)) * 1_000;
    await target.close();
    const appended = Loaded.parse(await printed('client-appends.ts', /^Loaded (.*)$/, [server.url, 1, ROUND_MS]));
    const what = `copy of ${events.toLocaleString('en')} events, read back, against the client's appends one at a time, ${DISK_MS} ms each`;
    return rowOf(what, copied, appended.perSecond, 5, '1/s');
  } finally {
    await server.kill();
    await source.close();
  }
}

async function printed(script: string, pattern: RegExp, args: readonly (string | number)[]): Promise<unknown> {
  const line = await lineOf(unpinned([...fromSource, here(`support/${script}`), ...args.map(String)]), pattern);
  process.stderr.write(`  ${script}: ${line}\n`);
  return JSON.parse(line);
}
