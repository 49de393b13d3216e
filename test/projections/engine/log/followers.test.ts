// The follower of a log projection: it alone writes the documents, in log order, and any other one can take its place
// at any moment.
import { expect } from 'chai';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { Gate } from '../../../crash/hooked-stores.ts';
import { until } from '../../../support/until.ts';
import { append, appendTo, ledgers, opened, paid } from '../ledger.ts';
import { type Node, Nodes } from '../nodes.ts';
import { foldedLog, given, heldBy, totals, totalsAt } from './totals.ts';

describe('the documents of a log projection', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());
  const start = async (): Promise<Node> => {
    const node = await nodes.open({ logs: [totals] });
    node.run();
    return node;
  };
  const amount = async ({ projections }: Node, id: string): Promise<number | undefined> =>
    (await projections.readModels.get(totals, [id]))[0]?.doc.amount;
  const isFolded = async (generation = 1): Promise<boolean> => {
    const [held, folded] = [await heldBy(nodes.readModels, copyOf(totals, generation)), await foldedLog(nodes.events)];
    return held.size === folded.size && [...folded].every(([id, { revision }]) => held.get(id)?.revision === revision);
  };
  const expectFold = async (generation = 1): Promise<void> => {
    await until(() => isFolded(generation));
    expect(await heldBy(nodes.readModels, copyOf(totals, generation))).to.deep.equal(await foldedLog(nodes.events));
  };
  const writesOf = (node: Node): { count: number } => {
    const writes = { count: 0 };
    node.control.beforeWrite = (collection) => {
      if (collection === totals.name) writes.count += 1;
    };
    return writes;
  };

  it('come from several categories, and know the earlier events of a stream', async () => {
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(10));
    await appendTo(nodes.events, 'gift-g', -1, given(100));
    await until(async () => (await amount(node, 'all')) === 113);
    expect([await amount(node, 'of ann'), await amount(node, 'of bob'), await amount(node, 'of gifts')]).to.deep.equal([
      3, 10, 100,
    ]);
    await expectFold();
  });

  it('are written by the one process that follows, and not by the appending one', async () => {
    const holder = await start();
    const other = await start();
    await until(() => other.projections.isWorkElsewhere());
    const [its, others] = [writesOf(holder), writesOf(other)];
    await other.write('a', opened('ann'));
    for (let n = 1; n <= 20; n += 1) await other.write('a', paid(n));
    await until(async () => (await amount(other, 'of ann')) === 210);
    expect(its.count).to.be.above(0);
    expect(others.count).to.equal(0);
    await expectFold();
  });

  it('are read once and written once for a batch that changes them many times', async () => {
    await append(nodes.events, 'a', -1, opened('ann'), ...Array.from({ length: 300 }, (_, n) => paid(n)));
    const first = await nodes.open({ logs: [totals] }); // builds them
    await append(nodes.events, 'a', 300, ...Array.from({ length: 300 }, (_, n) => paid(n)));
    const ids: string[] = [];
    let reads = 0;
    first.control.beforeWrite = (collection, its) => void (collection === totals.name && ids.push(...its));
    first.control.beforeRead = (collection) => {
      if (collection === totals.name) reads += 1;
    };
    first.run();
    await until(() => isFolded());
    expect(ids).to.have.members(['all', 'of ann']);
    expect(reads).to.equal(1);
    await expectFold();
  });

  it('are not read first where an event alone makes them', async () => {
    const alone = totalsAt(1, {
      categories: ['ledger'],
      add: undefined,
      initial: 'nobody',
      read: (known, { id, stream }) => ({
        known,
        changes: [{ id, doc: { count: 1, amount: 0, seen: [stream] } }],
      }),
    });
    const node = await nodes.open({ logs: [alone] });
    let reads = 0;
    node.control.beforeRead = (collection) => {
      if (collection === alone.name) reads += 1;
    };
    node.run();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(2));
    await until(async () => (await heldBy(nodes.readModels, copyOf(alone, 1))).size === 3);
    expect(reads).to.equal(0);
  });

  it('are written less often than events come, where many come one after the other', async () => {
    const node = await start();
    const writes = writesOf(node);
    await node.write('a', opened('ann'));
    for (let n = 1; n <= 200; n += 1) await node.write('a', paid(1));
    await until(async () => (await amount(node, 'of ann')) === 200);
    expect(writes.count).to.be.within(1, 50);
    await expectFold();
  });

  it('go on from the checkpoint at a start, with streams that are known from before it', async () => {
    const first = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1));
    await until(async () => (await first.projections.status()).every(({ checkpoint }) => checkpoint === '1'));
    await first.stop();
    const from: bigint[] = [];
    const next = await nodes.open({ logs: [totals] });
    next.control.beforeFollow = (after) => from.push(after);
    next.run();
    await append(nodes.events, 'a', 1, paid(2));
    await until(async () => (await amount(next, 'of ann')) === 3);
    expect(from[0]).to.equal(1n);
    await expectFold();
  });

  it('are the same when two that know nothing of each other follow at once', async () => {
    for (let n = 0; n < 40; n += 1) await append(nodes.events, `l${n}`, -1, opened(`owner-${n % 4}`), paid(n));
    const made = [await nodes.open({ logs: [totals] }), await nodes.open({ logs: [totals] })];
    for (let n = 0; n < 40; n += 1) await append(nodes.events, `l${n}`, 1, paid(n));
    for (const node of made) node.run();
    await expectFold();
  });

  it('are taken over from a follower that dies with a batch in hand, and are none the worse when it wakes up', async () => {
    const holder = await start();
    const other = await start();
    await until(() => other.projections.isWorkElsewhere());
    const gate = new Gate();
    holder.control.beforeWrite = (collection) => (collection === totals.name ? gate.pass() : undefined);
    await append(nodes.events, 'a', -1, opened('ann'), paid(1));
    await gate.reached;
    holder.control.pause();
    await append(nodes.events, 'a', 1, paid(2), paid(4));
    await until(async () => (await amount(other, 'all')) === 7);
    holder.control.beforeWrite = () => undefined;
    gate.open();
    holder.control.wake();
    await until(() => holder.projections.isWorkElsewhere());
    await append(nodes.events, 'a', 3, paid(8));
    await until(async () => (await amount(holder, 'all')) === 15);
    await expectFold();
  });

  it('keep a process from being ready until they have the log up to its start, and have a lag of their own', async () => {
    await append(nodes.events, 'a', -1, opened('ann'), paid(1));
    const first = await nodes.open({ logs: [totals] });
    await append(nodes.events, 'a', 1, paid(2));
    const gate = new Gate();
    const node = await nodes.open({ logs: [totals] });
    node.control.beforeWrite = (collection) => (collection === totals.name ? gate.pass() : undefined);
    node.run();
    await gate.reached;
    await until(async () => (await node.row('a'))?.revision === 2);
    expect(node.projections.readiness().reasons.join()).to.match(/^totals has not caught up with the log yet/);
    await until(
      async () => (await node.projections.status()).find(({ name }) => name === ledgers.name)?.lagEvents === 0,
    );
    const [status] = (await node.projections.status()).filter(({ name }) => name === totals.name);
    expect(status).to.include({ lagEvents: 1, documents: 2, parked: 0, state: 'live', checkpoint: '1' });
    expect([...(await node.projections.lags(new AbortController().signal)).keys()]).to.have.members([
      ledgers.name,
      totals.name,
    ]);
    gate.open();
    await until(() => node.projections.readiness().ready);
    expect(first.faults).to.deep.equal([]);
  });
});
