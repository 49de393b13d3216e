// The cost of each further webhook endpoint of an account: CPU time of a payment, and the heap after all deliveries.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Row, rowOf } from '../row.ts';
import { cpuMs, madeIn, served } from './data-directory.ts';
import { post } from './patches.ts';
import { newPayment } from './payments.ts';
import { AS_STARTED, end, lineOf } from './pinned.ts';
import { writeWaiting } from './waiting-messages.ts';

const ENDPOINTS = 100;
/** Two messages each, of the authorization and of the capture: 10,000 for all endpoints. */
const PAYMENTS = 50;
const MESSAGES = 2;
/** Payments before anything is measured: V8 compiles. */
const WARM = 40;
/** CPU time that each further endpoint may add to a payment. */
const MOST_MS = 2;

interface Cost {
  readonly cpuMs: number;
  /** Bytes after a collection: before the payments, and after their messages. */
  readonly heap: readonly [before: number, after: number];
}

export async function endpointCosts(
  directory: string,
  receiverUrl: string,
  received: () => Promise<number>,
): Promise<readonly Row[]> {
  const one = await costOf(directory, receiverUrl, received, 1);
  const many = await costOf(directory, receiverUrl, received, ENDPOINTS);
  const each = (many.cpuMs - one.cpuMs) / (ENDPOINTS - 1);
  const [before, after] = many.heap.map((bytes) => bytes / 1_000_000);
  const messages = (PAYMENTS * MESSAGES * ENDPOINTS).toLocaleString('en');
  return [
    rowOf('CPU time of a payment for each further endpoint against its bound', each, MOST_MS, { atMost: 1 }, 'ms'),
    rowOf(
      `heap after ${messages} messages are delivered against before`,
      after ?? 0,
      before ?? 0,
      { atMost: 1.4 },
      'MB',
    ),
  ];
}

async function costOf(
  directory: string,
  receiverUrl: string,
  received: () => Promise<number>,
  endpoints: number,
): Promise<Cost> {
  const made = await madeIn(directory, `endpoints-${endpoints}`, (events, accountId) =>
    writeWaiting(events, {
      accountId,
      urls: Array.from({ length: endpoints }, () => receiverUrl),
      paymentIds: [],
      sequences: [],
    }),
  );
  const hook = fileURLToPath(new URL('heap.mjs', import.meta.url));
  const { child, url } = await served(made.dataDir, [...AS_STARTED, '--expose-gc', '--import', hook]);
  const headers = { 'X-Api-Key': made.key, 'Content-Type': 'application/json' };
  /**
   * One after the other, each with all its messages: what payments that come together share makes each of them cheaper.
   */
  const pay = async (payments: number): Promise<void> => {
    for (let at = 0; at < payments; at += 1) {
      const wanted = (await received()) + MESSAGES * endpoints;
      await post(`${url}/payments/${await newPayment(url, made.key)}/capture`, headers, {});
      while ((await received()) < wanted) await pause(20);
    }
  };
  const heapNow = async (): Promise<number> => {
    await pause(500); // the last attempts are put on record
    const printed = lineOf(child, /^Heap (\d+)$/);
    child.kill('SIGUSR2');
    return Number(await printed);
  };
  await pay(WARM);
  const before = await heapNow();
  const cpuBefore = await cpuMs(child);
  await pay(PAYMENTS);
  const cpu = ((await cpuMs(child)) - cpuBefore) / PAYMENTS;
  const after = await heapNow();
  await end(child);
  process.stderr.write(
    `  ${endpoints} endpoints: ${cpu.toFixed(0)} ms of CPU a payment, heap ${Math.round(before / 1e6)} to ${Math.round(after / 1e6)} MB\n`,
  );
  return { cpuMs: cpu, heap: [before, after] };
}
