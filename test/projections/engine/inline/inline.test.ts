// Own writes that end late or fail, and the follower beside them: the newest revision is what counts, and it is written
// once.
import { expect } from 'chai';
import type { ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { Gate } from '../../../crash/hooked-stores.ts';
import { pause } from '../../../support/calm-world.ts';
import { until } from '../../../support/until.ts';
import { append, type Ledger, ledgers, opened } from '../ledger.ts';
import { delegate, type Engine, Engines, faultOf } from '../setup.ts';

const before: Ledger = { owner: 'ann', balance: 0, payments: 0 };
const after: Ledger = { owner: 'ann', balance: 5, payments: 1 };

describe('an own write', () => {
  let engines: Engines;
  let engine: Engine;
  let written: number[];
  /** Before the write of a revision. */
  let holds: (revision: number) => Promise<void> | void;
  beforeEach(async () => {
    engines = await Engines.make();
    written = [];
    holds = () => undefined;
    const wrapStore = (store: ReadModelStore): ReadModelStore => ({
      ...delegate(store),
      write: async (of, rows) => {
        if (of.name !== ledgers.name) return store.write(of, rows);
        for (const { revision } of rows) await holds(revision);
        written.push(...rows.map(({ revision }) => revision));
        return store.write(of, rows);
      },
    });
    engine = await engines.open({ wrapStore });
    engine.run();
    await append(engine.events, 'first', -1, opened('eve'));
    await until(() => engine.projections.readiness().ready && written.length === 1);
    written = [];
  });
  afterEach(() => engines.dispose());
  const unavailable = (): never => {
    throw new StoreUnavailable('unplugged');
  };
  const reasons = (): string => engine.projections.readiness().reasons.join();

  for (const [what, olderIs] of [
    ['an older one is written late', 'written'],
    ['an older one fails after it', 'refused'],
  ] as const)
    it(`that failed is tried again, and the service is not ready before, where ${what}`, async () => {
      const gate = new Gate();
      let isUnplugged = true;
      holds = async (revision) => {
        if (revision === 0) await gate.pass();
        if (isUnplugged && (revision === 1 || olderIs === 'refused')) unavailable();
      };
      const project = engine.projections.onFolded(ledgers);
      const older = faultOf(project('a', 0, before));
      expect(await faultOf(project('a', 1, after))).to.be.instanceOf(StoreUnavailable);
      gate.open();
      expect((await older) instanceof StoreUnavailable).to.equal(olderIs === 'refused');
      expect(reasons()).to.include('1 document waits');
      isUnplugged = false;
      await until(() => engine.projections.readiness().ready);
      expect(written).to.include(1);
    });

  it('that failed is no longer waited for once a newer revision is written', async () => {
    holds = (revision) => (revision === 0 ? unavailable() : undefined);
    const project = engine.projections.onFolded(ledgers);
    expect(await faultOf(project('a', 0, before))).to.be.instanceOf(StoreUnavailable);
    expect(reasons()).to.include('1 document waits');
    await project('a', 1, after);
    expect(reasons()).to.equal('');
  });

  it('that is under way is waited for by the follower, which has nothing to do then', async () => {
    const gate = new Gate();
    holds = () => gate.pass();
    const own = engine.projections.onFolded(ledgers)('a', 0, before);
    await append(engine.events, 'a', -1, opened('ann'));
    await pause(60);
    gate.open();
    await own;
    await until(async () => (await engine.projections.status())[0]?.checkpoint === '1');
    expect(written).to.deep.equal([0]);
  });
});
