// A log projection that meets an event which it cannot project goes on without its stream: sums have a hole until they
// are built again.
import { expect } from 'chai';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import type { ProjectionStatus } from '../../../../src/projections/engine/health/status.ts';
import { LiveIsFurther, NewerEvents } from '../../../../src/projections/engine/rebuild/rebuild.ts';
import type { EngineTimings } from '../../../../src/projections/engine/timings.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { until, untilDone } from '../../../support/until.ts';
import { append, opened, paid, upgraded } from '../ledger.ts';
import { type Node, type NodeOptions, Nodes } from '../nodes.ts';
import { faultOf } from '../setup.ts';
import { foldedLog, heldBy, refused, totals, totalsAt, upgradedTotals } from './totals.ts';

const BAD = 13;

describe('a parked log projection', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(async () => {
    refused.amounts.clear();
    refused.changes.clear();
    await nodes.close();
  });
  const start = async (options: NodeOptions = {}): Promise<Node> => {
    const node = await nodes.open({ logs: [totals], ...options });
    node.run();
    return node;
  };
  const amount = async ({ projections }: Node, id = 'all'): Promise<number | undefined> =>
    (await projections.readModels.get(totals, [id]))[0]?.doc.amount;
  const statusOf = async ({ projections }: Node): Promise<ProjectionStatus> => {
    const found = (await projections.status()).find(({ name }) => name === totals.name);
    return found ?? expect.fail('no status');
  };
  const isParked = async ({ projections }: Node): Promise<boolean> =>
    (await projections.parked(totals.name)).length === 1;
  /** A rebuild closes a hole, so the live generation may be any. */
  const expectFold = async (node: Node): Promise<void> => {
    const { generation = 0 } = await statusOf(node);
    expect(await heldBy(nodes.readModels, copyOf(totals, generation))).to.deep.equal(await foldedLog(nodes.events));
  };

  for (const [where, amounts] of [
    ['its reader', refused.amounts],
    ['a document', refused.changes],
  ] as const)
    describe(`by an event that ${where} refuses`, () => {
      let node: Node;
      beforeEach(async () => {
        amounts.add(BAD);
        node = await start();
        await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
        await append(nodes.events, 'b', -1, opened('bob'), paid(5));
        await until(() => isParked(node));
      });

      it('has all but its stream from that event on', async () => {
        await until(async () => (await amount(node)) === 1 + 5);
        await append(nodes.events, 'a', 3, paid(100));
        await append(nodes.events, 'b', 1, paid(7));
        await until(async () => (await amount(node)) === 1 + 5 + 7);
        await until(async () => (await node.balance('a')) === 1 + BAD + 2 + 100);
        expect((await node.projections.parked('totals'))[0]).to.include({
          stream: 'ledger-a',
          revision: 2,
          reason: 'poison',
          type: 'Paid',
        });
      });

      it('stops no node: it is degraded, and the list of projections says so', async () => {
        await until(() => node.projections.readiness().degraded.length > 0);
        expect(node.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: ['ledger-a'] });
        await until(async () => (await statusOf(node)).checkpoint === '5');
        await until(async () => (await statusOf(node)).state === 'live'); // a start has tried the stream again
        expect(await statusOf(node)).to.include({ parked: 1, lagEvents: 0 });
      });

      it('is built again, with all of the log, when it is tried again after the code was mended', async () => {
        amounts.clear();
        expect(await node.projections.retry('totals', 'ledger-a')).to.equal(true);
        expect(await amount(node)).to.equal(21);
        await append(nodes.events, 'b', 1, paid(7));
        await until(async () => (await amount(node)) === 28);
        expect(await node.projections.parked()).to.deep.equal([]);
        await expectFold(node);
      });

      it('stays parked when it is tried again and nothing was mended', async () => {
        expect(await node.projections.retry('totals', 'ledger-a')).to.equal(false);
        expect(await isParked(node)).to.equal(true);
        await until(async () => (await amount(node)) === 6);
      });

      it('closes the hole at a start with mended code', async () => {
        await node.stop();
        amounts.clear();
        const next = await start();
        await until(async () => (await amount(next)) === 21);
        await until(async () => !(await isParked(next)));
        await expectFold(next);
      });

      it('goes on without the event when an operator discards it, and a rebuild is equal to that', async () => {
        const operator = await nodes.open({ logs: [totals] });
        expect(await operator.projections.discard('totals', 'ledger-a')).to.equal(true);
        await until(async () => (await amount(node)) === 8);
        await append(nodes.events, 'a', 3, paid(20));
        await until(async () => (await amount(node)) === 28);
        expect(await node.projections.rebuild('totals')).to.include({ equal: true, different: 0, parked: 0 });
        expect(await amount(node)).to.equal(28);
      });

      it('has the same hole after a rebuild, which is equal', async () => {
        await until(async () => (await statusOf(node)).checkpoint === '5');
        expect(await node.projections.rebuild('totals')).to.include({
          equal: true,
          different: 0,
          parked: 1,
          holesChanged: false,
        });
        await until(() => isParked(node));
        await append(nodes.events, 'b', 1, paid(7));
        amounts.clear();
        expect(await node.projections.retry('totals', 'ledger-a')).to.equal(true);
        await until(async () => (await amount(node)) === 28);
        await expectFold(node);
      });

      it('is rebuilt with mended code to all of the log', async () => {
        await until(async () => (await statusOf(node)).checkpoint === '5');
        amounts.clear();
        // the node's own rebuild may be under way, and closes the hole first
        const rebuilt = await untilDone(() => node.projections.rebuild('totals'));
        expect(rebuilt).to.include({ swapped: true, parked: 0 });
        await until(async () => (await node.projections.parked()).length === 0);
        await expectFold(node);
      });
    });

  it('keeps no process from its end, while the rebuild that closes the hole waits for read models that are unavailable', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD));
    await until(() => isParked(node));
    await node.stop();
    refused.amounts.clear();
    const next = await nodes.open({ logs: [totals] });
    let isAway = false;
    next.control.beforeWrite = (collection) => {
      isAway ||= collection === 'catalog';
      if (isAway) throw new StoreUnavailable('They are silent', { isPassing: true });
    };
    next.run();
    await until(() => isAway);
    let hasEnded = false;
    void next.stop().then(() => {
      hasEnded = true;
    });
    await until(() => hasEnded);
    expect(next.faults.map(String).filter((fault) => fault.includes('aborted'))).to.deep.equal([]);
  });

  it('is tried again until the signal of the caller aborts, and is parked as before', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD));
    await until(() => isParked(node));
    refused.amounts.clear();
    const operator = await nodes.open({ logs: [totals] });
    const ending = new AbortController();
    const stopped = new Error('the operator has left');
    operator.control.beforeWrite = (collection) => {
      if (collection !== 'catalog' || ending.signal.aborted) return;
      ending.abort(stopped);
      throw new StoreUnavailable('They are silent', { isPassing: true });
    };
    expect(await faultOf(operator.projections.retry('totals', 'ledger-a', ending.signal))).to.equal(stopped);
    expect(await isParked(node)).to.equal(true);
    expect(await operator.projections.retry('totals', 'ledger-a')).to.equal(true);
  });

  it('does not replace a live one that is further', async () => {
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(BAD), paid(1));
    await until(async () => (await statusOf(node)).checkpoint === '2');
    refused.amounts.add(BAD);
    expect(await faultOf(node.projections.rebuild('totals'))).to.be.instanceOf(LiveIsFurther);
    expect(await amount(node)).to.equal(14);
    expect(await statusOf(node)).to.include({ generation: 1, parked: 0, state: 'live' });
    expect(await node.projections.rebuild('totals', { dryRun: true })).to.include({
      parked: 1,
      equal: false,
      swapped: false,
    });
  });

  it('is shown, as far as it got, when its version is new: a node of that version is ready, and degraded', async () => {
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await until(async () => (await amount(node)) === 16);
    refused.amounts.add(BAD);
    const newer = await start({ logs: [totalsAt(2)] });
    await until(() => newer.projections.readiness().degraded.length > 0);
    await until(() => newer.projections.readiness().ready);
    expect((await newer.projections.readModels.get(totalsAt(2), ['all']))[0]?.doc.amount).to.equal(1);
    expect(await amount(node)).to.equal(16);
  });
});

