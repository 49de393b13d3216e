// Broken streams: an altered log parks the stream, in every read model and in every rebuild, and stops no node.
import { join } from 'node:path';
import { expect } from 'chai';
import { BrokenStream } from '../../../../src/stores/broken-stream.ts';
import { alterLog, takeOut } from '../../../support/altered-log.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened, paid } from '../ledger.ts';
import { type Engine, Engines, faultOf } from '../setup.ts';

describe('a broken stream', () => {
  let engines: Engines;
  let file: string;
  beforeEach(async () => {
    engines = await Engines.make();
    file = join(engines.directory, 'events.db');
  });
  afterEach(() => engines.dispose());

  const read = async ({ projections }: Engine, id: string): Promise<number | undefined> =>
    (await projections.readModels.get(ledgers, [id]))[0]?.doc.balance;
  const isHeld = (engine: Engine) => async (): Promise<boolean> =>
    (await faultOf(read(engine, 'bad'))) instanceof BrokenStream;
  /** A log of two ledgers with four events each, and an engine that has projected them. */
  async function projected(): Promise<Engine> {
    const engine = await engines.open();
    engine.run();
    for (const id of ['bad', 'good']) await append(engine.events, id, -1, opened('ann'), paid(1), paid(2), paid(3));
    await until(async () => (await read(engine, 'bad')) === 6 && (await read(engine, 'good')) === 6);
    return engine;
  }

  it('is parked when its next event does not follow the log’s event before it, and others flow', async () => {
    const engine = await projected();
    await append(engine.events, 'bad', 3, paid(4));
    await until(async () => (await read(engine, 'bad')) === 10);
    await engines.close(engine);
    await alterLog(file, 'ledger-bad', { kind: 'dataAltered', n: 4 });
    const next = await engines.open();
    next.run();
    await append(next.events, 'good', 3, paid(5));
    await until(async () => (await read(next, 'good')) === 11);
    expect(await read(next, 'bad')).to.equal(10); // nothing can be proven of the last event by the stream alone
    await appendAfter(next, 'bad', 5);
    await until(isHeld(next));
    expect(await next.projections.parked('log')).to.have.length(1);
    expect((await next.projections.parked())[0]).to.include({
      projection: 'log',
      stream: 'ledger-bad',
      revision: 5,
      reason: 'broken',
    });
    expect(next.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: ['ledger-bad'] });
    await append(next.events, 'good', 4, paid(1));
    await until(async () => (await read(next, 'good')) === 12);
  });

  /**
   * As another node does that has the stream's true end in memory: chained to an event that is no longer the one in the
   * log.
   */
  async function appendAfter({ events }: Engine, id: string, revision: number): Promise<void> {
    const stored = await append(events, `${id}x`, -1, opened('else'), paid(1));
    const [, last] = stored;
    if (last === undefined) throw new Error('nothing was appended');
    const { data, metadata, type } = last;
    const moved = { id: last.id.replace(/^.{8}/, '00000000'), type, data, metadata };
    if ((await events.append(`ledger-${id}`, revision - 1, [moved])) === 'conflict') throw new Error('conflict');
  }

  it('keeps no engine from opening, and its document ends before the break', async () => {
    const first = await engines.open();
    for (const id of ['bad', 'good']) await append(first.events, id, -1, opened('ann'), paid(1), paid(2), paid(3));
    await engines.close(first);
    await alterLog(file, 'ledger-bad', { kind: 'deleted', n: 2 });
    const engine = await engines.open();
    engine.run();
    await until(async () => (await read(engine, 'good')) === 6);
    await until(isHeld(engine));
    expect((await engine.store.get({ ...ledgers, generation: 1 }, ['bad']))[0]).to.deep.include({ revision: 1 });
  });

  for (const [title, n, stopsAt] of [
    ['an event is missing in the middle', 2, 3],
    ['the first event is missing', 0, 1],
  ] as const) {
    it(`is a difference that a rebuild counts when ${title}, and is whole again after the log was mended`, async () => {
      const engine = await projected();
      const putBack = await takeOut(file, 'ledger-bad', n);
      expect(await engine.projections.rebuild('ledgers', { dryRun: true })).to.deep.include({
        equal: false,
        different: 1,
        examples: ['bad'],
        broken: ['ledger-bad'],
        swapped: false,
      });
      expect(await engine.projections.rebuild('ledgers')).to.include({ equal: false, different: 1, swapped: true });
      // Both generations now end before the same break, which proves nothing.
      expect(await engine.projections.rebuild('ledgers')).to.deep.include({
        equal: false,
        different: 1,
        broken: ['ledger-bad'],
      });
      expect((await engine.projections.parked('log'))[0]).to.include({ stream: 'ledger-bad', revision: stopsAt });
      await until(isHeld(engine));
      expect(await engine.projections.retry('log', 'ledger-bad')).to.equal(false);
      await putBack();
      expect(await engine.projections.retry('log', 'ledger-bad')).to.equal(true);
      expect(await read(engine, 'bad')).to.equal(6);
      expect(engine.projections.readiness().degraded).to.deep.equal([]);
      expect(await engine.projections.rebuild('ledgers')).to.deep.include({ equal: true, different: 0, broken: [] });
    });
  }

  it('that was mended is found whole by a rebuild, without an order', async () => {
    const engine = await projected();
    const putBack = await takeOut(file, 'ledger-bad', 2);
    await engine.projections.rebuild('ledgers');
    await putBack();
    expect(await engine.projections.rebuild('ledgers')).to.include({ different: 0 });
    expect(await engine.projections.parked('log')).to.deep.equal([]);
    expect(await read(engine, 'bad')).to.equal(6);
  });

  it('cannot be discarded: a missing event cannot be passed over', async () => {
    const engine = await projected();
    await takeOut(file, 'ledger-bad', 2);
    await engine.projections.rebuild('ledgers');
    expect(await faultOf(engine.projections.discard('log', 'ledger-bad'))).to.have.property('code', 'BrokenLog');
  });
});
