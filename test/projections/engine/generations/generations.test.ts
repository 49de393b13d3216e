// The follower's duties to generations that came after its start: a joining one, and a newly live one.
import { expect } from 'chai';
import {
  type CatalogGeneration,
  catalogEntries,
} from '../../../../src/projections/engine/generations/catalog-entry.ts';
import { loadCheckpoints, saveCheckpoint } from '../../../../src/projections/engine/generations/checkpoints.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { until } from '../../../support/until.ts';
import { append, type Ledger, ledgers, opened, paid } from '../ledger.ts';
import { delegate, type Engine, Engines, faultOf, timings } from '../setup.ts';

const doc: Ledger = { owner: 'ann', balance: 0, payments: 0 };
const live = (generation: number): CatalogGeneration => ({ generation, version: 1, state: 'live' });
const joining = (generation: number): CatalogGeneration => ({
  generation,
  version: 1,
  state: 'joining',
  builder: 'another node',
  beat: 0,
});

describe('a generation beside the earlier live one', () => {
  let engines: Engines;
  beforeEach(async () => {
    engines = await Engines.make();
  });
  afterEach(() => engines.dispose());

  /** Like another node: makes an empty generation, and enters the documents of the catalog from then on. */
  const enter = async (
    { store }: Engine,
    made: number,
    ...generations: readonly CatalogGeneration[]
  ): Promise<void> => {
    await (await store.build(copyOf(ledgers, made))).finish();
    const [entry] = await store.get(catalogEntries, ['ledgers']);
    await store.write(catalogEntries, [
      { id: 'ledgers', revision: (entry?.revision ?? -1) + 1, doc: { next: made + 1, generations } },
    ]);
  };
  const revisionIn = async ({ store }: Engine, generation: number, id: string): Promise<number> =>
    (await store.get(copyOf(ledgers, generation), [id]))[0]?.revision ?? -1;

  it('gets documents that this process had projected to the previous generation: a note of it says nothing about the new one', async () => {
    const engine = await engines.open();
    engine.run();
    await append(engine.events, 'mine', -1, opened('ann'));
    await engine.projections.onFolded(ledgers)('mine', 0, doc);
    await append(engine.events, 'other', -1, opened('bob'));
    await until(async () => (await revisionIn(engine, 1, 'other')) === 0); // the follower has passed both
    await enter(engine, 2, live(2));
    await until(async () => (await revisionIn(engine, 2, 'other')) === 0);
    await until(async () => (await revisionIn(engine, 2, 'mine')) === 0);
  });

  it('gets events of others while it joins, before it is live', async () => {
    const engine = await engines.open({ timings: { ...timings, abandonedMs: 60_000 } });
    engine.run();
    await enter(engine, 2, live(1), joining(2));
    await engine.projections.status(); // reads the catalog
    await append(engine.events, 'a', -1, opened('ann'));
    await until(async () => (await revisionIn(engine, 1, 'a')) === 0);
    await until(async () => (await revisionIn(engine, 2, 'a')) === 0);
  });

  it('has its checkpoint kept only after its documents are synced, and not at all when they cannot be', async () => {
    const calls: string[] = [];
    let isBroken = false;
    const wrapStore = (store: ReadModelStore): ReadModelStore => ({
      ...delegate(store),
      sync: async (of) => {
        calls.push(`sync ${of.name}`);
        await calmWorld.sleep(1, new AbortController().signal);
        if (isBroken) throw new StoreUnavailable('the disk is gone');
        calls.push(`synced ${of.name}`);
        return store.sync(of);
      },
      write: (of, rows) => {
        calls.push(`write ${of.name}`);
        return store.write(of, rows);
      },
    });
    const engine = await engines.open({ wrapStore });
    await append(engine.events, 'a', -1, opened('ann'), paid(1), paid(2));
    calls.length = 0;
    await saveCheckpoint(engine, copyOf(ledgers, 1), 1n);
    expect(calls).to.deep.equal(['sync ledgers', 'synced ledgers', 'write checkpoints']);
    isBroken = true;
    expect(await faultOf(saveCheckpoint(engine, copyOf(ledgers, 1), 2n))).to.be.instanceOf(StoreUnavailable);
    expect(await loadCheckpoints(engine.store, [{ name: 'ledgers', generation: 1 }])).to.deep.equal([1n]);
  });
});
