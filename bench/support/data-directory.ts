// Data directories of benchmarks: made by a first start, filled beside it, and served from a core of its own.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../../src/world.ts';
import { AS_STARTED, end, lineOf, pinned, SERVER_CORE, unpinned } from './pinned.ts';

/** The service that is measured: this checkout's, or another one's `dist/cli/main.js` to hold against it. */
export const main = process.env['BENCH_MAIN'] ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** The environment of a server that neither limits nor logs its calls. */
export const quiet = { COUNTERFOIL_RATE_LIMIT: '0', COUNTERFOIL_LOG_LEVEL: 'error' };
const First = z.object({ url: z.string(), accountId: z.string(), key: z.string() });

/** The line that `serve --json` prints at its first start. */
export const firstOf = async (child: ChildProcess): Promise<z.output<typeof First>> =>
  First.parse(JSON.parse(await lineOf(child, /^(\{.*\})$/)));

export interface Made {
  readonly dataDir: string;
  readonly accountId: string;
  readonly key: string;
}

/** A new store, in which `fill` writes what it wants. */
export async function madeIn(
  directory: string,
  name: string,
  fill?: (events: EventStore, accountId: string) => Promise<void>,
): Promise<Made> {
  const dataDir = join(directory, name);
  const first = pinned(SERVER_CORE, [main, 'serve', '--json', '--port', '0', '--data-dir', dataDir], quiet);
  const { accountId, key } = await firstOf(first);
  await end(first);
  if (fill === undefined) return { dataDir, accountId, key };
  const events = await openSqliteEventStore({
    file: join(dataDir, 'events.db'),
    world: liveWorld,
    report: console.error,
  });
  await fill(events, accountId);
  await events.close();
  return { dataDir, accountId, key };
}

/** Moves the business clock of a store that nobody serves. */
export async function passHour({ dataDir }: Pick<Made, 'dataDir'>): Promise<void> {
  await once(unpinned([main, 'sandbox', 'clock', 'advance', '60m', '--data-dir', dataDir], quiet), 'exit');
}

export interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly readyMs: number;
}

/** Resolves when it is ready. `args`: Node's own. */
export async function served(dataDir: string, args: readonly string[] = AS_STARTED): Promise<Served> {
  const startedAt = performance.now();
  const child = pinned(SERVER_CORE, [...args, main, 'serve', '--port', '0', '--data-dir', dataDir], quiet);
  const url = await lineOf(child, /^Listening on (\S+)/);
  while (!(await fetch(`${url}/health/ready`)).ok) await pause(20);
  return { child, url, readyMs: performance.now() - startedAt };
}

interface ProcessTimes {
  readonly parent: number;
  readonly cpuMs: number;
}

/** Undefined for a process that has ended. */
async function timesOf(pid: number | undefined): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  // ticks of a hundredth of a second
  return { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 };
}

/** CPU time of a process so far, all its threads, ms. */
export const cpuMs = async ({ pid }: ChildProcess): Promise<number> => (await timesOf(pid))?.cpuMs ?? Number.NaN;

/** The CPU time including the processes that it has started and that still run. */
export async function cpuMsOfAll(child: ChildProcess): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const started = (await Promise.all(pids.map(timesOf))).filter((times) => times?.parent === child.pid);
  return started.reduce((sum, times) => sum + (times?.cpuMs ?? 0), await cpuMs(child));
}
