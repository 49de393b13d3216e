// Calls over HTTP against an empty Koa echo of the same body: PATCH of a session, GET of a payment, complete payments.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import type { Call, Load, Loaded } from './support/load.ts';
import { end, LOAD_CORE, lineOf, pinned, SERVER_CORE } from './support/pinned.ts';

const CONNECTIONS = 64;
const ROUND_MS = 4_000;
const ROUNDS = 3;
/** Sessions that one connection changes in turn, and how many different changes it makes before it starts over. */
const SESSIONS = 4;
const CHANGES = 400;
/** A load that takes more of its core than this may be what limits the figure. */
const BUSY_LIMIT = 0.95;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const main = here('../dist/cli/main.js');
const fromSource = ['--import', 'tsx'];
const LoadedLine = z.object({ perSecond: z.number(), refused: z.number(), busy: z.number() });

export const bench: Bench = async () => {
  const directory = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'counterfoil-bench-'));
  const echo = pinned(SERVER_CORE, [...fromSource, here('support/echo-server.ts')]);
  const echoUrl = await lineOf(echo, /^Listening on (\S+)/);
  const server = pinned(SERVER_CORE, [main, 'serve', '--json', '--port', '0', '--data-dir', join(directory, 'data')], {
    COUNTERFOIL_RATE_LIMIT: '0',
    COUNTERFOIL_LOG_LEVEL: 'error',
  });
  try {
    const { url, key } = z.object({ url: z.string(), key: z.string() }).parse(JSON.parse(await lineOf(server, /^(\{.*\})$/)));
    const loads = await prepare(url, key, echoUrl);
    const echoed: number[] = [];
    const figures: { patched: number[]; read: number[]; paid: number[] } = { patched: [], read: [], paid: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      echoed.push(await measured(directory, loads.echo));
      figures.patched.push(await measured(directory, loads.patch));
      figures.read.push(await measured(directory, loads.read));
      figures.paid.push(await paymentsPerSecond(url, key));
    }
    const against = median(echoed);
    return [
      rowOf('durable PATCH /client-session, 64 connections, against the echo', median(figures.patched), against, 0.5, '1/s'),
      rowOf('GET /payments/{id} against the same echo', median(figures.read), against, 0.7, '1/s'),
      rowOf('complete payments (4 calls) against the same echo', median(figures.paid), against, 0.04, '1/s'),
    ];
  } finally {
    await Promise.all([end(server), end(echo)]);
    await rm(directory, { recursive: true });
  }
};

const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

async function prepare(url: string, key: string, echoUrl: string): Promise<{ patch: Load; echo: Load; read: Load }> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const patches: Call[][] = [];
  for (let connection = 0; connection < CONNECTIONS; connection += 1) {
    const tokens = await Promise.all(Array.from({ length: SESSIONS }, () => newSession(url, headers)));
    patches.push(Array.from({ length: CHANGES }, (_, change) => patchCall(headers, tokens[change % SESSIONS] ?? '', connection, change)));
  }
  const payment = await newPayment(url, headers);
  const read: Call = { method: 'GET', path: `/payments/${payment}`, headers: { 'X-Api-Key': key } };
  return {
    patch: { url, ms: ROUND_MS, connections: patches },
    echo: { url: echoUrl, ms: ROUND_MS, connections: patches.map((calls) => calls.map((call) => ({ ...call, path: '/echo' }))) },
    read: { url, ms: ROUND_MS, connections: patches.map(() => [read]) },
  };
}

const patchCall = (headers: Call['headers'], clientToken: string, connection: number, change: number): Call => ({
  method: 'PATCH',
  path: '/client-session',
  headers,
  body: JSON.stringify({ clientToken, orderId: `order-${connection}-${change}`, metadata: { basket: change, source: 'bench' } }),
});

async function post(url: string, headers: Call['headers'], body: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const newSession = async (url: string, headers: Call['headers']): Promise<string> => {
  const fields = {
    orderId: 'order',
    currencyCode: 'EUR',
    customerId: 'c-1',
    customer: { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.org' },
    order: { countryCode: 'FR', lineItems: [{ itemId: 'shirt', name: 'A shirt', amount: 2_500, quantity: 2 }] },
  };
  return z.object({ clientToken: z.string() }).parse(await post(`${url}/client-session`, headers, fields)).clientToken;
};

async function newPayment(url: string, headers: Call['headers']): Promise<string> {
  const clientToken = await newSession(url, headers);
  const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
  const checkout = { 'X-Client-Token': clientToken, 'Content-Type': 'application/json' };
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/checkout/payment-instruments`, checkout, { card }));
  return z.object({ id: z.string() }).parse(await post(`${url}/payments`, headers, { clientToken, paymentMethodToken: token })).id;
}

async function measured(directory: string, load: Load): Promise<number> {
  const file = join(directory, 'load.json');
  await writeFile(file, JSON.stringify(load));
  return answered(await lineOf(pinned(LOAD_CORE, [...fromSource, here('support/load.ts'), file]), /^Loaded (.*)$/));
}

const paymentsPerSecond = async (url: string, key: string): Promise<number> =>
  answered(await lineOf(pinned(LOAD_CORE, [...fromSource, here('support/payments-load.ts'), url, key, String(ROUND_MS)]), /^Loaded (.*)$/));

function answered(line: string): number {
  const { perSecond, refused, busy }: Loaded = LoadedLine.parse(JSON.parse(line));
  if (refused > 0) throw new Error(`${refused} calls were not answered with 2xx`);
  if (busy > BUSY_LIMIT) process.stderr.write(`  the load took ${busy.toFixed(2)} of its core: the server may be faster than this\n`);
  process.stderr.write(`  ${Math.round(perSecond)}/s, load ${busy.toFixed(2)} busy\n`);
  return perSecond;
}
