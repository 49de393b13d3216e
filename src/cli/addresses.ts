// The addresses of services: each leaves its own in the data directory, where commands find it; and the links to the
// dashboard and to the paths of processors.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config, Flags } from '../config.ts';
import { liveWorld, within } from '../world.ts';
import { leaveToOwner } from './files.ts';

const RunningAddress = z.object({
  /** The address that the service listens on. */
  url: z.string(),
  /** The URL under which others reach it. */
  publicUrl: z.string(),
  host: z.string(),
  pid: z.int().min(1),
});
type RunningAddress = z.infer<typeof RunningAddress>;

const folderIn = (dataDir: string): string => join(dataDir, 'running');

interface Leaving {
  readonly dataDir: string;
  /** The process whose end is the end of the service. */
  readonly pid: number;
  readonly warn: (message: string) => void;
}

/**
 * Writes the address of a service that listens into its data directory, and resolves with a function that removes it.
 * Does nothing if there is no data directory. A start never fails by it.
 */
export async function leaveAddress(
  { url, publicUrl }: Pick<RunningAddress, 'url' | 'publicUrl'>,
  { dataDir, pid, warn }: Leaving,
): Promise<() => Promise<void>> {
  const folder = folderIn(dataDir);
  // A machine gives a port to one service, so that services on one directory have files of their own.
  const file = join(folder, `${new URL(url).port || '80'}.json`);
  const own: RunningAddress = { url, publicUrl, host: hostname(), pid };
  const text = `${JSON.stringify(own)}\n`;
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(folder).then(() => leaveToOwner(folder), unlessThere);
    await removeEnded(folder);
    await writeFile(draft, text);
    await leaveToOwner(draft);
    await rename(draft, file);
  } catch (fault) {
    if (codeOf(fault) !== 'ENOENT') warn(`The address could not be left in ${folder}: ${String(fault)}`);
    return async () => undefined;
  }
  return async () => {
    const now = await readFile(file, 'utf8').catch(() => '');
    if (now === text) await rm(file, { force: true }).catch((fault: unknown) => warn(String(fault)));
  };
}

/** Removes the files of services of this machine that were killed. */
async function removeEnded(folder: string): Promise<void> {
  for (const { file, address } of await addressesIn(folder))
    if (address.host === hostname() && !isRunning(address.pid)) await rm(file, { force: true });
}

/**
 * The services on this data directory that respond on this machine, the latest start first. Addresses of services that
 * were killed, and of other machines, are left out.
 */
export async function runningServices(dataDir: string): Promise<readonly RunningAddress[]> {
  const left = await addressesIn(folderIn(dataDir));
  const responding = await Promise.all(
    left.map(
      async ({ address: { host, pid, url } }) => host === hostname() && isRunning(pid) && (await isCounterfoil(url)),
    ),
  );
  return left.filter((_, place) => responding[place]).map(({ address }) => address);
}

/**
 * The settings of a command that calls a service or prints a link to it: without a public URL, and without --host and
 * --port, those of the service that was started last on the data directory and responds.
 */
export async function knowingService(config: Config, flags: Pick<Flags, 'host' | 'port'>): Promise<Config> {
  if (config.publicUrl !== undefined || flags.host !== undefined || flags.port !== undefined) return config;
  const [last] = await runningServices(config.dataDir);
  return last === undefined ? config : { ...config, publicUrl: last.publicUrl };
}

const RESPONDS_WITHIN_MS = 2_000;
const Health = z.object({ status: z.literal('live') });

/** True if a Counterfoil responds at this URL within 2 s. */
export async function isCounterfoil(url: string): Promise<boolean> {
  try {
    const answer = await within(liveWorld, RESPONDS_WITHIN_MS, async (signal): Promise<unknown> => {
      const response = await liveWorld.fetch(`${url}/health/live`, { signal });
      return response.json();
    });
    return Health.safeParse(answer).success;
  } catch {
    return false; // no service is there, or a service of another kind
  }
}

interface LeftAddress {
  readonly file: string;
  readonly leftAt: number;
  readonly address: RunningAddress;
}

/** What services have left, the newest first; empty if there is no folder. */
async function addressesIn(folder: string): Promise<readonly LeftAddress[]> {
  const names = await readdir(folder).catch(() => []);
  const read = names.filter((name) => name.endsWith('.json')).map((name) => readAddress(join(folder, name)));
  return (await Promise.all(read)).flat().sort((one, other) => other.leftAt - one.leftAt);
}

/** Empty for a file that was removed meanwhile, or that is not an address. */
async function readAddress(file: string): Promise<readonly LeftAddress[]> {
  try {
    const { mtimeMs: leftAt } = await stat(file);
    return [{ file, leftAt, address: RunningAddress.parse(JSON.parse(await readFile(file, 'utf8'))) }];
  } catch {
    return [];
  }
}

/** True if this machine runs a process with this id. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return codeOf(fault) === 'EPERM'; // the process of another user
  }
}

const codeOf = (fault: unknown): unknown => (fault instanceof Error && 'code' in fault ? fault.code : undefined);

function unlessThere(fault: unknown): void {
  if (codeOf(fault) !== 'EEXIST') throw fault;
}

/**
 * Without a slash at its end. `listening`: where this process listens, where the settings do not say how others reach
 * it.
 */
export function urlOfDashboard(
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  listening?: string,
): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `${publicUrl ?? listening ?? `http://${named}:${port}`}/dashboard`;
}

export const welcomeLink = (dashboard: string, token: string): string => `${dashboard}/#/welcome/${token}`;

type PublicAddress = Pick<Config, 'host' | 'port' | 'publicUrl'>;

export const webhookUrlOf = (config: PublicAddress, processor: string, token: string): string =>
  `${publicUrlOf(config)}/webhooks/${processor}/${token}`;

/** Without a slash at its end. */
export function publicUrlOf({ host, port, publicUrl }: PublicAddress): string {
  return publicUrl ?? `http://${host}:${port}`;
}
