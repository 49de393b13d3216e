// The simulator on one core: payments a second, with every promise held.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Bench, rowOf } from './row.ts';
import { lineOf, pinned, SERVER_CORE } from './support/pinned.ts';

const PAYMENTS = Number(process.env['BENCH_SIMULATED_PAYMENTS'] ?? 40_000);
const SEED = process.env['BENCH_SEED'] ?? 'bench';

/** The semi-space of `npm run simulate`; and no collector threads, which would only compete for the one core. */
const FOR_ONE_CORE = ['--max-semi-space-size=256', '--single-threaded-gc'];

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const compiled = here('../dist/simulation/test/simulation/simulate.js');

export const bench: Bench = async () => {
  const { status } = spawnSync(process.execPath, [here('../node_modules/typescript/bin/tsc'), '-p', here('../tsconfig.simulation.json')]);
  if (status !== 0) throw new Error('the simulator does not compile');
  const simulator = pinned(SERVER_CORE, [...FOR_ONE_CORE, compiled, '--seed', SEED, '--payments', String(PAYMENTS)]);
  const ended = once(simulator, 'exit');
  const perSecond = Number(await lineOf(simulator, /^(\d+) payments a second/));
  const [code] = await ended;
  if (code !== 0) throw new Error(`a promise was broken: npm run simulate -- --seed ${SEED} --payments ${PAYMENTS} shows it`);
  return [rowOf(`${PAYMENTS.toLocaleString('en')} simulated payments on one core`, perSecond, 1_000, 1, '1/s')];
};
