// The load of PATCHes on sessions that benchmarks share; also runs a load and reads its figure.
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Call, Load, Loaded } from './load.ts';
import { lineOf } from './pinned.ts';

/** The sessions that one connection changes in turn, unless the caller wants others. */
const SESSIONS = 4;
/** Different changes before a connection starts over: of each connection, and of all together. */
const CHANGES = 400;
const ALL_CHANGES = 25_600;
/** A load above this share of its core may itself limit the figure. */
const BUSY_LIMIT = 0.95;

const LoadedLine = z.object({ perSecond: z.number(), refused: z.number(), busy: z.number() });

export interface Sessions {
  /** For each connection, at most 200. */
  readonly sessions?: number;
  /** Line items of each session. */
  readonly lines?: number;
  /** Whether each change has personal data, too. */
  readonly personal?: boolean;
}

/** Makes sessions. Answers the changes for each connection to send. */
export async function sessionPatches(
  url: string,
  key: string,
  connections: number,
  { sessions = SESSIONS, lines = 1, personal = false }: Sessions = {},
): Promise<Omit<Load, 'ms'>> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const changes = Math.min(CHANGES, Math.ceil(ALL_CHANGES / connections));
  const patches: Call[][] = [];
  for (let connection = 0; connection < connections; connection += 1) {
    const tokens = await Promise.all(Array.from({ length: sessions }, () => newSession(url, headers, lines)));
    patches.push(
      Array.from({ length: changes }, (_, change) =>
        patchCall(headers, tokens[change % sessions] ?? '', connection, change, personal),
      ),
    );
  }
  return { url, connections: patches };
}

const patchCall = (
  headers: Call['headers'],
  clientToken: string,
  connection: number,
  change: number,
  personal: boolean,
): Call => ({
  method: 'PATCH',
  path: '/client-session',
  headers,
  body: JSON.stringify({
    clientToken,
    orderId: `order-${connection}-${change}`,
    metadata: { basket: change, source: 'bench' },
    ...(personal && { customer: { firstName: 'Ada', emailAddress: `ada-${connection}-${change}@example.org` } }),
  }),
});

export async function post(url: string, headers: Call['headers'], body: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The session of a usual checkout. */
export const sessionFields = (orderId: string, lines = 1) => ({
  orderId,
  currencyCode: 'EUR',
  customerId: 'c-1',
  customer: { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.org' },
  order: {
    countryCode: 'FR',
    lineItems: Array.from({ length: lines }, () => ({ itemId: 'shirt', name: 'A shirt', amount: 2_500, quantity: 2 })),
  },
});

/** Answers the client token. */
export const newSession = async (url: string, headers: Call['headers'], lines = 1): Promise<string> => {
  const made = await post(`${url}/client-session`, headers, sessionFields('order', lines));
  return z.object({ clientToken: z.string() }).parse(made).clientToken;
};

/**
 * Runs a load in a process that `run` starts. Answers the calls a second. `onWarm`: when the calls that do not count
 * are over.
 */
export async function measured(
  directory: string,
  load: Load,
  run: (args: readonly string[]) => ChildProcess,
  onWarm?: () => Promise<void>,
): Promise<number> {
  const file = join(directory, 'load.json');
  await writeFile(file, JSON.stringify(load));
  const script = fileURLToPath(new URL('load.ts', import.meta.url));
  const child = run(['--import', 'tsx', script, file]);
  if (load.warmMs !== undefined) {
    await lineOf(child, /^(Warm)$/);
    await onWarm?.();
  }
  return answered(await lineOf(child, /^Loaded (.*)$/));
}

/** The calls a second that a load printed. Throws when a call was not answered with 2xx. */
export function answered(line: string): number {
  const { perSecond, refused, busy }: Loaded = LoadedLine.parse(JSON.parse(line));
  if (refused > 0) throw new Error(`${refused} calls were not answered with 2xx`);
  if (busy > BUSY_LIMIT)
    process.stderr.write(`  the load took ${busy.toFixed(2)} of its core: the server may be faster than this\n`);
  process.stderr.write(`  ${Math.round(perSecond)}/s, load ${busy.toFixed(2)} busy\n`);
  return perSecond;
}

/** The median; for an even number of figures the mean of the middle two, NaN for none. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (place: number): number => sorted[place] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
}
