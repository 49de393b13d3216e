// Stores that hang or are unavailable: no call waits long, nothing is forgotten, and readiness names the fault and its
// begin.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { Gate } from '../../crash/hooked-stores.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { append, ledgers, opened, paid } from './ledger.ts';
import { type Node, type NodeOptions, Nodes } from './nodes.ts';
import { faultOf, refusalOf, timings } from './setup.ts';

const unavailable = (): never => {
  throw new StoreUnavailable('mongodb://user:secret@10.0.0.7 is unplugged');
};
/** Runs it until it has brought something in: then it follows. */
const following = async (nodes: Nodes, options?: NodeOptions): Promise<Node> => {
  const node = await nodes.open(options);
  node.run();
  await append(nodes.events, 'first', -1, opened('eve'));
  await until(async () => (await node.revision('first')) === 0 && node.projections.readiness().ready);
  return node;
};
const reasonsOf = ({ projections }: Node): string => projections.readiness().reasons.join('; ');

describe('a read-model store', () => {
  let nodes: Nodes;
  let node: Node;
  let paused: Gate;
  beforeEach(async () => {
    nodes = new Nodes();
    node = await following(nodes);
    paused = new Gate();
  });
  afterEach(() => {
    paused.open();
    return nodes.close();
  });
  const freezeWrites = (): void => {
    node.control.beforeWrite = (collection) => (collection === ledgers.name ? paused.pass() : undefined);
  };
  const freeze = (): void => {
    node.control.beforeWrite = () => paused.pass();
    node.control.beforeRead = () => paused.pass();
  };
  const thaw = (): void => {
    node.control.beforeWrite = () => undefined;
    node.control.beforeRead = () => undefined;
    paused.open();
  };

  it('that accepts a document too slowly keeps its caller waiting only so long, and is reported', async () => {
    freezeWrites();
    const from = calmWorld.monotonic();
    expect(await node.write('a', opened('ann'))).to.equal(0);
    expect(calmWorld.monotonic() - from).to.be.at.least(timings.answerMs - 5);
    expect(reasonsOf(node)).to.match(/^the read models have accepted no writes for \d s: 1 document waits/);
    const [fault] = node.faults;
    expect(fault).to.be.instanceOf(StoreUnavailable);
    thaw();
    await until(() => node.projections.readiness().ready);
    expect(await node.revision('a')).to.equal(0);
  });

  it('is not passed by the checkpoint while a document is missing, even if no process is left to write it again', async () => {
    freezeWrites();
    await node.write('a', opened('ann'));
    await node.write('b', opened('bob'));
    await calmWorld.sleep(3 * timings.checkpointMs, new AbortController().signal); // time in which it would be kept
    expect((await node.projections.status())[0]?.checkpoint).to.equal('0');
    node.control.pause(); // killed, with the content of its memory
    const next = await nodes.open();
    next.run();
    await until(() => next.projections.readiness().ready);
    expect([await next.revision('a'), await next.revision('b')]).to.deep.equal([0, 0]);
  });

  it('that refuses documents gets them again, the newest of each, until it has them', async () => {
    node.control.beforeWrite = (collection) => (collection === ledgers.name ? unavailable() : undefined);
    for (let n = 0; n < 5; n += 1) await node.write('a', n === 0 ? opened('ann') : paid(n));
    await node.write('b', opened('bob'));
    expect(reasonsOf(node)).to.match(/: 2 documents wait/);
    node.control.beforeWrite = () => undefined;
    await until(() => node.projections.readiness().ready);
    expect([await node.revision('a'), await node.balance('a'), await node.revision('b')]).to.deep.equal([4, 10, 0]);
  });

  it('that is read and takes no document, as on a full disk, has writes refused until it takes them', async () => {
    node.control.beforeWrite = (collection) => (collection === ledgers.name ? unavailable() : undefined);
    expect(node.projections.mayWrite()).to.equal(undefined);
    await node.write('a', opened('ann'));
    await until(async () => (await refusalOf(node.projections)) !== undefined);
    expect(await refusalOf(node.projections)).to.be.instanceOf(StoreUnavailable);
    node.control.beforeWrite = () => undefined;
    await until(async () => (await refusalOf(node.projections)) === undefined);
    expect(await node.revision('a')).to.equal(0);
  });

  it('that is paused has writes refused within a moment, and at once from then on, until it is back', async () => {
    expect(node.projections.mayWrite()).to.equal(undefined);
    freeze();
    await until(async () => (await refusalOf(node.projections)) !== undefined);
    expect(await refusalOf(node.projections)).to.be.instanceOf(StoreUnavailable);
    await until(() =>
      /^the read models have been unavailable for \d s: no response within 0.4 s/.test(reasonsOf(node)),
    );
    const from = calmWorld.monotonic();
    for (let n = 0; n < 20; n += 1) expect(await refusalOf(node.projections)).to.be.instanceOf(StoreUnavailable);
    expect(await faultOf(node.projections.readModels.get(ledgers, ['a']))).to.be.instanceOf(StoreUnavailable);
    expect(calmWorld.monotonic() - from).to.be.below(timings.answerMs * 5); // 21 that waited took four times as long
    thaw();
    await until(() => node.projections.readiness().ready);
    expect(node.projections.mayWrite()).to.equal(undefined);
  });

  it('is reported once when it goes and once when it is back, and its own words are for the log alone', async () => {
    node.control.beforeRead = unavailable;
    await until(() => !node.projections.readiness().ready);
    await calmWorld.sleep(10 * timings.pollMs, new AbortController().signal); // several tries
    expect(reasonsOf(node))
      .to.match(/^the read models have been unavailable for \d s: the log says why/)
      .and.not.match(/secret|10\.0/);
    node.control.beforeRead = () => undefined;
    await until(() => node.projections.readiness().ready);
    const [gone, ...others] = node.faults;
    expect(String(gone)).to.match(/unplugged/);
    const [back, ...more] = others.filter((one) => one instanceof Notice);
    expect(more).to.deep.equal([]);
    expect(String(back)).to.match(/^The read models can be reached again after \d s\.$/);
    // the follower's, when it had work
    expect(others.filter((one) => !(one instanceof Notice))).to.have.length.at.most(1);
  });
});

