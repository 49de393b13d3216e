// kill -9 of a start at each stage of a read model's build, on all pairs of stores: the next start has them all.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allProjections } from '../../../src/projections/models/all.ts';
import { openEventStoreDbLoopback } from '../../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { openMongoDbLoopback } from '../../support/mongodb-loopback/mongodb-loopback.ts';
import { killAndStartAgain, type Prepared, prepareLog } from './killed-start.ts';
import { STAGES, type Stage } from './stage.ts';

const ALL = allProjections.flatMap(({ name: model }) => STAGES.map((stage): Stage => ({ model, stage })));
const isWhole = process.env['BUILD_STAGES'] === 'all';
/** Starts under way at a time: one waits for a dead builder while another computes. */
const AT_ONCE = 3;

interface Pair {
  readonly name: string;
  readonly eventStoreDb: boolean;
  readonly mongoDb: boolean;
}

const PAIRS: readonly Pair[] = [
  { name: 'SQLite and SQLite', eventStoreDb: false, mongoDb: false },
  { name: 'SQLite and MongoDB', eventStoreDb: false, mongoDb: true },
  { name: 'EventStoreDB and SQLite', eventStoreDb: true, mongoDb: false },
  { name: 'EventStoreDB and MongoDB', eventStoreDb: true, mongoDb: true },
];

/**
 * Stages are code of the engine, which is the same for every read model, and of the pair's adapters: so each pair has
 * each stage. Read models differ in what they fold, so each of them is killed once, on one of the pairs.
 */
const dealt = (pair: number): readonly Stage[] =>
  allProjections
    .filter((_, place) => place % PAIRS.length === pair)
    .map(({ name: model }, place) => ({ model, stage: stageOf(place) }));
const stageOf = (place: number): Stage['stage'] => STAGES[place % STAGES.length] ?? 'claimed';

for (const [pair, { name, eventStoreDb, mongoDb }] of PAIRS.entries()) {
  const stages = isWhole ? ALL : dealt(pair);
  const which = isWhole
    ? 'each stage of each read model'
    : 'each stage of some read models (BUILD_STAGES=all: of each)';

  describe(`kill -9 of a first start on ${name}`, function () {
    this.timeout(600_000);
    let dir: string;
    let prepared: Prepared;
    /** The URL of a database of the start's own. */
    let mongoOf: (start: string) => string | undefined = () => undefined;
    const closing: (() => Promise<void>)[] = [];

    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'counterfoil-builds-'));
      const made = async (folder: string): Promise<{ readonly directory: string }> => {
        await mkdir(join(dir, folder));
        return { directory: join(dir, folder) };
      };
      const servers: { eventStoreDb?: string; mongoDb?: string | undefined } = {};
      if (eventStoreDb) {
        const { url, kill } = await openEventStoreDbLoopback(await made('eventstoredb'));
        closing.push(kill);
        servers.eventStoreDb = url;
      }
      if (mongoDb) {
        const server = await openMongoDbLoopback(await made('mongodb'));
        closing.push(() => server.close());
        mongoOf = (start) => server.url.replace('/counterfoil?', `/${start}?`);
        servers.mongoDb = mongoOf('never-killed');
      }
      prepared = await prepareLog({ dir: (await made('log')).directory, servers });
    });
    after(async () => {
      await Promise.all(closing.map((close) => close()));
      await rm(dir, { recursive: true });
    });

    /**
     * The log as it was prepared, and no read model. The sandbox's thread may still be closing its file, which no build
     * reads.
     */
    async function fresh(start: string): Promise<Prepared> {
      const { at, models } = prepared;
      const its = join(dir, start);
      await cp(at.dir, its, { recursive: true, filter: (path) => !/read-models|sandbox\.db/.test(path) });
      return { models, at: { dir: its, servers: { ...at.servers, mongoDb: mongoOf(start) } } };
    }

    it(`at ${which}: the next start is ready, and each read model is as one that was never killed`, async () => {
      const waiting = [...stages];
      const work = async (): Promise<void> => {
        for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
          const start = await fresh(`${stage.model}-${stage.stage}`);
          await killAndStartAgain(start, stage);
          await rm(start.at.dir, { recursive: true });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    });
  });
}
