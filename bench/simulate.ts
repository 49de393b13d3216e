// The simulator on all cores: payments a second, with every promise held, and the CPU time of one payment.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import { lineOf, unpinned } from './support/pinned.ts';

/** Worlds of a thousand payments: enough of them that no core waits long for the last one. */
const CORES = availableParallelism();
const PAYMENTS = Number(process.env['BENCH_SIMULATED_PAYMENTS'] ?? Math.max(40_000, CORES * 10_000));
const SEED = process.env['BENCH_SEED'] ?? 'bench';

/**
 * The semi-space of `npm run simulate`; and no collector threads, which would only compete with the worlds for their
 * cores.
 */
const FOR_BUSY_CORES = ['--max-semi-space-size=256', '--single-threaded-gc'];
const Told = z.tuple([z.coerce.number(), z.coerce.number()]);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const compiled = here('../dist/simulation/test/simulation/simulate.js');

export const bench: Bench = async () => {
  const { status } = spawnSync(process.execPath, [
    here('../node_modules/typescript/bin/tsc'),
    '-p',
    here('../tsconfig.simulation.json'),
  ]);
  if (status !== 0) throw new Error('the simulator does not compile');
  const simulator = unpinned([...FOR_BUSY_CORES, compiled, '--seed', SEED, '--payments', String(PAYMENTS)]);
  const ended = once(simulator, 'exit');
  const line = await lineOf(simulator, /^(\d+ payments a second .*)$/);
  const [perSecond, cpuMs] = Told.parse(/^(\d+) .* ([\d.]+) ms of CPU each/.exec(line)?.slice(1));
  const [code] = await ended;
  if (code !== 0)
    throw new Error(`a promise was broken: npm run simulate -- --seed ${SEED} --payments ${PAYMENTS} shows it`);
  const what = `${PAYMENTS.toLocaleString('en')} simulated payments on all cores, ${CORES} here (${cpuMs} ms of CPU each)`;
  return [rowOf(what, perSecond, 1_000, 1, '1/s')];
};
