// A log projection whose documents are each of one stream parks that stream alone, and takes it in later.
import { expect } from 'chai';
import { unsealEvent } from '../../../../src/journal/envelope.ts';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../../../../src/projections/projection.ts';
import { until } from '../../../support/until.ts';
import { append, ledger, opened, paid, refused } from '../ledger.ts';
import { type Node, Nodes } from '../nodes.ts';
import type { Total } from './totals.ts';
import { foldedLog, heldBy, type TotalKey } from './totals.ts';

const BAD = 13;

/** A document for each ledger, with its amounts in their order. */
const reader: Reader<Total, Total> = {
  categories: ['ledger'],
  initial: { count: 0, amount: 0, seen: [] },
  read: (known, stored) => {
    const { event } = unsealEvent(ledger.category, stored);
    if (event.type !== 'Paid') return { known, changes: [] };
    const { amount } = event.data;
    if (refused.amounts.has(amount)) throw new Error(`cannot read ${amount}`);
    const doc = {
      count: known.count + 1,
      amount: known.amount + amount,
      seen: [...known.seen, `${stored.stream}@${stored.revision}`],
    };
    return { known: doc, changes: [{ id: stored.stream, doc }] };
  },
};
const payers: LogProjection<Total, TotalKey> = logProjection(readingOf(reader), {
  name: 'payers',
  version: 1,
  keys: { amount: ({ amount }) => amount },
  indexes: [['amount']],
});

describe('a log projection in the order of each stream', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(async () => {
    refused.amounts.clear();
    await nodes.close();
  });
  const start = async (newerNodeMs = 100): Promise<Node> => {
    const node = await nodes.open({ logs: [payers], timings: { newerNodeMs } });
    node.run();
    return node;
  };
  const amount = async ({ projections }: Node, id: string): Promise<number | undefined> =>
    (await projections.readModels.get(payers, [`ledger-${id}`]))[0]?.doc.amount;
  const parked = async ({ projections }: Node): Promise<readonly string[]> =>
    (await projections.parked('payers')).map(({ stream, revision }) => `${stream}@${revision}`);
  const expectFold = async (): Promise<void> => {
    expect(await heldBy(nodes.readModels, copyOf(payers, 1))).to.deep.equal(await foldedLog(nodes.events, payers));
  };

  it('goes on with all other streams', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await amount(node, 'b')) === 5);
    await append(nodes.events, 'a', 3, paid(20));
    await append(nodes.events, 'b', 1, paid(6));
    await until(async () => (await amount(node, 'b')) === 11);
    expect([await amount(node, 'a'), await parked(node)]).to.deep.equal([1, ['ledger-a@2']]);
    await until(() => node.projections.readiness().degraded.includes('ledger-a'));
    expect(node.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: ['ledger-a'] });
  });

  it('takes the stream in when it is tried again after the code was mended, and its later events', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await amount(node, 'b')) === 5);
    expect(await node.projections.retry('payers', 'ledger-a')).to.equal(false);
    refused.amounts.clear();
    const operator = await nodes.open({ logs: [payers] });
    expect(await operator.projections.retry('payers', 'ledger-a')).to.equal(true);
    expect(await amount(node, 'a')).to.equal(16);
    await append(nodes.events, 'a', 3, paid(20));
    await until(async () => (await amount(node, 'a')) === 36);
    expect(await parked(node)).to.deep.equal([]);
    await expectFold();
    expect(await node.projections.rebuild('payers')).to.include({ equal: true, different: 0, parked: 0 });
  });

  it('takes the stream in at a start with mended code', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await amount(node, 'b')) === 5);
    await until(async () => (await node.projections.status()).every(({ lagEvents }) => lagEvents === 0));
    await node.stop();
    refused.amounts.clear();
    const next = await start();
    await until(async () => (await amount(next, 'a')) === 16);
    await until(async () => (await parked(next)).length === 0);
    await expectFold();
  });

  it('waits a while for a newer node before an event of an unknown type, once, and goes on then', async () => {
    const node = await start(300);
    await append(nodes.events, 'a', -1, opened('ann'), { type: 'Donated', data: { amount: 1 } });
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await parked(node)).length === 1);
    expect(await amount(node, 'b')).to.equal(undefined);
    await until(async () => (await amount(node, 'b')) === 5);
    expect(await parked(node)).to.deep.equal(['ledger-a@1']);
    await append(nodes.events, 'c', -1, { type: 'Donated', data: { amount: 1 } });
    await append(nodes.events, 'd', -1, opened('dan'), paid(7));
    await until(async () => (await amount(node, 'd')) === 7);
  });

  it('has the same documents after a rebuild beside a parked stream', async () => {
    refused.amounts.add(BAD);
    const node = await start();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(async () => (await amount(node, 'b')) === 5);
    await until(async () => (await node.projections.status()).every(({ lagEvents }) => lagEvents === 0));
    expect(await node.projections.rebuild('payers')).to.include({
      equal: true,
      different: 0,
      parked: 1,
      holesChanged: false,
    });
    await append(nodes.events, 'b', 1, paid(6));
    await until(async () => (await amount(node, 'b')) === 11);
    expect(await amount(node, 'a')).to.equal(1);
  });
});
