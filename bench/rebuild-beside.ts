// How long PATCHes wait while a read model is rebuilt beside them: an open load at half of the highest rate, with a
// rebuild and without.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type Bench, rowOf } from './row.ts';
import { madeIn, main, quiet } from './support/data-directory.ts';
import type { OpenLoad } from './support/open-load.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';
import { waited } from './support/waits.ts';

/** A multiple of 2,500; a smaller one for a try. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const CONNECTIONS = 64;
const WARM_MS = 8_000;
const HIGHEST_MS = 4_000;
const ROUND_MS = 15_000;
const ROUNDS = 3;
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

/**
 * The server and the rebuild are not pinned, as in production: a rebuild has as many threads as there are cores. The
 * load has a core.
 */
export const bench: Bench = async () => {
  const directory = await temporary();
  const { dataDir, key } = await madeIn(directory, 'data', async (events, accountId) => {
    await writePayments(events, EVENTS / EVENTS_A_PAYMENT, accountId);
  });
  const server = unpinned([...AS_STARTED, main, 'serve', '--port', '0', '--data-dir', dataDir], quiet);
  try {
    const url = await lineOf(server, /^Listening on (\S+)/);
    while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
    const patches = await sessionPatches(url, key, CONNECTIONS);
    await measured(directory, { ...patches, ms: WARM_MS }, onLoadCore);
    const perSecond = (await measured(directory, { ...patches, ms: HIGHEST_MS }, onLoadCore)) / 2;
    const load: OpenLoad = { ...patches, ms: ROUND_MS, perSecond };
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push((await waited(directory, load, 'alone', onLoadCore)).p99Ms);
      const over = new AbortController();
      const rebuilding = rebuildUntil(dataDir, over.signal);
      beside.push((await waited(directory, load, 'beside a rebuild', onLoadCore)).p99Ms);
      over.abort();
      process.stderr.write(`  ${await rebuilding} rebuilds were begun\n`);
    }
    const what = `p99 of PATCH at ${Math.round(perSecond)}/s, beside a rebuild of ${EVENTS.toLocaleString('en')} events, against alone`;
    return [rowOf(what, median(beside), median(alone), { atMost: 3 }, 'ms')];
  } finally {
    await end(server);
    await rm(directory, { recursive: true });
  }
};

/** One rebuild after another, by the command, until the signal aborts. Answers how many were begun. */
async function rebuildUntil(dataDir: string, signal: AbortSignal): Promise<number> {
  for (let begun = 1; ; begun += 1) {
    const child = unpinned([main, 'projections', 'rebuild', 'payments', '--data-dir', dataDir], quiet);
    child.stdout?.resume();
    const exited = once(child, 'exit');
    const stop = (): void => void child.kill('SIGINT');
    signal.addEventListener('abort', stop, { once: true });
    const [code] = await exited;
    signal.removeEventListener('abort', stop);
    if (signal.aborted) return begun;
    if (code !== 0) throw new Error(`the rebuild ended with ${code}`);
  }
}
