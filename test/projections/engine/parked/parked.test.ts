// Parked streams: an event that cannot be projected parks its stream, visibly, and nothing else.
import { expect } from 'chai';
import { NotParked } from '../../../../src/projections/engine/engine.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened, paid, refused, upgraded } from '../ledger.ts';
import { type Engine, Engines, faultOf } from '../setup.ts';

const balanceOf = async ({ projections }: Engine, id: string): Promise<number | undefined> =>
  (await projections.readModels.get(ledgers, [id]))[0]?.doc.balance;
const has = (engine: Engine, id: string, balance: number) => async (): Promise<boolean> =>
  (await balanceOf(engine, id)) === balance;

describe('a parked stream', () => {
  let engines: Engines;
  let engine: Engine;
  beforeEach(async () => {
    engines = await Engines.make();
    engine = await engines.open();
    refused.amounts.add(13);
    await append(engine.events, 'bad', -1, opened('ann'), paid(1), paid(13), paid(2));
    await append(engine.events, 'good', -1, opened('bob'), paid(5));
    engine.run();
    await until(has(engine, 'good', 5));
    await until(async () => (await engine.projections.parked()).length === 1);
  });
  afterEach(async () => {
    refused.amounts.clear();
    await engines.dispose();
  });

  it('stays before the event, and its later events wait, while others flow', async () => {
    await append(engine.events, 'bad', 3, paid(3));
    await append(engine.events, 'good', 1, paid(6));
    await until(has(engine, 'good', 11));
    expect(await balanceOf(engine, 'bad')).to.equal(1);
    const [held, ...more] = await engine.projections.parked('ledgers');
    expect(more).to.deep.equal([]);
    expect(held).to.include({
      projection: 'ledgers',
      stream: 'ledger-bad',
      revision: 2,
      position: '2',
      type: 'Paid',
      reason: 'poison',
    });
    expect(held?.fault).to.equal('Error: cannot fold 13');
  });

  it('stops no node: readiness is degraded and names it, and the list of projections shows it', async () => {
    await until(() => engine.projections.readiness().degraded.length > 0);
    expect(engine.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: ['ledger-bad'] });
    expect((await engine.projections.status())[0]).to.include({ parked: 1, documents: 2, state: 'live' });
  });

  it('goes on when it is tried again after the code was mended, with all that waited', async () => {
    await append(engine.events, 'bad', 3, paid(3));
    refused.amounts.clear();
    expect(await engine.projections.retry('ledgers', 'ledger-bad')).to.equal(true);
    expect(await balanceOf(engine, 'bad')).to.equal(19);
    expect(await engine.projections.parked()).to.deep.equal([]);
    await append(engine.events, 'bad', 4, paid(1));
    await until(has(engine, 'bad', 20));
    await until(() => engine.projections.readiness().degraded.length === 0);
  });

  it('stays parked when it is tried again and nothing was mended', async () => {
    expect(await engine.projections.retry('ledgers', 'ledger-bad')).to.equal(false);
    expect((await engine.projections.parked()).length).to.equal(1);
  });

  it('can be tried again from another process while the follower runs', async () => {
    const operator = await engines.open();
    refused.amounts.clear();
    expect(await operator.projections.retry('ledgers', 'ledger-bad')).to.equal(true);
    await append(engine.events, 'bad', 3, paid(4));
    await until(has(engine, 'bad', 20));
    await until(() => engine.projections.readiness().degraded.length === 0);
  });

  it('goes on without the event when an operator discards it', async () => {
    expect(await engine.projections.discard('ledgers', 'ledger-bad')).to.equal(true);
    expect(await balanceOf(engine, 'bad')).to.equal(3);
    expect(await engine.projections.parked()).to.deep.equal([]);
  });

  it('stays discarded in every rebuild, and a rebuild is equal to the live one', async () => {
    await engine.projections.discard('ledgers', 'ledger-bad');
    const rebuilt = await engine.projections.rebuild('ledgers');
    expect(rebuilt).to.include({ equal: true, different: 0, parked: 0 });
    expect(await balanceOf(engine, 'bad')).to.equal(3);
  });

  it('is parked again by a rebuild, which reports their number', async () => {
    const rebuilt = await engine.projections.rebuild('ledgers');
    expect(rebuilt).to.include({ equal: true, parked: 1, documents: 2 });
    expect((await engine.projections.parked()).map(({ generation }) => generation)).to.deep.equal([2]);
    expect(await balanceOf(engine, 'bad')).to.equal(1);
  });

  it('flows again after a rebuild with mended code', async () => {
    refused.amounts.clear();
    const rebuilt = await engine.projections.rebuild('ledgers');
    expect(rebuilt.parked).to.equal(0);
    expect(await engine.projections.parked()).to.deep.equal([]);
    expect(await balanceOf(engine, 'bad')).to.equal(16);
  });

  it('is not found when it is not parked', async () => {
    expect(await faultOf(engine.projections.retry('ledgers', 'ledger-good'))).to.be.instanceOf(NotParked);
  });
});

describe('an event of a newer node', () => {
  let engines: Engines;
  beforeEach(async () => {
    engines = await Engines.make();
  });
  afterEach(() => engines.dispose());

  it('holds its stream up with that reason, and is tried again at the next start', async () => {
    const engine = await engines.open();
    await append(engine.events, 'a', -1, opened('ann'), { type: 'Donated', data: { amount: 3 } }, paid(1));
    const stop = engine.run();
    await until(async () => (await engine.projections.parked()).length === 1);
    expect((await engine.projections.parked())[0]).to.include({ reason: 'unknown', type: 'Donated', revision: 1 });
    await stop();
    await engines.close(engine);

    const newer = await engines.open({ projections: [upgraded] });
    newer.run();
    await until(async () => (await newer.projections.parked()).length === 0);
    expect((await newer.projections.readModels.get(upgraded, ['a']))[0]?.doc.balance).to.equal(4);
    await until(() => newer.projections.readiness().ready);
  });
});
