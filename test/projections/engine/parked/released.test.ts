// A parked stream that an operator releases: everything continues without it, in this generation and in every later
// one, including lost read models.
import { join } from 'node:path';
import { expect } from 'chai';
import { actCategory, releaseOf } from '../../../../src/domain/act.ts';
import { breakIn } from '../../../../src/journal/chain.ts';
import { goBackToLate } from '../../../../src/policies/queue-webhooks.ts';
import { sweeps } from '../../../../src/policies/walk.ts';
import {
  LIMITS,
  LOG,
  markReleased,
  type ParkedStream,
  park,
  parkedIn,
  parkLimited,
  parkLog,
  releasedOf,
} from '../../../../src/projections/engine/parked/parked-records.ts';
import { faultAt } from '../../../../src/projections/engine/parked/projection-fault.ts';
import { LiveIsFurther } from '../../../../src/projections/engine/rebuild/rebuild.ts';
import { BrokenStream } from '../../../../src/stores/broken-stream.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { streamOf } from '../../../../src/stores/stream-name.ts';
import { eventsIn } from '../../../contract/store-under-test.ts';
import { takeOut } from '../../../support/altered-log.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened, paid, refused as refusedByLedgers, upgraded } from '../ledger.ts';
import { refused, totals, upgradedTotals } from '../log/totals.ts';
import { type Node, type NodeOptions, Nodes } from '../nodes.ts';
import { type Engine, Engines, faultOf, timings } from '../setup.ts';
import { putRelease } from './releasing.ts';

const BAD = 13;
const WHOLE = { ready: true, reasons: [], degraded: [] };

