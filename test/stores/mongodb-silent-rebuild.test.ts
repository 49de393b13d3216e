// A MongoDB that does not answer for seconds at any step of a rebuild: the rebuild goes on, and no watcher takes its
// builder for dead.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../src/projections/engine/engine.ts';
import type { RebuildProgress } from '../../src/projections/engine/rebuild/result.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';
import { append, ledgers, opened, paid } from '../projections/engine/ledger.ts';
import { timings } from '../projections/engine/setup.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

/** Short: in two seconds each read, each write and each sign of life is given up several times. */
const STORE_TIMINGS: MongoDbTimings = {
  readMs: 400,
  writeMs: 800,
  heartbeatMs: 500,
  silenceMs: 500,
  longWorkMs: 5_000,
};
const SILENT_MS = 2_500;
const LEDGERS = 30;

describe('A rebuild in MongoDB that falls silent', () => {
  let server: ServerUnderTest;
  let projections: Projections;
  let running: Promise<void>;
  const over = new AbortController();
  before(async () => {
    server = await startServer();
    const events = openMemoryEventStore();
    for (let n = 0; n < LEDGERS; n += 1) await append(events, `l${n}`, -1, opened(`owner-${n}`), paid(n));
    const engine = async (): Promise<Projections> =>
      openProjections({
        events,
        readModels: await server.open({ timings: STORE_TIMINGS }),
        world: calmWorld,
        report: () => undefined,
        projections: [ledgers],
        timings: { ...timings, pollMs: 100, abandonedMs: 1_000 },
      });
    projections = await engine();
    running = (await engine()).run(over.signal); // the watcher
  });
  after(async () => {
    over.abort();
    await running;
    await server.dispose();
  });

  for (const step of ['building', 'indexing', 'joining', 'comparing'] satisfies RebuildProgress['step'][])
    it(`goes on when that was at its step "${step}"`, async () => {
      let thawed: Promise<void> | undefined;
      const onProgress = (progress: RebuildProgress): void => {
        if (progress.step !== step || thawed !== undefined) return;
        server.loopback.server.freeze();
        thawed = pause(SILENT_MS).then(() => server.loopback.server.thaw());
      };
      const result = await projections.rebuild('ledgers', { onProgress });
      await thawed;
      expect(result).to.include({ equal: true, swapped: true, documents: LEDGERS, documentsBefore: LEDGERS });
      await until(async () => (await projections.status())[0]?.generation === result.generation);
    });
});
