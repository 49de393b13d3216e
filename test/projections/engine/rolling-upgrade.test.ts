// Nodes of two versions on the same stores: the older one stops at unknown events, and discards nothing of the newer
// one.
import { expect } from 'chai';
import { z } from 'zod';
import { hashOf, UnknownEvent } from '../../../src/journal/envelope.ts';
import { NewerEvents } from '../../../src/projections/engine/rebuild/rebuild.ts';
import { projection } from '../../../src/projections/projection.ts';
import { until } from '../../support/until.ts';
import { append, type Ledger, ledger, ledgers, ledgersOf, opened, paid, upgraded } from './ledger.ts';
import { type LedgerProjection, type Node, Nodes } from './nodes.ts';
import { faultOf } from './setup.ts';

const donated = (amount: number) => ({ type: 'Donated', data: { amount } });

/** The newer code with documents of a new shape: a generation of its own. */
const reshaped: LedgerProjection = projection(
  {
    category: 'ledger',
    project: (doc, stored) => ({ ...upgraded.project(doc, stored), note: 'reshaped' }),
  },
  ledgersOf(2),
);

describe('an upgrade node by node', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());

  const start = async (of: LedgerProjection): Promise<Node> => {
    const node = await nodes.open({ of });
    node.run();
    await until(() => node.projections.readiness().ready);
    return node;
  };
  const has = (node: Node, id: string, balance: number) => async (): Promise<boolean> => {
    const row = await node.row(id).catch((fault: unknown) => {
      if (!(fault instanceof UnknownEvent)) throw fault;
      return undefined;
    });
    return row?.doc.balance === balance;
  };
  /** A newer node's inline work for an event that the test has appended. */
  const inline = async (node: Node, of: LedgerProjection, id: string, revision: number, doc: Ledger): Promise<void> =>
    node.projections.onFolded(of)(id, revision, doc);

  for (const [who, order] of [
    ['the older one follows', [ledgers, upgraded]],
    ['the newer one follows', [upgraded, ledgers]],
  ] as const) {
    describe(`with documents of the same shape, while ${who}`, () => {
      let older: Node;
      let newer: Node;
      beforeEach(async () => {
        const [holder, other] = order;
        const first = await start(holder);
        const second = await start(other);
        await until(() => second.projections.isWorkElsewhere());
        [older, newer] = holder === ledgers ? [first, second] : [second, first];
      });

      it('shows on both the documents of the newer one, and goes on from there', async () => {
        await append(nodes.events, 'a', -1, opened('ann'), donated(3));
        await inline(newer, upgraded, 'a', 1, { ...ledger.initial, owner: 'ann', balance: 3 });
        await append(nodes.events, 'a', 1, paid(1));
        await until(has(newer, 'a', 4));
        await until(has(older, 'a', 4)); // a document is a document, of whichever node
        await until(async () => (await newer.projections.parked()).length === 0);
        expect([older, newer].map(({ projections }) => projections.readiness().ready)).to.deep.equal([true, true]);
      });

      it('brings on by the newer one documents that it left undone itself and the older one cannot project', async () => {
        await append(nodes.events, 'a', -1, opened('ann'), donated(3), paid(1));
        await append(nodes.events, 'b', -1, opened('bob'), paid(5));
        await until(has(older, 'b', 5));
        await until(has(newer, 'a', 4));
        await until(has(older, 'a', 4));
        await append(nodes.events, 'a', 2, donated(10));
        await until(has(older, 'a', 14));
        await until(async () => (await older.projections.parked()).length === 0);
      });

      it('shows on the older one documents past the event, although the stream was not released yet', async () => {
        await newer.stop();
        await append(nodes.events, 'a', -1, opened('ann'), donated(3));
        await until(async () => (await faultOf(older.row('a'))) instanceof UnknownEvent);
        await inline(newer, upgraded, 'a', 1, { ...ledger.initial, owner: 'ann', balance: 3 });
        expect([await older.balance('a'), (await older.projections.parked()).length]).to.deep.equal([3, 1]);
      });

      it('refuses commands of the older one on such a stream, and no others', async () => {
        await append(nodes.events, 'a', -1, opened('ann'), donated(3));
        expect(await faultOf(older.write('a', paid(1)))).to.be.instanceOf(UnknownEvent);
        expect(await older.write('b', opened('bob'))).to.equal(0);
        await until(has(newer, 'b', 0));
      });

      it('lets no rebuild of the older one discard documents', async () => {
        await append(nodes.events, 'a', -1, opened('ann'), donated(3));
        await until(has(newer, 'a', 3));
        expect(await faultOf(older.projections.rebuild('ledgers'))).to.be.instanceOf(NewerEvents);
        expect(await older.projections.rebuild('ledgers', { dryRun: true })).to.include({
          different: 1,
          swapped: false,
        });
        expect(await newer.balance('a')).to.equal(3);
        expect(await newer.projections.rebuild('ledgers')).to.include({ equal: true, swapped: true });
      });
    });
  }

  describe('with documents of a new shape', () => {
    let older: Node;
    let newer: Node;
    beforeEach(async () => {
      older = await start(ledgers);
      await append(nodes.events, 'old', -1, opened('ann'), paid(1));
      await until(has(older, 'old', 1));
      newer = await start(reshaped);
    });

    it('has each follow for its own: both bring in events of the other', async () => {
      expect([older, newer].map(({ projections }) => projections.isWorkElsewhere())).to.deep.equal([false, false]);
      await newer.write('old', paid(2));
      await until(has(older, 'old', 3));
      await older.write('old', paid(4));
      await until(has(newer, 'old', 7));
      expect([(await older.row('old'))?.doc.note, (await newer.row('old'))?.doc.note]).to.deep.equal([
        'at 3',
        'reshaped',
      ]);
    });

    it('has the older one refuse documents that end before an unknown event, and show all others', async () => {
      await append(nodes.events, 'old', 1, donated(3));
      await inline(newer, reshaped, 'old', 2, { ...ledger.initial, owner: 'ann', balance: 4, note: 'reshaped' });
      await until(async () => (await faultOf(older.row('old'))) instanceof UnknownEvent);
      await append(nodes.events, 'new', -1, donated(1));
      await until(async () => (await faultOf(older.row('new'))) instanceof UnknownEvent);
      await older.write('other', opened('bob'));
      expect(await older.revision('other')).to.equal(0);
      await until(() => older.projections.readiness().degraded.length === 2);
      expect(older.projections.readiness()).to.deep.equal({
        ready: true,
        reasons: [],
        degraded: ['ledger-new', 'ledger-old'],
      });
      await until(async () => (await older.projections.status())[0]?.lagEvents === 0);
      expect((await older.projections.status())[0]).to.include({ version: 1, generation: 1, parked: 2 });
      expect((await older.projections.parked()).map(({ reason }) => reason)).to.deep.equal(['unknown', 'unknown']);

      await until(has(newer, 'old', 4));
      await until(has(newer, 'new', 1));
      expect((await newer.projections.status())[0]).to.include({ version: 2, generation: 2, parked: 0 });
      expect(newer.faults).to.deep.equal([]);
    });

    it('has the older one go on in its generation through a rebuild of the newer one', async () => {
      expect(await newer.projections.rebuild('ledgers')).to.include({ equal: true, generation: 3 });
      await older.write('old', paid(2));
      expect(await older.balance('old')).to.equal(3);
      await until(has(newer, 'old', 3));
      expect((await older.projections.status())[0]).to.include({ generation: 1, state: 'live' });
    });

    it('brings everything on when the last older one is replaced', async () => {
      await append(nodes.events, 'old', 1, donated(3), paid(1));
      await until(async () => (await faultOf(older.row('old'))) instanceof UnknownEvent);
      await older.stop();
      const replaced = await start(reshaped);
      await until(has(replaced, 'old', 5));
      expect(replaced.projections.readiness()).to.deep.equal({ ready: true, reasons: [], degraded: [] });
    });
  });
});

describe('an event of a higher schema version', () => {
  it('is as unknown as one of a new type', async () => {
    const nodes = new Nodes();
    const node = await nodes.open();
    node.run();
    const [first] = await append(nodes.events, 'a', -1, opened('ann'));
    if (first === undefined) throw new Error('nothing was appended');
    const before = z.looseObject({}).parse(JSON.parse(first.metadata));
    const metadata = JSON.stringify({ ...before, schemaVersion: 2, previousHash: hashOf(first) });
    const id = '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11';
    await nodes.events.append('ledger-a', 0, [{ type: 'Paid', data: '{"amount":{"value":1}}', id, metadata }]);
    await until(async () => (await node.projections.parked()).length === 1);
    expect((await node.projections.parked())[0]).to.include({ reason: 'unknown', type: 'Paid', revision: 1 });
    expect(await faultOf(node.row('a'))).to.be.instanceOf(UnknownEvent);
    expect(await faultOf(node.write('a', paid(1)))).to.be.instanceOf(UnknownEvent);
    await nodes.close();
  });
});
