// A full backup against `cp` of the same bytes to the disk, and how long PATCHes wait beside backups.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import { madeIn, main, quiet } from './support/data-directory.ts';
import type { OpenLoad } from './support/open-load.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';

/** A multiple of 2,500. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 400_000);
const CONNECTIONS = 64;
const WARM_MS = 8_000;
const HIGHEST_MS = 4_000;
const ROUND_MS = 15_000;
const ROUNDS = 3;
const openLoad = fileURLToPath(new URL('support/open-load.ts', import.meta.url));
const WaitedLine = z.looseObject({ p99Ms: z.number(), refused: z.number() });
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

/** Neither the server nor the backup is pinned, as in production. The load has a core. */
export const bench: Bench = async () => {
  const directory = await temporary();
  const { dataDir, key } = await madeIn(directory, 'data', async (events, accountId) => {
    await writePayments(events, EVENTS / EVENTS_A_PAYMENT, accountId);
  });
  try {
    const log = join(dataDir, 'events.db');
    const megabytes = (await stat(log)).size / 1e6;
    const [copies, backups]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = join(directory, `copy-${round}`);
      copies.push(await perSecond(megabytes, () => execFileSync('sh', ['-c', `cp "${log}" "${to}" && sync "${to}"`])));
      backups.push(await perSecond(megabytes, () => backedUp(dataDir, join(directory, `backup-${round}`))));
    }
    const what = `a full backup of ${EVENTS.toLocaleString('en')} events, against cp and sync`;
    return [rowOf(what, median(backups), median(copies), 0.3, 'MB/s'), await beside(directory, dataDir, key)];
  } finally {
    await rm(directory, { recursive: true });
  }
};

async function perSecond(amount: number, work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (amount / (performance.now() - startedAt)) * 1_000;
}

/** The whole command, with its start. */
async function backedUp(dataDir: string, out: string): Promise<void> {
  const child = unpinned([main, 'backup', '--out', out, '--data-dir', dataDir], quiet);
  child.stdout?.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the backup ended with ${code}`);
}

async function beside(directory: string, dataDir: string, key: string) {
  const server = unpinned([...AS_STARTED, main, 'serve', '--port', '0', '--data-dir', dataDir], quiet);
  try {
    const url = await lineOf(server, /^Listening on (\S+)/);
    while (!(await fetch(`${url}/health/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, 50));
    const patches = await sessionPatches(url, key, CONNECTIONS);
    await measured(directory, { ...patches, ms: WARM_MS }, onLoadCore);
    const perSecondHalf = (await measured(directory, { ...patches, ms: HIGHEST_MS }, onLoadCore)) / 2;
    const load: OpenLoad = { ...patches, ms: ROUND_MS, perSecond: perSecondHalf };
    const [alone, busy]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await waited(directory, load));
      let isOver = false;
      const running = (async () => {
        for (let n = 0; !isOver; n += 1) await backedUp(dataDir, join(directory, `beside-${round}-${n}`));
      })();
      busy.push(await waited(directory, load));
      isOver = true;
      await running;
    }
    const what = `p99 of PATCH at ${Math.round(perSecondHalf)}/s, beside full backups, against alone`;
    return rowOf(what, median(busy), median(alone), { atMost: 2 }, 'ms');
  } finally {
    await end(server);
  }
}

async function waited(directory: string, load: OpenLoad): Promise<number> {
  const file = join(directory, 'open-load.json');
  await writeFile(file, JSON.stringify(load));
  const line = await lineOf(onLoadCore(['--import', 'tsx', openLoad, file]), /^Waited (.*)$/);
  const { p99Ms, refused } = WaitedLine.parse(JSON.parse(line));
  if (refused > 0) throw new Error(`${refused} calls were not answered with 2xx`);
  return p99Ms;
}