describe('an event store', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());

  for (const [how, before, why] of [
    ['that fails', unavailable, 'the log says why'],
    ['that hangs', () => new Gate().pass(), 'no response within 0.4 s'],
  ] as const) {
    it(`${how} is named, and ready again without a restart when it is back`, async () => {
      const node = await following(nodes);
      node.control.beforeEvents = before;
      await until(() => !node.projections.readiness().ready);
      expect(reasonsOf(node)).to.match(new RegExp(`^the event store has been unavailable for \\d s: ${why}`));
      node.control.beforeEvents = () => undefined;
      await until(() => node.projections.readiness().ready);
    });
  }

  it('that was unavailable for a moment does not drain the node', async () => {
    const node = await following(nodes, { timings: { staleMs: 10_000 } });
    let asked = 0;
    node.control.beforeEvents = () => {
      asked += 1;
      return unavailable();
    };
    await until(() => asked > 2);
    expect(node.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: [] });
  });

  it('makes a start report the number of remaining events, counted and not taken from positions', async () => {
    const maker = await nodes.open();
    for (let n = 0; n < 40; n += 1) await append(nodes.events, `l${n}`, -1, opened('ann'));
    for (let n = 0; n < 100; n += 1) await nodes.append('elsewhere', n); // positions that do not belong to our events
    await maker.stop();
    const node = await nodes.open();
    const gate = new Gate();
    node.control.beforeWrite = (collection) => (collection === ledgers.name ? gate.pass() : undefined);
    node.run();
    await until(() => reasonsOf(node).includes(' to go'));
    expect(reasonsOf(node)).to.equal('ledgers has not caught up with the log yet: 40 events to go');
    expect((await node.projections.status())[0]).to.include({ lagEvents: 40, checkpoint: '-1' });
    gate.open();
    await until(() => node.projections.readiness().ready);
  });
});
