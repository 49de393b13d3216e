// A thread of `spread`: takes shares of the streams until there are none left, reads each by its own connection, and
// runs the work on it.
import { parentPort, workerData } from 'node:worker_threads';
import type { OpenStreamWork, Parcel, StreamWork } from '../event-store.ts';
import { openDatabase } from './file/database.ts';
import { lowerThreadPriority } from './file/priority.ts';
import { BEGUN, type SpreadMessage, type SpreadPlan, STOPPED } from './spread.ts';
import { StreamPages } from './stream-pages.ts';

const plan: SpreadPlan = workerData;
/** A lock delays this thread only. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHE_KIB = 8 * 1024;

const shared = new Int32Array(plan.shared);
const isStopped = (): boolean => Atomics.load(shared, STOPPED) === 1;

/** Parcels that the other side has not taken. */
let waiting = 0;
let taken: (() => void) | undefined;

const tell = (message: SpreadMessage, transferred: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transferred);

async function hand(parcel: Parcel, share: number): Promise<void> {
  waiting += 1;
  tell({ kind: 'parcel', share, parcel }, [parcel.bytes]);
  while (waiting > plan.parcelsWaiting && !isStopped())
    await new Promise<void>((resolve) => {
      taken = resolve;
    });
}

async function openWork(): Promise<StreamWork> {
  const module: unknown = await import(plan.moduleUrl);
  if (!opensWork(module)) throw new TypeError(`${plan.moduleUrl} exports no openWork`);
  return module.openWork(plan.data);
}

const opensWork = (module: unknown): module is { readonly openWork: OpenStreamWork } =>
  typeof module === 'object' && module !== null && 'openWork' in module && typeof module.openWork === 'function';

async function run(): Promise<void> {
  const work = await openWork();
  const database = await openDatabase({
    file: plan.file,
    mustExist: true,
    synchronous: 'full',
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    cacheKiB: CACHE_KIB,
  });
  const pages = new StreamPages(database, plan);
  const next = (): number => Atomics.add(shared, BEGUN, 1);
  for (let share = next(); share * plan.streamsAShare < plan.streams && !isStopped(); share = next()) {
    const after = share * plan.streamsAShare;
    for (const { events, isLast } of pages.of({ after, upTo: after + plan.streamsAShare })) {
      if (isStopped()) break;
      for (const parcel of work.take(events, isLast)) await hand(parcel, share);
    }
    tell({ kind: 'ended', share });
  }
  database.close();
}

parentPort?.on('message', () => {
  waiting -= 1;
  taken?.();
});
lowerThreadPriority();
try {
  await run();
  tell({ kind: 'done' });
} catch (fault) {
  tell({ kind: 'fault', fault: String(fault) });
}
parentPort?.close(); // nothing else holds the thread
