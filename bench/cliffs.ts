// PATCH of a session where there is more of something (connections, cached sessions, stored sessions, lines) against 64
// connections and few small ones.
import { rm } from 'node:fs/promises';
import { type Bench, type Row, rowOf } from './row.ts';
import { type Made, madeIn, type Served, served } from './support/data-directory.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { end, LOAD_CORE, pinned } from './support/pinned.ts';
import { rounds } from './support/rounds.ts';
import { writeSessions } from './support/stored-sessions.ts';
import { temporary } from './support/temporary.ts';

const CONNECTIONS = 64;
/** BENCH_SESSIONS makes the large store smaller, for a try. */
const STORED = Number(process.env['BENCH_SESSIONS'] ?? 1_000_000);
/** So many fit into the cache of folds. */
const CACHED = Math.min(10_000, STORED);
const SESSIONS_CACHED = { sessions: Math.floor(CACHED / CONNECTIONS) };
const LINES = 50;
const ROUND_MS = 4_000;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** V8 compiles, and every session is changed once, before the first round counts, ms. */
const WARM_MS = 8_000;
const NO_CLIFF = 0.8;
/** BENCH_CLIFFS=0,4 runs the first row and the fifth alone. */
const wanted = (process.env['BENCH_CLIFFS'] ?? '0,1,2,3,4').split(',').map(Number);

interface Loaded {
  readonly what: string;
  readonly server: Served;
  /** Runs the load and answers the calls a second. */
  readonly one: (ms: number) => Promise<number>;
}

export const bench: Bench = async () => {
  const directory = await temporary();
  const small = await madeIn(directory, 'small');
  const large = await madeIn(directory, 'large', (events, accountId) => writeSessions(events, accountId, STORED));
  process.stderr.write(`  ${STORED} sessions written\n`);
  await end((await served(large.dataDir)).child); // builds the read models
  const [few, many] = [await served(small.dataDir), await served(large.dataDir)];
  const on = async (what: string, server: Served, { key }: Made, connections: number, of = {}): Promise<Loaded> => {
    const load = await sessionPatches(server.url, key, connections, of);
    const one = (ms: number) => measured(directory, { ...load, ms }, (args) => pinned(LOAD_CORE, args));
    return { what, server, one };
  };
  try {
    const plain = await on('64 connections, small sessions', few, small, CONNECTIONS);
    const all = [
      () => on('PATCH from 256 connections', few, small, 256),
      () => on('PATCH from 1,024 connections', few, small, 1_024),
      () => on(`PATCH of ${CACHED.toLocaleString('en')} cached sessions`, few, small, CONNECTIONS, SESSIONS_CACHED),
      () => on(`PATCH beside ${STORED.toLocaleString('en')} stored sessions`, many, large, CONNECTIONS),
      () => on(`PATCH of sessions of ${LINES} lines`, few, small, CONNECTIONS, { lines: LINES }),
    ];
    const rows: Row[] = [];
    await plain.one(WARM_MS);
    for (const make of all.filter((_, place) => wanted.includes(place))) {
      const other = await make();
      await other.one(WARM_MS);
      rows.push(await pairs(plain, other));
    }
    return rows;
  } finally {
    await Promise.all([end(few.child), end(many.child)]);
    await rm(directory, { recursive: true });
  }
};

/** Both in turn, so that neither gets the quieter minutes; the ratio is the median of the pairs. */
async function pairs(plain: Loaded, other: Loaded): Promise<Row> {
  const [against, its] = [rounds(plain.server.child, ROUND_MS), rounds(other.server.child, ROUND_MS)];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plainly = await against.one(() => plain.one(ROUND_MS));
    ratios.push((await its.one(() => other.one(ROUND_MS))) / plainly);
  }
  const cpu = `${Math.round(its.cpuMicros())} for ${Math.round(against.cpuMicros())} µs of CPU each`;
  const row = rowOf(
    `${other.what} against ${plain.what} (${cpu})`,
    its.perSecond(),
    against.perSecond(),
    NO_CLIFF,
    '1/s',
  );
  return { ...row, ratio: median(ratios) };
}
