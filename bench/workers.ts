// Several workers against one on the same machine: calls that are answered for each second of CPU time of all the
// server's processes. A service that shares its work without loss answers as many for a second of CPU with two workers
// as with one; then it scales with the cores.
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bench, rowOf } from './row.ts';
import { cpuMsOfAll, firstOf, main, quiet } from './support/data-directory.ts';
import { measured, median } from './support/patches.ts';
import { newPayment, paymentsPerSecond } from './support/payments.ts';
import { AS_STARTED, end, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';

const CONNECTIONS = 64;
const ROUND_MS = 4_000;
const ROUNDS = 5;
const WARM_READS_MS = 15_000;
/** See http.ts. */
const WARM_PAYMENTS_MS = 30_000;
const IDLE_MS = 5_000;
const WORKERS = 2;
const REACH = { reads: 0.85, payments: 0.7 };

interface Service {
  readonly workers: number;
  readonly child: ChildProcess;
  readonly read: (ms: number) => Promise<number>;
  readonly pay: (ms: number) => Promise<number>;
}

export const bench: Bench = async () => {
  const directory = await temporary();
  const both = [await started(directory, 1), await started(directory, WORKERS)];
  try {
    const [one, several] = both;
    if (one === undefined || several === undefined) throw new Error('no service is there');
    for (const { read, pay, workers } of both) {
      await read(WARM_READS_MS * workers); // V8 compiles in each worker separately
      await pay(WARM_PAYMENTS_MS * workers);
    }
    const idle = { one: await idleShare(one), several: await idleShare(several) };
    process.stderr.write(
      `  idle: ${(idle.one * 100).toFixed(1)} % of a core with one, ${(idle.several * 100).toFixed(1)} % with ${WORKERS}\n`,
    );
    const figures = {
      one: { reads: cpuRounds(one, idle.one), payments: cpuRounds(one, idle.one) },
      several: { reads: cpuRounds(several, idle.several), payments: cpuRounds(several, idle.several) },
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [of, { reads, payments }] of [
        [one, figures.one],
        [several, figures.several],
      ] as const) {
        await reads.add(of.read);
        await payments.add(of.pay);
      }
    }
    const row = (what: string, kind: 'reads' | 'payments') => {
      const [more, alone] = [figures.several[kind], figures.one[kind]];
      const costs = `${more.micros()} µs of CPU each, ${alone.micros()} with one`;
      return rowOf(
        `${what}, ${WORKERS} workers against one (${costs})`,
        more.perCpuSecond(),
        alone.perCpuSecond(),
        REACH[kind],
        '1/CPU s',
      );
    };
    return [row('GET /payments/{id}', 'reads'), row('complete payments (4 calls)', 'payments')];
  } finally {
    await Promise.all(both.map(({ child }) => end(child)));
    await rm(directory, { recursive: true });
  }
};

async function started(directory: string, workers: number): Promise<Service> {
  const dataDir = join(directory, `data-${workers}`);
  const args = [
    main,
    'serve',
    '--json',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    ...(workers === 1 ? [] : ['--workers', String(workers)]),
  ];
  const child = unpinned([...AS_STARTED, ...args], quiet);
  const first = await firstOf(child);
  const { url, key } = first;
  const call = { method: 'GET', path: `/payments/${await newPayment(url, key)}`, headers: { 'X-Api-Key': key } };
  const connections = Array.from({ length: CONNECTIONS }, () => [call]);
  return {
    workers,
    child,
    read: (ms) => measured(directory, { url, ms, connections }, unpinned),
    pay: (ms) => paymentsPerSecond(first, ms, unpinned),
  };
}

interface CpuRounds {
  add(load: (ms: number) => Promise<number>): Promise<void>;
  perCpuSecond(): number;
  /** CPU time of a call, µs. */
  micros(): number;
}

/** The share of a core that the processes take while nobody asks. */
async function idleShare({ child }: Service): Promise<number> {
  const [before, from] = [await cpuMsOfAll(child), performance.now()];
  await pause(IDLE_MS);
  return ((await cpuMsOfAll(child)) - before) / (performance.now() - from);
}

/**
 * Rounds of a load by the CPU time of all the service's processes. `idle`: their share of a core at rest, which is
 * taken off for the time in which the load's process starts and ends, and asks nothing.
 */
function cpuRounds({ child }: Service, idle: number): CpuRounds {
  const rates: number[] = [];
  return {
    async add(load) {
      const [before, from] = [await cpuMsOfAll(child), performance.now()];
      const perSecond = await load(ROUND_MS);
      const idled = Math.max(0, performance.now() - from - ROUND_MS);
      rates.push((perSecond * ROUND_MS) / ((await cpuMsOfAll(child)) - before - idled * idle));
    },
    perCpuSecond: () => median(rates),
    micros: () => Math.round(1e6 / median(rates)),
  };
}
