// Calls over HTTP (PATCH of a session, GET of a payment, complete payments) against an empty Koa server that echoes the same body.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Bench, rowOf } from './row.ts';
import type { Call, Load } from './support/load.ts';
import { answered, measured, median, newSession, post, sessionPatches } from './support/patches.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, SERVER_CORE } from './support/pinned.ts';

const CONNECTIONS = 64;
const ROUND_MS = 4_000;
const ROUNDS = 3;
const WARM_ROUNDS = 2;

/** Complete payments for each answer of the echo, as measured before outcomes were graded by evidence: 663/s against 27,156/s. */
const PAID_BEFORE = 663 / 27_156;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const main = here('../dist/cli/main.js');
const fromSource = ['--import', 'tsx'];
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

export const bench: Bench = async () => {
  const directory = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'counterfoil-bench-'));
  const echo = pinned(SERVER_CORE, [...AS_STARTED, ...fromSource, here('support/echo-server.ts')]);
  const echoUrl = await lineOf(echo, /^Listening on (\S+)/);
  const server = pinned(SERVER_CORE, [...AS_STARTED, main, 'serve', '--json', '--port', '0', '--data-dir', join(directory, 'data')], {
    COUNTERFOIL_RATE_LIMIT: '0',
    COUNTERFOIL_LOG_LEVEL: 'error',
  });
  try {
    const { url, key } = z.object({ url: z.string(), key: z.string() }).parse(JSON.parse(await lineOf(server, /^(\{.*\})$/)));
    const loads = await prepare(url, key, echoUrl);
    const echoed: number[] = [];
    const figures: { patched: number[]; read: number[]; paid: number[] } = { patched: [], read: [], paid: [] };
    // A warm-up: V8 compiles for some ten seconds, which does not matter to a service that runs for days.
    for (let round = 0; round < WARM_ROUNDS; round += 1)
      for (const load of [loads.echo, loads.patch]) await measured(directory, load, onLoadCore);
    for (let round = 0; round < ROUNDS; round += 1) {
      echoed.push(await measured(directory, loads.echo, onLoadCore));
      figures.patched.push(await measured(directory, loads.patch, onLoadCore));
      figures.read.push(await measured(directory, loads.read, onLoadCore));
      figures.paid.push(await paymentsPerSecond(url, key));
    }
    const against = median(echoed);
    return [
      rowOf('durable PATCH /client-session, 64 connections, against the echo', median(figures.patched), against, 0.5, '1/s'),
      rowOf('GET /payments/{id} against the same echo', median(figures.read), against, 0.7, '1/s'),
      rowOf('complete payments (4 calls) against the same echo', median(figures.paid), against, 0.04, '1/s'),
      rowOf(
        'complete payments against what they were before outcomes were graded',
        median(figures.paid),
        against * PAID_BEFORE,
        0.9,
        '1/s',
      ),
    ];
  } finally {
    await Promise.all([end(server), end(echo)]);
    await rm(directory, { recursive: true });
  }
};

async function prepare(url: string, key: string, echoUrl: string): Promise<{ patch: Load; echo: Load; read: Load }> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const patch = { ...(await sessionPatches(url, key, CONNECTIONS)), ms: ROUND_MS };
  const payment = await newPayment(url, headers);
  const read: Call = { method: 'GET', path: `/payments/${payment}`, headers: { 'X-Api-Key': key } };
  return {
    patch,
    echo: { ...patch, url: echoUrl, connections: patch.connections.map((calls) => calls.map((call) => ({ ...call, path: '/echo' }))) },
    read: { ...patch, connections: patch.connections.map(() => [read]) },
  };
}

async function newPayment(url: string, headers: Call['headers']): Promise<string> {
  const clientToken = await newSession(url, headers);
  const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
  const checkout = { 'X-Client-Token': clientToken, 'Content-Type': 'application/json' };
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/checkout/payment-instruments`, checkout, { card }));
  return z.object({ id: z.string() }).parse(await post(`${url}/payments`, headers, { clientToken, paymentMethodToken: token })).id;
}

const paymentsPerSecond = async (url: string, key: string): Promise<number> =>
  answered(await lineOf(pinned(LOAD_CORE, [...fromSource, here('support/payments-load.ts'), url, key, String(ROUND_MS)]), /^Loaded (.*)$/));
