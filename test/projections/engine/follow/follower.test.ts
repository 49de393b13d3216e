// The follower: repairs after a crash, brings in events of others, and starts from its checkpoint.
import { expect } from 'chai';
import {
  CheckpointBeyondLog,
  checkpoints,
  OtherLog,
  saveCheckpoint,
} from '../../../../src/projections/engine/generations/checkpoints.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import type { EventStore } from '../../../../src/stores/event-store.ts';
import { NoSuchGeneration, type ReadModelStore } from '../../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { eventOf } from '../../../contract/store-under-test.ts';
import { until } from '../../../support/until.ts';
import { append, type Ledger, ledgers, opened, paid } from '../ledger.ts';
import { delegate, type Engine, Engines, faultOf, refusalOf } from '../setup.ts';

const revisionOf = async ({ projections }: Engine, id: string): Promise<number> =>
  (await projections.readModels.get(ledgers, [id]))[0]?.revision ?? -1;
const has = (engine: Engine, id: string, revision: number) => async (): Promise<boolean> =>
  (await revisionOf(engine, id)) === revision;

describe('the follower', () => {
  let engines: Engines;
  beforeEach(async () => {
    engines = await Engines.make();
  });
  afterEach(() => engines.dispose());

  it('projects events that were appended and never projected: a crash between the two costs nothing', async () => {
    const crashed = await engines.open();
    await append(crashed.events, 'a', -1, opened('ann'), paid(5));
    await engines.close(crashed);
    const engine = await engines.open();
    engine.run();
    await until(has(engine, 'a', 1));
    const [row] = await engine.projections.readModels.get(ledgers, ['a']);
    expect(row?.doc).to.deep.equal({ owner: 'ann', balance: 5, payments: 1, note: 'at 1' });
    expect(
      (await engine.projections.readModels.find(ledgers, { where: { owner: ['ann'] }, limit: 1 })).map(({ id }) => id),
    ).to.deep.equal(['a']);
  });

  it('brings in events of another process, in both directions', async () => {
    const [one, other] = [await engines.open(), await engines.open()];
    one.run();
    other.run();
    await append(one.events, 'a', -1, opened('ann'));
    await until(has(other, 'a', 0));
    await append(other.events, 'a', 0, paid(1), paid(2));
    await until(has(one, 'a', 2));
    expect(one.faults.concat(other.faults)).to.deep.equal([]);
  });

  it('does not look at documents that this process has projected itself', async () => {
    const asked: string[] = [];
    const wrapStore = (store: ReadModelStore): ReadModelStore => ({
      ...delegate(store),
      get: (of, ids) => {
        if (of.name === ledgers.name) asked.push(...ids);
        return store.get(of, ids);
      },
    });
    const engine = await engines.open({ wrapStore });
    engine.run();
    const doc: Ledger = { owner: 'ann', balance: 0, payments: 0 };
    // The document first, as a slow follower finds it: events and documents of one process in either order end the
    // same.
    await engine.projections.onFolded(ledgers)('mine', 0, doc);
    await append(engine.events, 'mine', -1, opened('ann'));
    await append(engine.events, 'foreign', -1, opened('bob'));
    await until(async () => (await engine.store.count(copyOf(ledgers, 1))) === 2);
    expect(new Set(asked)).to.deep.equal(new Set(['foreign']));
  });

  it('starts at its checkpoint, so that a long log costs a start nothing', async () => {
    const first = await engines.open();
    const stop = first.run();
    for (let n = 0; n < 50; n += 1) await append(first.events, `a${n}`, -1, opened('ann'));
    await until(has(first, 'a49', 0));
    await until(async () => (await first.projections.status()).every(({ checkpoint }) => checkpoint === '49'));
    await stop();
    await engines.close(first);

    const from: bigint[] = [];
    const wrapEvents = (events: EventStore): EventStore => ({
      append: (...args) => events.append(...args),
      read: (...args) => events.read(...args),
      head: () => events.head(),
      close: () => events.close(),
      follow: (after, categories, signal) => {
        from.push(after);
        return events.follow(after, categories, signal);
      },
    });
    const engine = await engines.open({ wrapEvents });
    expect(engine.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: [] });
    engine.run();
    await append(engine.events, 'b', -1, opened('bob'));
    await until(has(engine, 'b', 0));
    // A change of the lease begins another subscription, at the same checkpoint or a later one.
    expect(from).to.not.be.empty;
    expect(from.filter((after) => after < 49n)).to.deep.equal([]);
  });

  it('is not ready before it has reached the end of the log at start', async () => {
    const crashed = await engines.open();
    await append(crashed.events, 'a', -1, opened('ann'));
    await engines.close(crashed);
    const engine = await engines.open();
    expect(engine.projections.readiness()).to.deep.equal({
      ready: false,
      reasons: ['ledgers has not caught up with the log yet'],
      degraded: [],
    });
    engine.run();
    await until(() => engine.projections.readiness().ready);
    expect(await revisionOf(engine, 'a')).to.equal(0);
  });

  it('refuses read models that know more than the log, and names the remedy', async () => {
    const first = await engines.open();
    await append(first.events, 'a', -1, opened('ann'));
    await saveCheckpoint(first, copyOf(ledgers, 1), 700n);
    await engines.close(first);
    const fault = await faultOf(engines.open());
    expect(fault).to.be.instanceOf(CheckpointBeyondLog);
    expect(String(fault)).to.match(/built up to event 700, but the log ends at 0.*--accept-shorter-log/);

    const repair = await engines.open({ forRepair: true });
    await repair.projections.rebuild('ledgers');
    await engines.close(repair);
    const engine = await engines.open();
    expect(await revisionOf(engine, 'a')).to.equal(0);
  });

  it('no longer trusts read models that once belonged to another log, even if the log has grown past them, until a rebuild', async () => {
    const engine = await engines.open();
    await append(engine.events, 'a', -1, opened('ann'));
    await saveCheckpoint(engine, copyOf(ledgers, 1), 3n); // as after a backup was put back under a running process
    engine.run();
    await until(async () => (await refusalOf(engine.projections)) !== undefined);
    await append(engine.events, 'a', 0, paid(1), paid(2), paid(3), paid(4), paid(5));
    expect(await refusalOf(engine.projections)).to.be.instanceOf(StoreUnavailable);
    expect(engine.projections.readiness().ready).to.equal(false);
    expect((await engine.projections.status())[0]).to.include({ name: 'ledgers', checkpoint: '3' });

    await engine.projections.rebuild('ledgers');
    await until(() => engine.projections.readiness().ready);
    expect(await refusalOf(engine.projections)).to.equal(undefined);
    expect(await revisionOf(engine, 'a')).to.equal(5);
  });

  it('refuses read models of another log although that was shorter, and names the remedy', async () => {
    const first = await engines.open();
    await first.events.append('store-0', -1, [eventOf()]);
    await append(first.events, 'a', -1, opened('ann'), paid(1));
    await saveCheckpoint(first, copyOf(ledgers, 1), 1n);
    await engines.close(first);
    await engines.close(await engines.open()); // its own it takes

    const other = await engines.open();
    await other.store.write(checkpoints, [{ id: 'ledgers.1', revision: 9, doc: { position: '0', log: 'another@0' } }]);
    expect((await other.projections.status())[0]).to.include({ state: 'other log' });
    await engines.close(other);
    const fault = await faultOf(engines.open());
    expect(fault).to.be.instanceOf(OtherLog);
    expect(String(fault)).to.match(/another log.*projections rebuild --all/);

    const repair = await engines.open({ forRepair: true });
    await repair.projections.rebuild('ledgers');
    await engines.close(repair);
    expect(await revisionOf(await engines.open(), 'a')).to.equal(1);
  });

  it('describes a read model that knows more than the log, instead of failing', async () => {
    const engine = await engines.open();
    await append(engine.events, 'a', -1, opened('ann'));
    await saveCheckpoint(engine, copyOf(ledgers, 1), 700n);
    expect((await engine.projections.status())[0]).to.include({ checkpoint: '700', state: 'other log' });
    expect(engine.projections.names).to.deep.equal(['ledgers']);
  });

  it('closes a gap from the stream itself when a document is missing', async () => {
    const engine = await engines.open();
    await append(engine.events, 'lost', -1, opened('ann'), paid(1));
    await saveCheckpoint(engine, copyOf(ledgers, 1), 1n);
    await engines.close(engine);
    const again = await engines.open();
    again.run();
    await append(again.events, 'lost', 1, paid(2));
    await until(has(again, 'lost', 2));
    expect((await again.projections.readModels.get(ledgers, ['lost']))[0]?.doc.balance).to.equal(3);
  });

  it('never moves a checkpoint back', async () => {
    const engine = await engines.open();
    await append(engine.events, 'a', -1, opened('ann'), paid(1), paid(2));
    await saveCheckpoint(engine, copyOf(ledgers, 1), 2n);
    await saveCheckpoint(engine, copyOf(ledgers, 1), 1n);
    expect((await engine.projections.status())[0]?.checkpoint).to.equal('2');
  });

  for (const { fault, reports } of [
    { fault: new NoSuchGeneration('ledgers', 1), reports: 0 },
    { fault: new Error('the disk is full'), reports: 1 },
  ])
    it(`reports ${reports === 0 ? 'nothing' : 'it once'} where a checkpoint cannot be kept: ${fault.message}`, async () => {
      let [isOpen, asked] = [false, 0];
      const wrapStore = (store: ReadModelStore): ReadModelStore => ({
        ...delegate(store),
        sync: (of) => {
          if (!isOpen || of.name !== ledgers.name) return store.sync(of);
          asked += 1;
          return Promise.reject(fault);
        },
      });
      const engine = await engines.open({ wrapStore });
      isOpen = true;
      engine.run();
      await append(engine.events, 'a', -1, opened('ann'));
      await until(() => asked >= 3);
      expect(engine.faults).to.have.length(reports);
    });

  it('goes on where it was when the read models come back, and is not ready meanwhile', async () => {
    let isUnavailable = false;
    const wrapStore = (store: ReadModelStore): ReadModelStore => ({
      ...delegate(store),
      write: (of, rows) => {
        if (isUnavailable && of.name === ledgers.name) return Promise.reject(new StoreUnavailable('unplugged'));
        return store.write(of, rows);
      },
    });
    const engine = await engines.open({ wrapStore });
    engine.run();
    isUnavailable = true;
    await append(engine.events, 'a', -1, opened('ann'));
    await until(() => !engine.projections.readiness().ready);
    expect(engine.projections.readiness().reasons.join()).to.match(/nothing is projected: a store was unavailable/);
    await append(engine.events, 'b', -1, opened('bob'));
    isUnavailable = false;
    await until(has(engine, 'b', 0));
    expect(await revisionOf(engine, 'a')).to.equal(0);
    await until(() => engine.projections.readiness().ready);
  });
});
