// Figures that must not grow with the log: PATCH on a long stream, a page of many payments, start, memory at rest,
// look-up of open attempts.
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../src/world.ts';
import { type Bench, type Row, rowOf } from './row.ts';
import { firstOf, type Made, madeIn, main, quiet, type Served, served } from './support/data-directory.ts';
import { median } from './support/patches.ts';
import { EVENTS_A_PAYMENT, OPEN_FOR_MS, writePayments } from './support/payment-histories.ts';
import { end, pinned, SERVER_CORE, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';

const MANY_PAYMENTS = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000);
const FEW_PAYMENTS = 1_000;
/** The number of authorizations that a crash left without an answer. */
const OPEN_ATTEMPTS = 200;
const LONG_STREAM = 10_000;
const SHORT_STREAM = 10;
const CALLS = 400;
/** The rest before the memory is measured, ms. */
const REST_MS = 5_000;

export const bench: Bench = async () => {
  const directory = await temporary();
  try {
    const few = await filled(directory, 'few', FEW_PAYMENTS);
    const many = await filled(directory, 'many', MANY_PAYMENTS, OPEN_ATTEMPTS);
    const start = await startAndRest(many.dataDir);
    return [...start, await pages(few, many), await resolver(many.dataDir), await longStream(join(directory, 'patch'))];
  } finally {
    await rm(directory, { recursive: true });
  }
};

/** A data directory with `payments` payments, and read models built from its log. */
async function filled(directory: string, name: string, payments: number, open = 0): Promise<Made> {
  const made = await madeIn(directory, name, async (events, accountId) => {
    await writePayments(events, payments, accountId, open);
  });
  process.stderr.write(`  ${payments.toLocaleString('en')} payments written\n`);
  for (const file of await readdir(made.dataDir))
    if (file.startsWith('read-models')) await rm(join(made.dataDir, file));
  await end((await serving(made.dataDir)).child);
  return made;
}

/** With Node's own sizes of the heap: the memory at rest is measured. */
const serving = (dataDir: string): Promise<Served> => served(dataDir, []);

async function startAndRest(dataDir: string): Promise<readonly Row[]> {
  const { child, readyMs } = await serving(dataDir);
  await pause(REST_MS);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const mebibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
  await end(child);
  const events = (MANY_PAYMENTS * EVENTS_A_PAYMENT).toLocaleString('en');
  return [
    rowOf(`start with ${events} events and current checkpoints`, readyMs, 2_000, { atMost: 1 }, 'ms'),
    rowOf(`memory at rest after it`, mebibytes, 200, { atMost: 1 }, 'MiB'),
  ];
}

/** The time from the start of a process, when all open attempts are due, until the last look-up is recorded. */
async function resolver(dataDir: string): Promise<Row> {
  const advance = unpinned(
    [main, 'sandbox', 'clock', 'advance', `${(2 * OPEN_FOR_MS) / 60_000}m`, '--data-dir', dataDir],
    quiet,
  );
  await once(advance, 'exit');
  const events = await openSqliteEventStore({
    file: join(dataDir, 'events.db'),
    world: liveWorld,
    report: console.error,
  });
  const head = await events.head();
  const startedAt = performance.now();
  const child = pinned(SERVER_CORE, [main, 'serve', '--port', '0', '--data-dir', dataDir], quiet);
  const seen = new Set<string>();
  const enough = new AbortController();
  for await (const batch of events.follow(head, ['payment'], enough.signal)) {
    for (const { stream } of batch.events) seen.add(stream);
    if (seen.size === OPEN_ATTEMPTS) enough.abort();
  }
  const ms = performance.now() - startedAt;
  await end(child);
  await events.close();
  const payments = MANY_PAYMENTS.toLocaleString('en');
  return rowOf(
    `start until ${OPEN_ATTEMPTS} open attempts among ${payments} payments are looked up`,
    ms,
    2_000,
    { atMost: 1 },
    'ms',
  );
}

/** The medians of single calls, in turn on both, so that neither gets the quieter minutes. */
async function compared(first: () => Promise<void>, second: () => Promise<void>): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS; call += 1) {
    for (const [index, work] of [first, second].entries()) {
      const startedAt = performance.now();
      await work();
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return [median(times[0]), median(times[1])];
}

async function call(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function pages(few: Made, many: Made): Promise<Row> {
  const [withFew, withMany] = [await serving(few.dataDir), await serving(many.dataDir)];
  const Page = z.object({ data: z.array(z.unknown()).length(20) });
  const page = async (url: string, key: string): Promise<void> =>
    void Page.parse(await call(`${url}/payments?limit=20`, { headers: { 'X-Api-Key': key } }));
  const [measured, against] = await compared(
    () => page(withMany.url, many.key),
    () => page(withFew.url, few.key),
  );
  await Promise.all([end(withFew.child), end(withMany.child)]);
  return rowOf(
    `GET /payments page at ${MANY_PAYMENTS} payments against ${FEW_PAYMENTS}`,
    measured,
    against,
    { atMost: 2 },
    'ms',
  );
}

async function longStream(dataDir: string): Promise<Row> {
  const child = pinned(SERVER_CORE, [main, 'serve', '--json', '--port', '0', '--data-dir', dataDir], quiet);
  const { url, key } = await firstOf(child);
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  let changes = 0;
  const patch = async (clientToken: string): Promise<void> => {
    changes += 1;
    await call(`${url}/client-session`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ clientToken, orderId: `o-${changes}` }),
    });
  };
  const streamOf = async (events: number): Promise<string> => {
    const made = await call(`${url}/client-session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ currencyCode: 'EUR', amount: 1 }),
    });
    const { clientToken } = z.object({ clientToken: z.string() }).parse(made);
    for (let done = 1; done < events; done += SHORT_STREAM) {
      await Promise.all(Array.from({ length: Math.min(SHORT_STREAM, events - done) }, () => patch(clientToken)));
    }
    return clientToken;
  };
  const [long, short] = [await streamOf(LONG_STREAM), await streamOf(SHORT_STREAM)];
  const [measured, against] = await compared(
    () => patch(long),
    () => patch(short),
  );
  await end(child);
  return rowOf(
    `PATCH on a stream of ${LONG_STREAM} events against one of ${SHORT_STREAM}`,
    measured,
    against,
    { atMost: 1.2 },
    'ms',
  );
}
