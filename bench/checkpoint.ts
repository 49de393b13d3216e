// A checkpoint over an hour's events by a service that answers PATCHes: how long it takes, and how long they wait.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { checkpointCategory } from '../src/domain/checkpoint.ts';
import { BusinessClock } from '../src/journal/business-clock.ts';
import { unsealEvent } from '../src/journal/envelope.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { liveWorld } from '../src/world.ts';
import { type Bench, rowOf } from './row.ts';
import { madeIn, main, quiet } from './support/data-directory.ts';
import type { OpenLoad } from './support/open-load.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { EVENTS_A_PAYMENT, writePayments } from './support/payment-histories.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, unpinned } from './support/pinned.ts';
import { temporary } from './support/temporary.ts';
import { waited } from './support/waits.ts';

/** New events of an hour, a multiple of 2,500; the log has twice as many before. */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 100_000);
const CONNECTIONS = 64;
const WARM_MS = 8_000;
const HIGHEST_MS = 4_000;
/** Short, so that the checkpoint is a good part of it. */
const ROUND_MS = 6_000;
const INTO_ROUND_MS = 1_500;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const HOUR_MS = 3_600_000;
const MOST_MS = 2_000;
const onLoadCore = (args: readonly string[]) => pinned(LOAD_CORE, args);

/** The server is not pinned, as in production. The load has a core. */
export const bench: Bench = async () => {
  const directory = await temporary();
  const { dataDir, key, accountId } = await madeIn(directory, 'data', async (events, owner) => {
    await writePayments(events, (EVENTS * 2) / EVENTS_A_PAYMENT, owner);
  });
  const server = unpinned([...AS_STARTED, main, 'serve', '--port', '0', '--data-dir', dataDir], quiet);
  const report = (fault: unknown): void => console.error(fault);
  const events = await openSqliteEventStore({ file: join(dataDir, 'events.db'), world: liveWorld, report });
  const clock = new BusinessClock(liveWorld);
  try {
    const url = await lineOf(server, /^Listening on (\S+)/);
    while (!(await fetch(`${url}/health/ready`)).ok) await pause(50);
    await clock.advance({ events }, HOUR_MS);
    const whole = await checkpointAt(events, 0);
    process.stderr.write(`  the first, over ${whole.events} events: ${whole.tookMs} ms\n`);
    const patches = await sessionPatches(url, key, CONNECTIONS);
    await measured(directory, { ...patches, ms: WARM_MS }, onLoadCore);
    const perSecond = (await measured(directory, { ...patches, ms: HIGHEST_MS }, onLoadCore)) / 2;
    const load: OpenLoad = { ...patches, ms: ROUND_MS, perSecond };
    const [alone, beside, took]: [number[], number[], number[]] = [[], [], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      await writePayments(events, EVENTS / EVENTS_A_PAYMENT, accountId);
      await followed(dataDir);
      alone.push((await waited(directory, load, 'alone', onLoadCore)).p99Ms);
      const loading = waited(directory, load, 'beside a checkpoint', onLoadCore);
      await pause(INTO_ROUND_MS);
      await clock.advance({ events }, HOUR_MS);
      beside.push((await loading).p99Ms);
      const { tookMs, events: covered } = await checkpointAt(events, round);
      process.stderr.write(`  over ${covered} new events: ${tookMs} ms\n`);
      took.push((tookMs * EVENTS) / covered);
    }
    const hour = `${EVENTS.toLocaleString('en')} new events`;
    return [
      rowOf(`a checkpoint over ${hour}, beside PATCHes, against 2 s`, median(took), MOST_MS, { atMost: 1 }, 'ms'),
      rowOf(
        `p99 of PATCH at ${Math.round(perSecond)}/s, beside that, against alone`,
        median(beside),
        median(alone),
        { atMost: 1.5 },
        'ms',
      ),
    ];
  } finally {
    await events.close();
    await end(server);
    await rm(directory, { recursive: true });
  }
};

/** The checkpoint of a number, once it is recorded: its new events, and the time from its beginning to its append. */
async function checkpointAt(
  events: EventStore,
  number: number,
): Promise<{ readonly events: number; readonly tookMs: number }> {
  for (;;) {
    let before = 0;
    for await (const stored of events.read('checkpoint-0', -1)) {
      const { event, recorded } = unsealEvent(checkpointCategory, stored);
      const { treeSize, madeAt } = event.data;
      if (stored.revision === number) return { events: treeSize - before, tookMs: recorded.at - Date.parse(madeAt) };
      before = treeSize;
    }
    await pause(50);
  }
}

const Listed = z.looseObject({ data: z.array(z.looseObject({ lagEvents: z.number() })) });

/** Resolves when every read model of the running service has seen the log. */
async function followed(dataDir: string): Promise<void> {
  for (;;) {
    const child = unpinned([main, 'projections', 'list', '--json', '--data-dir', dataDir], quiet);
    let text = '';
    child.stdout?.on('data', (piece) => {
      text += piece;
    });
    await once(child, 'close');
    if (Listed.parse(JSON.parse(text)).data.every(({ lagEvents }) => lagEvents === 0)) return;
    await pause(200);
  }
}
