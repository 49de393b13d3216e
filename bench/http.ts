// Calls over HTTP (PATCH of a session, GET of a payment, complete payments) against an empty Koa server that echoes the
// same body.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bench, type Row, rowOf } from './row.ts';
import { firstOf, main, quiet } from './support/data-directory.ts';
import type { Call, Load } from './support/load.ts';
import { measured, sessionPatches } from './support/patches.ts';
import { newPayment, paymentsPerSecond } from './support/payments.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, SERVER_CORE } from './support/pinned.ts';
import { type Rounds, rounds } from './support/rounds.ts';
import { temporary } from './support/temporary.ts';

const CONNECTIONS = 64;
const ROUND_MS = 4_000;
const ROUNDS = 5;
/** V8 compiles for half a minute while payments come, which does not matter to a service that runs for days, ms. */
const WARM_PATCH_MS = 8_000;
const WARM_PAYMENTS_MS = 30_000;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const fromSource = ['--import', 'tsx'];
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

export const bench: Bench = async () => {
  const directory = await temporary();
  const echo = pinned(SERVER_CORE, [...AS_STARTED, ...fromSource, here('support/echo-server.ts')]);
  const echoUrl = await lineOf(echo, /^Listening on (\S+)/);
  const dataDir = join(directory, 'data');
  const server = pinned(
    SERVER_CORE,
    [...AS_STARTED, main, 'serve', '--json', '--port', '0', '--data-dir', dataDir],
    quiet,
  );
  try {
    const first = await firstOf(server);
    const { url, key } = first;
    const loads = await prepare(url, key, echoUrl);
    await measured(directory, { ...loads.patch, ms: WARM_PATCH_MS }, onLoadCore);
    await paymentsPerSecond(first, WARM_PAYMENTS_MS, onLoadCore);
    const echoed = rounds(echo, ROUND_MS);
    const patched = rounds(server, ROUND_MS);
    const read = rounds(server, ROUND_MS);
    const paid = rounds(server, ROUND_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      await echoed.one(() => measured(directory, loads.echo, onLoadCore));
      await patched.one(() => measured(directory, loads.patch, onLoadCore));
      await read.one(() => measured(directory, loads.read, onLoadCore));
      await paid.one(() => paymentsPerSecond(first, ROUND_MS, onLoadCore));
    }
    const against = echoed.perSecond();
    process.stderr.write(`  the echo: ${echoed.cpu()}\n`);
    const row = (what: string, of: Rounds, reach: number): Row =>
      rowOf(`${what} against the echo (${of.cpu()})`, of.perSecond(), against, reach, '1/s');
    return [
      row('durable PATCH /client-session, 64 connections,', patched, 0.45),
      row('GET /payments/{id}', read, 0.7),
      row('complete payments (4 calls)', paid, 0.06),
    ];
  } finally {
    await Promise.all([end(server), end(echo)]);
    await rm(directory, { recursive: true });
  }
};

async function prepare(url: string, key: string, echoUrl: string): Promise<{ patch: Load; echo: Load; read: Load }> {
  const patch = { ...(await sessionPatches(url, key, CONNECTIONS)), ms: ROUND_MS };
  const payment = await newPayment(url, key);
  const read: Call = { method: 'GET', path: `/payments/${payment}`, headers: { 'X-Api-Key': key } };
  return {
    patch,
    echo: {
      ...patch,
      url: echoUrl,
      connections: patch.connections.map((calls) => calls.map((call) => ({ ...call, path: '/echo' }))),
    },
    read: { ...patch, connections: patch.connections.map(() => [read]) },
  };
}