describe('a released stream', () => {
  let nodes: Nodes;
  let node: Node;
  beforeEach(async () => {
    nodes = new Nodes();
    refused.amounts.add(BAD);
    node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await parked(node)).length === 1);
  });
  afterEach(async () => {
    refused.amounts.clear();
    refusedByLedgers.amounts.clear();
    await nodes.close();
  });
  const start = async (options: NodeOptions = {}): Promise<Node> => {
    const opened = await nodes.open({ logs: [totals], ...options });
    opened.run();
    return opened;
  };
  const amount = async ({ projections }: Node): Promise<number | undefined> =>
    (await projections.readModels.get(totals, ['all']))[0]?.doc.amount;
  const places = (all: readonly ParkedStream[]): readonly string[] =>
    all.map(({ projection, stream, revision }) => `${projection} ${stream}@${revision}`);
  const parked = async ({ projections }: Node): Promise<readonly string[]> => places(await projections.parked());
  const released = async ({ projections }: Node): Promise<readonly string[]> =>
    places(
      (await projections.parked(undefined, { withReleased: true })).filter(({ isReleased }) => isReleased === true),
    );
  /** As an operator's process does it. */
  const release = async (stream: string, revision: number): Promise<void> => {
    const operator = await nodes.open({ logs: [totals] });
    await putRelease(nodes.events, stream, revision);
    expect(await operator.projections.release(stream)).to.equal(true);
  };

  it('is parked no longer, in the running process too, which goes on without it', async () => {
    await until(() => node.projections.readiness().degraded.length > 0);
    await release('ledger-a', 2);
    await until(() => node.projections.readiness().degraded.length === 0);
    expect(node.projections.readiness()).to.deep.equal(WHOLE);
    expect([await parked(node), await released(node)]).to.deep.equal([[], ['totals ledger-a@2']]);
    await append(nodes.events, 'a', 3, paid(100));
    await append(nodes.events, 'b', 1, paid(7));
    await until(async () => (await amount(node)) === 1 + 5 + 7);
    expect(node.projections.parkedCounts().get('totals')).to.equal(0);
    expect((await node.projections.status()).map((one) => one.parked)).to.deep.equal([0, 0]);
  });

  it('is left out by a rebuild, which is equal', async () => {
    await release('ledger-a', 2);
    await until(async () => (await node.projections.status()).every(({ checkpoint }) => checkpoint >= '5'));
    expect(await node.projections.rebuild('totals')).to.include({
      equal: true,
      different: 0,
      parked: 0,
      holesChanged: false,
    });
    await append(nodes.events, 'a', 3, paid(100));
    await append(nodes.events, 'b', 1, paid(7));
    await until(async () => (await amount(node)) === 1 + 5 + 7);
    expect([await parked(node), await released(node)]).to.deep.equal([[], ['totals ledger-a@2']]);
  });

  it('is left out where the read models were lost: the log says that it is released', async () => {
    await release('ledger-a', 2);
    await node.stop();
    const others = new Nodes(nodes.events, memoryReadModels());
    const other = await others.open({ logs: [totals] });
    other.run();
    await until(async () => (await amount(other)) === 6);
    expect([await parked(other), other.projections.readiness().degraded]).to.deep.equal([[], []]);
    await other.stop();
  });

  it('is taken in when the event can be read, at a start with mended code', async () => {
    await release('ledger-a', 2);
    await node.stop();
    refused.amounts.clear();
    const next = await start();
    await until(async () => (await amount(next)) === 21);
    expect([await parked(next), await released(next)]).to.deep.equal([[], []]);
  });

  it('is released once, however often and by however many at once', async () => {
    const tries = await Promise.all([putRelease(nodes.events, 'ledger-a', 2), putRelease(nodes.events, 'ledger-a', 2)]);
    expect([...tries, await putRelease(nodes.events, 'ledger-a', 3)].filter((isNew) => isNew)).to.deep.equal([true]);
    expect(await eventsIn(nodes.events, streamOf(actCategory.name, releaseOf('ledger-a')), -1)).to.have.length(1);
    expect(await putRelease(nodes.events, 'ledger-a', 1)).to.equal(true); // more of it
    expect(await releasedOf(nodes.events, 'ledger-a')).to.deep.equal([
      { from: 2, upTo: 3 },
      { from: 1, upTo: 3 },
    ]);
    for (let n = 0; n < 2; n += 1) expect(await node.projections.release('ledger-a')).to.equal(true);
    expect(await parked(node)).to.deep.equal([]);
  });

  it('is released in a read model that parks it later, from a later event on, and not from an earlier one', async () => {
    await append(nodes.events, 'a', 3, paid(100));
    await release('ledger-a', 2);
    refusedByLedgers.amounts.add(100);
    await node.projections.rebuild('ledgers');
    expect([await released(node), await parked(node)]).to.deep.equal([['ledgers ledger-a@4', 'totals ledger-a@2'], []]);
    await append(nodes.events, 'c', -1, opened('cid'), paid(BAD));
    await until(async () => (await parked(node)).length === 1);
    await putRelease(nodes.events, 'ledger-c', 2);
    expect(await node.projections.release('ledger-c')).to.equal(false);
    expect(await parked(node)).to.deep.equal(['totals ledger-c@1']);
  });

  it('is parked again at an event that came after the release, and released there by a second one', async () => {
    await release('ledger-a', 2);
    refused.amounts.clear();
    expect(await node.projections.retry('totals', 'ledger-a')).to.equal(true);
    refusedByLedgers.amounts.add(100);
    await append(nodes.events, 'a', 3, paid(100), paid(1));
    await until(async () => (await parked(node)).length === 1);
    expect([await parked(node), await released(node)]).to.deep.equal([['ledgers ledger-a@4'], []]);
    await node.projections.release('ledger-a');
    expect(await parked(node)).to.deep.equal(['ledgers ledger-a@4']);
    await release('ledger-a', 4);
    expect([await parked(node), await released(node)]).to.deep.equal([[], ['ledgers ledger-a@4']]);
    expect(await releasedOf(nodes.events, 'ledger-a')).to.deep.equal([
      { from: 2, upTo: 3 },
      { from: 4, upTo: 5 },
    ]);
  });

  it('counts for the queueing of messages as parked until it is taken in, which then goes back to them', async () => {
    const readModels = memoryReadModels();
    const look = (): Promise<void> =>
      goBackToLate('walk', node.projections.parkedIn('totals'), { readModels, nameOfLog: async () => 'log' });
    const place = async (): Promise<unknown> => (await readModels.get(sweeps, ['walk']))[0]?.doc.key;
    await readModels.write(sweeps, [{ id: 'walk', revision: 0, doc: { key: 100, id: 'newest', log: 'log' } }]);
    await look();
    await release('ledger-a', 2);
    await node.projections.parked();
    await look();
    expect(await place()).to.equal(100);
    refused.amounts.clear();
    expect(await node.projections.retry('totals', 'ledger-a')).to.equal(true);
    await look();
    expect(await place()).to.be.lessThan(100);
  });

  it('is read from the event on that parks it, and up to its end', async () => {
    await append(nodes.events, 'a', 3, ...Array.from({ length: 20 }, () => paid(1)));
    const { events } = nodes;
    const from: number[] = [];
    const counting = {
      append: events.append.bind(events),
      read: (stream: string, after: number, most?: number) => {
        if (stream === 'ledger-a') from.push(after);
        return events.read(stream, after, most);
      },
    };
    expect(await putRelease({ ...events, ...counting }, 'ledger-a', 20)).to.equal(true);
    expect([from, await releasedOf(events, 'ledger-a')]).to.deep.equal([[19], [{ from: 20, upTo: 23 }]]);
  });

  it('that ends before the event which parks it is released at that event alone', async () => {
    expect(await putRelease(nodes.events, 'ledger-a', 9)).to.equal(true);
    expect(await releasedOf(nodes.events, 'ledger-a')).to.deep.equal([{ from: 9, upTo: 9 }]);
  });

  it('of which nothing can be read is released at any event', async () => {
    expect(await putRelease(nodes.events, 'ledger-gone', 7)).to.equal(true);
    expect(await releasedOf(nodes.events, 'ledger-gone')).to.deep.equal([{ from: 7 }]);
  });

  it('that loses an event of a later time is broken, and parked', async () => {
    const engines = await Engines.make();
    try {
      const file = join(engines.directory, 'events.db');
      const first = await engines.open();
      await append(first.events, 'a', -1, opened('ann'), paid(1), paid(2));
      await putRelease(first.events, 'ledger-a', 2);
      await append(first.events, 'a', 2, paid(100), paid(200), paid(300));
      await engines.close(first);
      await takeOut(file, 'ledger-a', 4);
      const engine = await engines.open({ timings: { ...timings, newerNodeMs: 10 } });
      engine.run();
      await until(async () => (await engine.projections.parked(undefined, { withReleased: true })).length > 0);
      await engine.projections.release('ledger-a'); // marks each record that the release of that time covers
      expect(places(await engine.projections.parked())).to.deep.equal(['log ledger-a@5']);
      await until(() => engine.projections.readiness().degraded.length === 1);
    } finally {
      await engines.dispose();
    }
  });

  it('is told to lose events still where another fault of it is released', async () => {
    const parts = { events: nodes.events, store: memoryReadModels() };
    const copy = { name: 'totals', generation: 1 };
    const [stored] = await eventsIn(nodes.events, 'ledger-a', 1);
    if (stored === undefined) throw new Error('no event');
    await parkLimited(parts.store, 'ledger-a', '$maxAge 86400', 1);
    await parkLog(parts, copy, faultAt(stored, new Error('cannot read it')), 1, 'passed');
    const marks = async (): Promise<unknown> =>
      (await parkedIn(parts.store, [copy, LIMITS, LOG])).map((one) => [one.projection, one.isReleased]);
    expect(await markReleased(parts.store, [copy, LOG], 'ledger-a', [{ from: 2 }])).to.equal(true);
    expect(await marks()).to.deep.equal([
      ['limits', undefined],
      ['totals', true],
    ]);
    await park(parts, LOG, faultAt(stored, new BrokenStream(stored, 'an event is missing')), 1);
    await markReleased(parts.store, [copy, LOG], 'ledger-a', [{ from: 2 }]);
    expect(await marks()).to.deep.equal([
      ['limits', true],
      ['log', true],
      ['totals', true],
    ]);
  });

  it('is released where it is parked while it is released: whichever of the two is on record first', async () => {
    const raced = await start();
    raced.control.beforeWrite = async (collection) => {
      // nothing of it is parked yet, so that `release` would find nothing
      if (collection === 'parked') await putRelease(nodes.events, 'ledger-d', 1);
    };
    await node.stop();
    await append(nodes.events, 'd', -1, opened('dan'), paid(BAD));
    await until(async () => (await released(raced)).includes('totals ledger-d@1'));
    expect(await parked(raced)).to.not.include('totals ledger-d@1');
  });

  it('keeps no follower waiting for a newer node', async () => {
    await node.stop();
    const patient = await start({ timings: { newerNodeMs: 3_600_000 } });
    await append(nodes.events, 'e', -1, opened('eve'), { type: 'Donated', data: { amount: 1 } });
    await append(nodes.events, 'b', 1, paid(7));
    await until(async () => (await parked(patient)).includes('totals ledger-e@1'));
    expect(await amount(patient)).to.equal(6);
    await release('ledger-e', 1);
    await until(async () => (await amount(patient)) === 6 + 7);
    // Its document is not shown as it was before an event that was there.
    expect(String(await faultOf(patient.projections.readModels.get(ledgers, ['e'])))).to.contain('UnknownEvent');
    const newer = await start({ of: upgraded, logs: [upgradedTotals] });
    await until(async () => (await faultOf(newer.balance('e'))) === undefined && (await newer.balance('e')) === 1);
  });

  it('goes on to be tried by an operator, who may mend it', async () => {
    await release('ledger-a', 2);
    expect(await node.projections.retry('totals', 'ledger-a')).to.equal(false);
    expect([await parked(node), await released(node)]).to.deep.equal([[], ['totals ledger-a@2']]);
    refused.amounts.clear();
    expect(await node.projections.retry('totals', 'ledger-a')).to.equal(true);
    expect([await amount(node), await released(node)]).to.deep.equal([21, []]);
  });

  it('stays parked where the record of its release is damaged', async () => {
    await nodes.events.append(streamOf(actCategory.name, releaseOf('ledger-a')), -1, [
      { id: '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11', type: 'Foreign', data: 'nonsense', metadata: 'nonsense' },
    ]);
    expect([await node.projections.release('ledger-a'), await parked(node)]).to.deep.equal([
      false,
      ['totals ledger-a@2'],
    ]);
  });

  it('that is broken is never read, degrades no node, and makes no difference to a rebuild', async () => {
    const engines = await Engines.make();
    try {
      const file = join(engines.directory, 'events.db');
      const first = await engines.open();
      for (const id of ['bad', 'good']) await append(first.events, id, -1, opened('ann'), paid(1), paid(2), paid(3));
      await engines.close(first);
      const mend = await takeOut(file, 'ledger-bad', 2);
      const engine = await engines.open({ timings: { ...timings, newerNodeMs: 10 } });
      engine.run();
      await until(() => engine.projections.readiness().degraded.length === 1);
      expect(await engine.projections.rebuild('ledgers')).to.deep.include({ equal: false, broken: ['ledger-bad'] });
      await putRelease(engine.events, 'ledger-bad', 3);
      expect(await engine.projections.release('ledger-bad')).to.equal(true);
      await until(() => engine.projections.readiness().degraded.length === 0);
      expect(await faultOf(engine.projections.readModels.get(ledgers, ['bad']))).to.be.instanceOf(BrokenStream);
      expect(() => engine.projections.broken.check('ledger-bad')).to.throw(BrokenStream);
      expect(await engine.projections.rebuild('ledgers')).to.deep.include({
        equal: true,
        different: 0,
        broken: [],
        parked: 0,
      });
      await mend();
      expect(await engine.projections.retry('log', 'ledger-bad')).to.equal(true);
      expect((await engine.projections.readModels.get(ledgers, ['bad']))[0]?.doc.balance).to.equal(6);
    } finally {
      await engines.dispose();
    }
  });

  it('that read models had read before it broke makes no difference to a rebuild, or to its sums, and prevents none', async () => {
    const engines = await Engines.make();
    const options = { projections: [ledgers, totals], timings: { ...timings, newerNodeMs: 10 } };
    try {
      const first = await engines.open(options);
      first.run();
      for (const id of ['bad', 'good']) await append(first.events, id, -1, opened('ann'), paid(1), paid(2), paid(3));
      const amount = async ({ projections }: Engine): Promise<number | undefined> =>
        (await projections.readModels.get(totals, ['all']))[0]?.doc.amount;
      await until(
        async () =>
          (await amount(first)) === 12 && (await first.projections.status()).every(({ lagEvents }) => lagEvents === 0),
      );
      await engines.close(first);
      await takeOut(join(engines.directory, 'events.db'), 'ledger-bad', 2);
      const engine = await engines.open(options);
      engine.run();
      const broken = await breakIn(engine.events, 'ledger-bad');
      if (broken === undefined) throw new Error('the stream is whole');
      engine.projections.broken.found(broken);
      await until(() => engine.projections.readiness().degraded.length === 1);
      // Sums that are further than the log stay, until somebody says that they may go back.
      expect(await faultOf(engine.projections.rebuild('totals'))).to.be.instanceOf(LiveIsFurther);
      await putRelease(engine.events, 'ledger-bad', broken.revision);
      expect(await engine.projections.release('ledger-bad')).to.equal(true);
      const whole = { equal: true, different: 0, examples: [], broken: [], parked: 0, swapped: true };
      expect(await engine.projections.rebuild('ledgers')).to.deep.include(whole);
      expect(await engine.projections.rebuild('totals')).to.deep.include({
        holesChanged: true,
        parked: 0,
        swapped: true,
      });
      expect(await amount(engine)).to.equal(1 + 6);
      expect(await engine.projections.rebuild('ledgers')).to.deep.include(whole);
      expect(await engine.projections.rebuild('totals')).to.deep.include({ ...whole, holesChanged: false });
    } finally {
      await engines.dispose();
    }
  });
});
