// How long PATCHes wait while a read model is rebuilt beside them: an open load at half of the highest rate, with a
// rebuild and without.
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import { madeIn, main, quiet } from './support/data-directory.ts';
import type { OpenLoad, Waited } from './support/open-load.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';

/** A multiple of 2,500; a smaller one for a try. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const CONNECTIONS = 64;
const WARM_MS = 8_000;
const HIGHEST_MS = 4_000;
const ROUND_MS = 15_000;
const ROUNDS = 3;
const openLoad = fileURLToPath(new URL('support/open-load.ts', import.meta.url));
const WaitedLine = z.object({
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  calls: z.number(),
  refused: z.number(),
});
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
      alone.push((await waited(directory, load, 'alone')).p99Ms);
      const over = new AbortController();
      const rebuilding = rebuildUntil(dataDir, over.signal);
      beside.push((await waited(directory, load, 'beside a rebuild')).p99Ms);
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

async function waited(directory: string, load: OpenLoad, when: string): Promise<Waited> {
  const file = join(directory, 'open-load.json');
  await writeFile(file, JSON.stringify(load));
  const found = WaitedLine.parse(
    JSON.parse(await lineOf(onLoadCore(['--import', 'tsx', openLoad, file]), /^Waited (.*)$/)),
  );
  if (found.refused > 0) throw new Error(`${found.refused} calls were not answered with 2xx`);
  const { p50Ms, p99Ms, maxMs, calls } = found;
  process.stderr.write(
    `  ${when}: p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, at most ${maxMs.toFixed(1)} ms, of ${calls} calls\n`,
  );
  return found;
}

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
