// Verification of a whole log, chains and Merkle tree, against a bare scan of it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Row, rowOf } from './row.ts';
import { builtStores, builtWalks } from './support/built.ts';
import { median } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { temporary } from './support/temporary.ts';

/** A multiple of 2,500. 5,000,000 take some minutes to write. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 400_000);
const ROUNDS = 3;
const { openSqliteEventStore, liveWorld } = await builtStores();
const { walkLog, readLog } = await builtWalks();

export async function bench(): Promise<readonly Row[]> {
  const directory = await temporary();
  const report = (fault: unknown): void => console.error(fault);
  const events = await openSqliteEventStore({ world: liveWorld, report, file: join(directory, 'events.db') });
  const nowhere = new AbortController().signal;
  try {
    await writePayments(events, EVENTS / EVENTS_A_PAYMENT, 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b');
    const to = await events.head();
    const [scans, walks]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      scans.push(
        await perSecond(async () => {
          let count = 0;
          for await (const batch of readLog(events, { after: -1n, to, categories: [] }, nowhere))
            count += batch.events.length;
          return count;
        }),
      );
      walks.push(
        await perSecond(async () => {
          const { events: count, broken } = await walkLog(events, { to }, nowhere);
          if (broken > 0) throw new Error('the log of the benchmark is broken');
          return count;
        }),
      );
    }
    return [rowOf('audit verify, against a bare scan of the log', median(walks), median(scans), 0.3, 'events/s')];
  } finally {
    await events.close();
    await rm(directory, { recursive: true });
  }
}

async function perSecond(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const count = await work();
  return (count / (performance.now() - startedAt)) * 1_000;
}