describe('a log projection during an upgrade node by node', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());
  const timings: Partial<EngineTimings> = { leaseDeadMs: 60_000, newerNodeMs: 60_000 };
  const donated = (amount: number) => ({ type: 'Donated', data: { amount } });
  const amountOf = async (node: Node): Promise<number | undefined> =>
    (await node.projections.readModels.get(totals, ['all']))[0]?.doc.amount;

  it('is brought past an event that the older follower does not know by a newer node, and the older one goes on after it', async () => {
    const older = await nodes.open({ logs: [totals], timings });
    older.run();
    const newer = await nodes.open({ of: upgraded, logs: [upgradedTotals], timings });
    newer.run();
    await until(() => newer.projections.isWorkElsewhere());
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), donated(10), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(100));
    await until(async () => (await amountOf(newer)) === 113);
    await append(nodes.events, 'b', 1, paid(1_000));
    await until(async () => (await amountOf(older)) === 1_113);
    await append(nodes.events, 'a', 3, paid(10_000)); // its stream has an event that the older one cannot read
    await until(async () => (await amountOf(older)) === 11_113);
    await until(async () => (await older.projections.parked('totals')).length === 0);
    expect(await heldBy(nodes.readModels, copyOf(totals, 1))).to.deep.equal(
      await foldedLog(nodes.events, upgradedTotals),
    );
    expect(await faultOf(older.projections.rebuild('totals'))).to.be.instanceOf(NewerEvents);
    expect(await newer.projections.rebuild('totals')).to.include({ equal: true, different: 0 });
  });
});
