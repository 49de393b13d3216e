// Documents that their process is about to change again: the newest revision is written once, and nothing is lost where
// none comes.
import { expect } from 'chai';
import type { ReadModelStore, Stored } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { Gate } from '../../../crash/hooked-stores.ts';
import { until } from '../../../support/until.ts';
import { append, type Ledger, ledgers, opened, paid } from '../ledger.ts';
import { delegate, type Engine, Engines } from '../setup.ts';

const before: Ledger = { owner: 'ann', balance: 0, payments: 0 };
const after: Ledger = { owner: 'ann', balance: 5, payments: 1 };

describe('a document that goes on', () => {
  let engines: Engines;
  let written: Stored<object>[];
  let isUnavailable: boolean;
  beforeEach(async () => {
    engines = await Engines.make();
    written = [];
    isUnavailable = false;
  });
  afterEach(() => engines.dispose());

  const wrapStore = (store: ReadModelStore): ReadModelStore => ({
    ...delegate(store),
    write: async (of, rows) => {
      if (of.name !== ledgers.name) return store.write(of, rows);
      if (isUnavailable) throw new StoreUnavailable('unplugged');
      written.push(...rows);
      return store.write(of, rows);
    },
  });
  const revisions = (): readonly number[] => written.map(({ revision }) => revision);
  const checkpointOf = async ({ projections }: Engine): Promise<string | undefined> =>
    (await projections.status())[0]?.checkpoint;

  it('is written once, at the newer revision, which the caller waits for', async () => {
    const engine = await engines.open({ wrapStore });
    engine.run();
    const project = engine.projections.onFolded(ledgers);
    await project('a', 0, before, true);
    expect(revisions()).to.deep.equal([]);
    await project('a', 1, after);
    expect(revisions()).to.deep.equal([1]);
    await append(engine.events, 'a', -1, opened('ann'), paid(5));
    await until(async () => (await checkpointOf(engine)) === '1');
    expect(revisions()).to.deep.equal([1]);
  });

  it('is written after a moment where nothing follows', async () => {
    const engine = await engines.open({ wrapStore });
    engine.run();
    await engine.projections.onFolded(ledgers)('a', 0, before, true);
    await until(() => written.length > 0);
    expect(written).to.deep.equal([{ id: 'a', revision: 0, doc: before }]);
  });

  it('is written at once when it is shown after all', async () => {
    const engine = await engines.open({ wrapStore });
    engine.run();
    const project = engine.projections.onFolded(ledgers);
    await project('a', 0, before, true);
    await project('a', 0, before);
    expect(revisions()).to.deep.equal([0]);
  });

  it('keeps the checkpoint before its event until it is written', async () => {
    const engine = await engines.open({ wrapStore });
    isUnavailable = true;
    engine.run();
    await engine.projections.onFolded(ledgers)('a', 0, before, true);
    await append(engine.events, 'a', -1, opened('ann'));
    await until(() => engine.faults.some((fault) => String(fault).includes('unplugged')));
    expect(engine.projections.followedTo('ledgers')).to.equal(0n); // it was noted, so the follower has passed it
    expect(await checkpointOf(engine)).to.equal('-1');
    isUnavailable = false;
    await until(async () => (await checkpointOf(engine)) === '0');
    expect(revisions()).to.include(0);
  });

  it('is written before anybody is told up to where the read models hold everything', async () => {
    const engine = await engines.open({ wrapStore });
    engine.run();
    await engine.projections.onFolded(ledgers)('a', 0, before, true);
    await engine.projections.positions();
    expect(revisions()).to.deep.equal([0]);
  });

  it('holds back what anybody is told while its newer revision is under way, and when that cannot be written', async () => {
    const engine = await engines.open({ wrapStore });
    engine.run();
    const project = engine.projections.onFolded(ledgers);
    await project('a', 0, before, true);
    isUnavailable = true;
    const newer = project('a', 1, after).catch((fault: unknown) => fault);
    const told = await engine.projections.positions().catch((fault: unknown) => fault);
    expect(told).to.be.instanceOf(StoreUnavailable);
    expect(await newer).to.be.instanceOf(StoreUnavailable);
    isUnavailable = false;
    await until(() => written.some(({ revision }) => revision === 1));
    await engine.projections.positions();
  });

  it('is written at its newer revision as well where the write of an older one ends after that has come', async () => {
    const gate = new Gate();
    const slow = (store: ReadModelStore): ReadModelStore => ({
      ...delegate(store),
      write: async (of, rows) => {
        if (of.name !== ledgers.name) return store.write(of, rows);
        written.push(...rows);
        if (rows.some(({ revision }) => revision === 0)) await gate.pass();
        return store.write(of, rows);
      },
    });
    const engine = await engines.open({ wrapStore: slow });
    engine.run();
    const project = engine.projections.onFolded(ledgers);
    await project('a', 0, before, true);
    await gate.reached;
    await project('a', 1, after, true);
    gate.open();
    await until(() => written.some(({ revision }) => revision === 1));
  });

  it('is written after a moment while many other documents are refused', async () => {
    const refusing = (store: ReadModelStore): ReadModelStore => ({
      ...wrapStore(store),
      write: async (of, rows) => {
        if (rows.some(({ id }) => id.startsWith('refused'))) throw new StoreUnavailable('unplugged');
        return wrapStore(store).write(of, rows);
      },
    });
    const engine = await engines.open({ wrapStore: refusing });
    engine.run();
    const project = engine.projections.onFolded(ledgers);
    for (let n = 0; n < 60; n += 1)
      expect(await project(`refused-${n}`, 0, before).catch((fault: unknown) => fault)).to.be.instanceOf(
        StoreUnavailable,
      );
    await project('a', 0, before, true);
    await until(() => written.length > 0);
    expect(written.map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('is written at once where the engine does not run', async () => {
    const engine = await engines.open({ wrapStore });
    await engine.projections.onFolded(ledgers)('a', 0, before, true);
    expect(revisions()).to.deep.equal([0]);
  });

  it('is brought in by the next process when its own has ended before', async () => {
    const ended = await engines.open({ wrapStore });
    ended.run();
    isUnavailable = true; // as if it were killed before it wrote anything
    await ended.projections.onFolded(ledgers)('a', 0, before, true);
    await append(ended.events, 'a', -1, opened('ann'));
    await until(() => ended.projections.followedTo('ledgers') === 0n);
    await engines.close(ended);
    isUnavailable = false;
    const next = await engines.open({ wrapStore });
    next.run();
    await until(() => written.length > 0);
    expect(revisions()).to.deep.equal([0]);
  });
});
