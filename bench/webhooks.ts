// Webhooks: deliveries to a local receiver against an empty Koa echo; payments with an endpoint and without; a million
// waiting messages; a hundred endpoints.
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, type Row, rowOf } from './row.ts';
import { cpuMs, type Made, madeIn, passHour, served } from './support/data-directory.ts';
import { endpointCosts } from './support/endpoint-costs.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { writePayments } from './support/payment-histories.ts';
import { paymentsPerSecond } from './support/payments.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, SERVER_CORE } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';
import { writeWaiting } from './support/waiting-messages.ts';

const ROUNDS = 3;
const ROUND_MS = 4_000;
/** Deliveries of a round; a third of them warm the service. */
const DELIVERIES = Number(process.env['BENCH_DELIVERIES'] ?? 30_000);
/** How long V8 compiles while payments come, ms: the echo is past that after a second. */
const WARM_MS = 30_000;
/** Lives of a service whose payments are counted, and rounds of each. */
const LIVES = 3;
const ROUNDS_A_LIFE = 2;
/** Messages that wait for receivers that are down: two for each payment and endpoint. */
const WAITING = Number(process.env['BENCH_WAITING'] ?? 1_000_000);
const ENDPOINTS = 20;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const fromSource = ['--import', 'tsx'];
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

export const bench: Bench = async () => {
  const directory = await temporary();
  const receiver = pinned(LOAD_CORE, [...fromSource, here('support/receiver-server.ts')]);
  const receiverUrl = await lineOf(receiver, /^Listening on (\S+)/);
  try {
    const all = [
      () => deliveries(directory, receiverUrl),
      () => paymentsWithEndpoint(directory, receiverUrl),
      () => waiting(directory),
      () => endpointCosts(directory, receiverUrl, () => receivedBy(receiverUrl)),
    ];
    const wanted = (process.env['BENCH_WEBHOOKS'] ?? '0,1,2,3').split(',').map(Number);
    const rows: Row[] = [];
    for (const index of wanted) rows.push(...((await all[index]?.()) ?? []));
    return rows;
  } finally {
    await end(receiver);
    await rm(directory, { recursive: true });
  }
};

const receivedBy = async (url: string): Promise<number> => Number(await (await fetch(url)).text());

async function deliveries(directory: string, receiverUrl: string): Promise<readonly Row[]> {
  const plain = await madeIn(directory, 'plain');
  const echo = pinned(SERVER_CORE, [...AS_STARTED, ...fromSource, here('support/echo-server.ts')]);
  const echoUrl = await lineOf(echo, /^Listening on (\S+)/);
  const { child, url } = await served(plain.dataDir);
  const patches = await sessionPatches(url, plain.key, 64);
  await end(child);
  const connections = patches.connections.map((calls) => calls.map((call) => ({ ...call, path: '/echo' })));
  const load = { ...patches, ms: ROUND_MS, url: echoUrl, connections };
  const echoed: number[] = [];
  const delivered: number[] = [];
  await measured(directory, load, onLoadCore); // warm
  for (let round = 0; round < ROUNDS; round += 1) {
    echoed.push(await measured(directory, load, onLoadCore));
    const made = await madeIn(directory, `deliveries-${round}`, async (events, accountId) => {
      const paymentIds = await writePayments(events, DELIVERIES, accountId);
      await writeWaiting(events, { accountId, urls: [receiverUrl], paymentIds, sequences: [2], dueInMs: 3_600_000 });
    });
    await end((await served(made.dataDir)).child); // builds the read models, before anything is due
    await passHour(made);
    delivered.push(await deliveriesPerSecond(made, receiverUrl));
  }
  await end(echo);
  return [rowOf('deliveries to a local receiver against the echo', median(delivered), median(echoed), 0.25, '1/s')];
}

async function deliveriesPerSecond({ dataDir }: Made, receiverUrl: string): Promise<number> {
  const before = await receivedBy(receiverUrl);
  const child = (await served(dataDir)).child;
  const reached = async (
    count: number,
  ): Promise<{ readonly at: number; readonly cpu: number; readonly count: number }> => {
    for (;;) {
      const received = (await receivedBy(receiverUrl)) - before;
      if (received >= count) return { at: performance.now(), cpu: await cpuMs(child), count: received };
      await pause(20);
    }
  };
  const from = await reached(DELIVERIES / 3);
  const to = await reached(DELIVERIES);
  await end(child);
  const done = to.count - from.count;
  const perSecond = (done * 1_000) / (to.at - from.at);
  process.stderr.write(
    `  ${Math.round(perSecond)} deliveries/s, ${(((to.cpu - from.cpu) * 1_000) / done).toFixed(0)} µs of CPU each\n`,
  );
  return perSecond;
}

async function paymentsWithEndpoint(directory: string, receiverUrl: string): Promise<readonly Row[]> {
  const none = await madeIn(directory, 'none');
  const one = await madeIn(directory, 'one', (events, accountId) =>
    writeWaiting(events, { accountId, urls: [receiverUrl], paymentIds: [], sequences: [] }),
  );
  const [paidWith, paidWithout] = await compared(one, none);
  return [rowOf('complete payments with one endpoint against none', paidWith, paidWithout, 0.8, '1/s')];
}

async function waiting(directory: string): Promise<readonly Row[]> {
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => `http://127.0.0.1:9/${index}`); // nobody listens there
  // The endpoints are equal: new messages are queued for them as well, so only the waiting ones make the difference.
  const none = await madeIn(directory, 'nothing-waits', (events, accountId) =>
    writeWaiting(events, { accountId, urls, paymentIds: [], sequences: [] }),
  );
  const many = await madeIn(directory, 'many-wait', async (events, accountId) => {
    const paymentIds = await writePayments(events, WAITING / 2 / ENDPOINTS, accountId);
    await writeWaiting(events, { accountId, urls, paymentIds, sequences: [2, 4] });
  });
  process.stderr.write(`  ${WAITING.toLocaleString('en')} messages written\n`);
  await end((await served(many.dataDir)).child); // builds the read models
  const starts: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, { dataDir }] of [many, none].entries()) {
      const { child, readyMs } = await served(dataDir);
      starts[index]?.push(readyMs);
      await end(child);
    }
  const [paidMany, paidNone] = await compared(many, none);
  const count = WAITING.toLocaleString('en');
  return [
    rowOf(
      `start with ${count} waiting messages against none`,
      median(starts[0]),
      median(starts[1]),
      { atMost: 1.25 },
      'ms',
    ),
    rowOf(`complete payments beside ${count} waiting messages against none`, paidMany, paidNone, 0.9, '1/s'),
  ];
}

/** Payments a second on each directory, in turn: neither gets the quieter minutes. Only one service runs at a time. */
async function compared(first: Made, second: Made): Promise<readonly [number, number]> {
  const paid: [number[], number[]] = [[], []];
  for (let life = 0; life < LIVES; life += 1)
    for (const [index, made] of [first, second].entries()) {
      const service = await served(made.dataDir);
      const shop = { url: service.url, key: made.key };
      await paymentsPerSecond(shop, WARM_MS, onLoadCore);
      for (let round = 0; round < ROUNDS_A_LIFE; round += 1) {
        const before = await cpuMs(service.child);
        const perSecond = await paymentsPerSecond(shop, ROUND_MS, onLoadCore);
        const used = (await cpuMs(service.child)) - before;
        process.stderr.write(`  ${((used * 1_000_000) / (perSecond * ROUND_MS)).toFixed(0)} µs of CPU a payment\n`);
        paid[index]?.push(perSecond);
      }
      await end(service.child);
    }
  return [median(paid[0]), median(paid[1])];
}
