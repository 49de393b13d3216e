// The catalog and the routed read models: which generations a process reads and writes, and when it refuses to.
import { expect } from 'chai';
import { Catalog } from '../../../../src/projections/engine/generations/catalog.ts';
import {
  type CatalogGeneration,
  catalogEntries,
} from '../../../../src/projections/engine/generations/catalog-entry.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { InlineProjection } from '../../../../src/projections/engine/inline.ts';
import { routedReadModels } from '../../../../src/projections/engine/routed-read-models.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import type { Collection, ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { type Ledger, ledgers } from '../ledger.ts';
import { delegate, faultOf, timings } from '../setup.ts';

const report = (): void => undefined;
const nothingParked = {
  any: false,
  holds: () => false,
  checkRows: <T>(_name: string, _ids: readonly string[], rows: T): T => rows,
};
const doc: Ledger = { owner: 'ann', balance: 1, payments: 1 };
const live = (generation: number, version = 1): CatalogGeneration => ({ generation, version, state: 'live' });
const kept = (generation: number, version = 1): CatalogGeneration => ({ generation, version, state: 'kept' });
const joining = (generation: number, version = 1): CatalogGeneration => ({
  generation,
  version,
  state: 'joining',
  builder: 'b',
  beat: 0,
});

describe('the routed read models', () => {
  let clock: number;
  let isUnavailable: boolean;
  let store: ReadModelStore;
  let catalog: Catalog;
  let revision: number;
  const world = { ...calmWorld, monotonic: () => clock };
  const enter = async (...generations: readonly CatalogGeneration[]): Promise<void> => {
    revision += 1;
    await store.write(catalogEntries, [{ id: 'ledgers', revision, doc: { next: 100, generations } }]);
  };
  const build = async (...generations: readonly number[]): Promise<void> => {
    for (const generation of generations) await (await store.build(copyOf(ledgers, generation))).finish();
  };
  const heldBy = async (generation: number): Promise<readonly string[]> =>
    (await store.find(copyOf(ledgers, generation), { where: {}, limit: 10 })).map(({ id }) => id);

  beforeEach(() => {
    clock = 0;
    isUnavailable = false;
    revision = -1;
    const memory = memoryReadModels();
    store = {
      ...delegate(memory),
      get: (of, ids) =>
        isUnavailable && of.name === 'catalog'
          ? Promise.reject(new StoreUnavailable('unplugged'))
          : memory.get(of, ids),
    };
    catalog = new Catalog({ store, world, timings, report, versions: new Map([['ledgers', 1]]) });
  });

  it('read and write the live generation', async () => {
    await build(1, 2);
    await enter(kept(1), live(2));
    const routed = routedReadModels(store, catalog, nothingParked);
    expect(await routed.write(ledgers, [{ id: 'a', revision: 0, doc }])).to.deep.equal(['a']);
    expect(await routed.get(ledgers, ['a'])).to.have.length(1);
    expect(await routed.count(ledgers)).to.equal(1);
    expect([await heldBy(1), await heldBy(2)]).to.deep.equal([[], ['a']]);
  });

  it('write the joining generation as well, and the former live one for a moment', async () => {
    await build(1, 2);
    await enter(live(1), joining(2));
    const routed = routedReadModels(store, catalog, nothingParked);
    await routed.write(ledgers, [{ id: 'a', revision: 0, doc }]);
    expect([await heldBy(1), await heldBy(2)]).to.deep.equal([['a'], ['a']]);
    await enter(kept(1), live(2));
    await catalog.refresh();
    clock += timings.joinMs - 1;
    await routed.write(ledgers, [{ id: 'b', revision: 0, doc }]);
    expect([await heldBy(1), await heldBy(2)]).to.deep.equal([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    clock += 1;
    await catalog.refresh();
    await routed.write(ledgers, [{ id: 'c', revision: 0, doc }]);
    expect([await heldBy(1), await heldBy(2)]).to.deep.equal([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
  });

  it('learn of a flip within the time that a poll takes, without anybody polling', async () => {
    await build(1, 2);
    await enter(live(1));
    const routed = routedReadModels(store, catalog, nothingParked);
    await routed.write(ledgers, [{ id: 'a', revision: 0, doc }]);
    await enter(kept(1), live(2));
    clock += timings.staleMs;
    expect(await routed.count(ledgers)).to.equal(0);
  });

  it('do not mind that a generation which joined was given up', async () => {
    await build(1);
    await enter(live(1), joining(2));
    const routed = routedReadModels(store, catalog, nothingParked);
    expect(await routed.write(ledgers, [{ id: 'a', revision: 0, doc }])).to.deep.equal(['a']);
  });

  it('leave alone the generation that a newer version builds, and go on with their own', async () => {
    await build(1, 2);
    await enter(live(1), joining(2, 2));
    const routed = routedReadModels(store, catalog, nothingParked);
    await routed.write(ledgers, [{ id: 'a', revision: 0, doc }]);
    await enter(kept(1), live(2, 2));
    await catalog.refresh();
    await routed.write(ledgers, [{ id: 'b', revision: 0, doc }]);
    expect([await heldBy(1), await heldBy(2)]).to.deep.equal([['a', 'b'], []]);
  });

  it('acknowledge nothing when the catalog could not be read for as long as it may be old', async () => {
    await build(1);
    await enter(live(1));
    const routed = routedReadModels(store, catalog, nothingParked);
    await routed.write(ledgers, [{ id: 'a', revision: 0, doc }]);
    isUnavailable = true;
    clock += timings.staleMs - 1;
    expect(await routed.write(ledgers, [{ id: 'b', revision: 0, doc }])).to.deep.equal(['b']);
    clock += 1;
    expect(await faultOf(routed.write(ledgers, [{ id: 'c', revision: 0, doc }]))).to.be.instanceOf(StoreUnavailable);
    expect(await faultOf(routed.get(ledgers, ['a']))).to.be.instanceOf(StoreUnavailable);
    isUnavailable = false;
    clock += timings.pollMs;
    expect(await routed.write(ledgers, [{ id: 'c', revision: 0, doc }])).to.deep.equal(['c']);
  });

  it('are unavailable while there is no generation of their version', async () => {
    await enter(live(1, 7));
    const routed = routedReadModels(store, catalog, nothingParked);
    expect(String(await faultOf(routed.get(ledgers, ['a'])))).to.match(/ledgers is being built/);
    expect(await faultOf(routed.write(ledgers, [{ id: 'a', revision: 0, doc }]))).to.be.instanceOf(StoreUnavailable);
  });

  it('are unavailable where the live generation itself is gone, to readers and writers', async () => {
    await enter(live(1));
    const routed = routedReadModels(store, catalog, nothingParked);
    for (const asked of [
      () => routed.get(ledgers, ['a']),
      () => routed.find(ledgers, { where: {}, limit: 1 }),
      () => routed.count(ledgers),
      () => routed.write(ledgers, [{ id: 'a', revision: 0, doc }]),
    ])
      expect(await faultOf(asked())).to.be.instanceOf(StoreUnavailable);
  });

  it('hand on collections that do not belong to a projection', async () => {
    const leases: Collection<Ledger, never> = { name: 'leases', version: 1, keys: {}, indexes: [] };
    const routed = routedReadModels(store, catalog, nothingParked);
    await routed.write(leases, [{ id: 'a', revision: 0, doc }]);
    expect(await store.count(leases)).to.equal(1);
  });

  it('note for the follower only documents that the live generation has got', async () => {
    await build(1, 2);
    await enter(live(1));
    await catalog.refresh();
    let isHeld: (() => void) | undefined;
    const slow: ReadModelStore = {
      ...delegate(store),
      write: async (of, rows) => {
        const written = await store.write(of, rows);
        await new Promise<void>((resolve) => {
          isHeld = resolve;
        });
        return written;
      },
    };
    const inline = new InlineProjection({ store: slow, catalog, world, timings });
    const writing = inline.writer(ledgers)('a', 0, doc);
    await new Promise((turn) => setImmediate(turn));
    await enter(kept(1), live(2)); // the flip comes while the document is on its way to the one before
    await catalog.refresh();
    isHeld?.();
    await writing;
    expect(inline.covers('ledgers', 'a', 0)).to.equal(false);
  });

  it('are noted for the follower up to their newest revision, in whatever order the writes end', async () => {
    await build(1);
    await enter(live(1));
    await catalog.refresh();
    const inline = new InlineProjection({ store, catalog, world, timings });
    const project = inline.writer(ledgers);
    await project('a', 3, doc);
    await project('a', 2, doc);
    expect([3, 4].map((revision) => inline.covers('ledgers', 'a', revision))).to.deep.equal([true, false]);
  });
});

describe('the catalog', () => {
  it('keeps every change when several processes change it at once', async () => {
    const store = memoryReadModels();
    const catalogs = Array.from(
      { length: 4 },
      () => new Catalog({ store, world: calmWorld, timings, report, versions: new Map([['ledgers', 1]]) }),
    );
    const add = (catalog: Catalog): Promise<unknown> =>
      catalog.change('ledgers', (entry) => ({
        next: (entry?.next ?? 1) + 1,
        generations: [...(entry?.generations ?? []), kept(entry?.next ?? 1)],
      }));
    await Promise.all([...catalogs, ...catalogs].map(add));
    await catalogs[0]?.refresh();
    expect(catalogs[0]?.standing('ledgers').entry?.generations.map(({ generation }) => generation)).to.deep.equal([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
  });
});
