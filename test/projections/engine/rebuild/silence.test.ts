// A rebuild whose store falls silent at any of its calls goes on, with or without the call's effect; one that dies
// there is in no later one's way.
import { expect } from 'chai';
import { openProjections, type Projections } from '../../../../src/projections/engine/engine.ts';
import { catalogEntries } from '../../../../src/projections/engine/generations/catalog-entry.ts';
import { RebuildLost, Watch } from '../../../../src/projections/engine/rebuild/claim.ts';
import type { EngineTimings } from '../../../../src/projections/engine/timings.ts';
import { type MemoryEventStore, openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { calmWorld, pause } from '../../../support/calm-world.ts';
import { type Falls, Silence } from '../../../support/silent-store.ts';
import { movableWorld } from '../../../support/test-world.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened, paid } from '../ledger.ts';
import { timings as common, faultOf } from '../setup.ts';

const timings: EngineTimings = { ...common, pollMs: 5, staleMs: 20, joinMs: 20, abandonedMs: 60 };
/** Much longer than a builder may give no sign of life. */
const SILENT_MS = 150;
const LEDGERS = 12;

describe('a rebuild whose read models fall silent', () => {
  let events: MemoryEventStore;
  let store: ReadModelStore;
  let silence: Silence;
  /** Another process: it takes the builder for dead if it can. */
  let other: Projections;
  let stopWatching: () => Promise<void>;
  beforeEach(async () => {
    events = openMemoryEventStore();
    store = memoryReadModels();
    silence = new Silence();
    for (let n = 0; n < LEDGERS; n += 1) await append(events, `l${n}`, -1, opened(`owner-${n}`), paid(n));
    other = await engineOn(silence.store(store));
    const over = new AbortController();
    const running = other.run(over.signal);
    await until(() => other.isBuilt('ledgers'));
    stopWatching = async () => {
      over.abort();
      await running;
    };
  });
  afterEach(() => stopWatching());

  const engineOn = (readModels: ReadModelStore, its: Partial<EngineTimings> = {}): Promise<Projections> =>
    openProjections({
      events,
      readModels,
      world: calmWorld,
      report: () => undefined,
      projections: [ledgers],
      timings: { ...timings, ...its },
      forRepair: true,
    });

  /** Opens an engine that falls at its `at`-th call, counted from its opening on. */
  async function falling(
    at: number,
    falls: Falls,
    fell: () => void,
    its: Partial<EngineTimings> = {},
    shared = silence,
  ): Promise<Projections> {
    let isOpen = false;
    const engine = await engineOn(shared.falling(store, { at, falls, begun: () => isOpen, fell }), its);
    isOpen = true;
    return engine;
  }

  async function expectOneLive(generation: number, when = ''): Promise<void> {
    const [entry] = await store.get(catalogEntries, [ledgers.name]);
    const states = entry?.doc.generations.map(({ generation: its, state }) => `${its} ${state}`) ?? [];
    expect(
      states.filter((one) => !one.endsWith('kept')),
      when,
    ).to.deep.equal([`${generation} live`]);
    expect(await store.generations(ledgers.name), when).to.include(generation);
    const docs = await store.texts({ ...ledgers, generation }, '', 1_000);
    expect(docs, when).to.have.lengthOf(LEDGERS);
  }

  for (const falls of ['before', 'after'] as const) {
    it(`outlasts it at every call, ${falls === 'before' ? 'without' : 'with'} the call's effect`, async () => {
      let steps = 0;
      for (let at = 1; ; at += 1) {
        let fell = false;
        const engine = await falling(at, falls, () => {
          fell = true;
          void pause(SILENT_MS).then(() => {
            silence.isSilent = false;
          });
        });
        const result = await engine.rebuild('ledgers');
        expect(result, `silent at call ${at}`).to.include({ documents: LEDGERS, swapped: true, equal: true });
        await expectOneLive(result.generation);
        if (!fell) break;
        steps = at;
      }
      console.log(`      silent at each of ${steps} calls`);
      expect(steps).to.be.greaterThan(20);
    });
  }

  for (const falls of ['before', 'after'] as const) {
    it(`alone, while another builds, takes nothing of that one's work, ${falls === 'before' ? 'without' : 'with'} the call's effect`, async () => {
      let steps = 0;
      for (let at = 1; ; at += 1) {
        const alone = new Silence();
        let done = 0;
        let isCut = false;
        const engine = await falling(at, falls, () => (isCut = true), {}, alone);
        let isOver = false;
        const rebuilding = faultOf(engine.rebuild('ledgers').then((result) => (done = result.generation))).finally(
          () => (isOver = true),
        );
        await until(() => isCut || isOver);
        if (!isCut) break;
        const { generation } = await other.rebuild('ledgers');
        alone.isSilent = false;
        const fault = await rebuilding;
        // One that had not begun builds after the other; one that was at it is given up; one that was done is replaced.
        if (fault !== undefined) expect(fault, `cut off at call ${at}`).to.be.instanceOf(RebuildLost);
        await expectOneLive(Math.max(generation, done), `cut off at call ${at}`);
        steps = at;
      }
      console.log(`      cut off at each of ${steps} calls`);
      expect(steps).to.be.greaterThan(20);
    });
  }

  it('drops no generation that another built while it heard which there are', async () => {
    const alone = new Silence();
    let generation = 0;
    const engine = await engineOn({
      ...alone.store(store),
      generations: async (name) => {
        if (generation > 0) return store.generations(name);
        alone.isSilent = true;
        ({ generation } = await other.rebuild('ledgers'));
        alone.isSilent = false;
        return store.generations(name);
      },
    });
    expect(await faultOf(engine.rebuild('ledgers'))).to.be.instanceOf(RebuildLost);
    await expectOneLive(generation);
  });

  it('gives up when they have been silent for too long, and the next rebuild has its way', async () => {
    const engine = await falling(12, 'after', () => undefined, { outlastedMs: 40 });
    expect(await faultOf(engine.rebuild('ledgers'))).to.be.instanceOf(StoreUnavailable);
    silence.isSilent = false;
    const { generation } = await (await engineOn(silence.store(store))).rebuild('ledgers');
    await expectOneLive(generation);
  });

  it('keeps no process from its end that is opening, and builds what is missing', async () => {
    const ending = new AbortController();
    const stop = new Error('stop');
    const readModels = new Silence().falling(memoryReadModels(), {
      at: 8,
      falls: 'before',
      begun: () => true,
      fell: () => ending.abort(stop),
    });
    const parts = { events, readModels, world: calmWorld, report: () => undefined, projections: [ledgers], timings };
    const opening = faultOf(openProjections({ ...parts, signal: ending.signal }));
    expect(await opening).to.equal(stop);
  });

  it('leaves nothing in the way when its process dies at any call', async () => {
    for (let at = 1; ; at += 1) {
      let died = false;
      const death = new Promise<'dead'>((resolve) => {
        void falling(at, 'dies', () => {
          died = true;
          resolve('dead');
        })
          .then((engine) => engine.rebuild('ledgers'))
          .then(() => resolve('dead'))
          .catch(() => undefined); // of the dead, long after
      });
      await death;
      const { generation } = await (await engineOn(silence.store(store))).rebuild('ledgers');
      await expectOneLive(generation);
      if (!died) break;
    }
  });

  it('is watched by the time in which the catalog could be read', () => {
    const world = movableWorld();
    const watch = new Watch(world, { ...timings, pollMs: 1_000, abandonedMs: 10_000 });
    const entry = {
      next: 2,
      generations: [{ generation: 1, version: 1, state: 'joining', builder: 'build_1', beat: 7 }],
    } as const;
    const look = (afterMs: number): boolean => {
      world.pass(afterMs);
      return watch.dead('ledgers', entry) !== undefined;
    };
    expect([look(0), look(120_000), look(1_000)]).to.deep.equal([false, false, false]);
    expect(Array.from({ length: 8 }, () => look(1_000)).filter((dead) => dead)).to.have.lengthOf(2);
  });
});
