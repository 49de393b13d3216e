// A rebuild of a log projection: proven at equal positions beside a follower, and harmless when the log does not hold
// together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { logProjection, type Reader, readingOf } from '../../../../src/projections/projection.ts';
import { until } from '../../../support/until.ts';
import { append, appendTo, opened, paid } from '../ledger.ts';
import { type Node, Nodes } from '../nodes.ts';
import { foldedLog, given, heldBy, type Total, totals, totalsAt } from './totals.ts';

/** The sum of each stream of gifts. */
const giftReader: Reader<undefined, { readonly amount: number }> = {
  categories: ['gift'],
  add: (doc, part) => ({ amount: doc.amount + part.amount }),
  initial: undefined,
  read: (known, { stream, data }) => {
    const { amount } = z.object({ amount: z.number() }).parse(JSON.parse(data));
    return { known, changes: [{ id: stream, doc: { amount } }] };
  },
};

describe('a rebuild of a log projection', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());
  const checkpointIs =
    ({ projections }: Node, checkpoint: string) =>
    async (): Promise<boolean> =>
      (await projections.status()).some((one) => one.name === totals.name && one.checkpoint === checkpoint);
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 10; n += 1)
      await append(nodes.events, `l${n}`, -1, opened(`owner-${n % 3}`), paid(n), paid(100));
    await appendTo(nodes.events, 'gift-g', -1, given(7), given(8));
  };
  const start = async (): Promise<Node> => {
    const node = await nodes.open({ logs: [totals] });
    node.run();
    return node;
  };

  it('reads the log, proves every document, and takes the place of the live one', async () => {
    const node = await start();
    await fill();
    await until(checkpointIs(node, '31'));
    const steps = new Set<string>();
    const rebuilt = await node.projections.rebuild('totals', { onProgress: ({ step }) => steps.add(step) });
    expect(rebuilt).to.include({
      equal: true,
      different: 0,
      documents: 5,
      documentsBefore: 5,
      events: 32,
      generation: 2,
      swapped: true,
    });
    expect(rebuilt.digestAfter).to.equal(rebuilt.digestBefore);
    expect([...steps]).to.deep.equal(['building', 'indexing', 'joining', 'comparing']);
    expect(await heldBy(nodes.readModels, copyOf(totals, 2))).to.deep.equal(await foldedLog(nodes.events));
    await appendTo(nodes.events, 'gift-g', 1, given(9));
    await until(async () => (await node.projections.readModels.get(totals, ['of gifts']))[0]?.doc.amount === 24);
  });

  it('finds documents that differ from the log, or are missing, and puts them right', async () => {
    const node = await start();
    await fill();
    await until(checkpointIs(node, '31'));
    await node.stop();
    const [all] = await nodes.readModels.get(copyOf(totals, 1), ['all']);
    const lost = await heldBy(nodes.readModels, copyOf(totals, 1));
    const tampered: Total = { count: 1, amount: 1_000_000, seen: [] };
    // Equal positions, and a document that claims to have seen more than the log holds.
    await (await nodes.readModels.build(copyOf(totals, 1))).finish();
    const rows = [...lost.values()]
      .filter(({ id }) => id !== 'of owner-1')
      .map((row) => (row.id === 'all' ? { ...row, doc: tampered } : row));
    await nodes.readModels.write(copyOf(totals, 1), [...rows, { id: 'never', revision: 99, doc: tampered }]);
    const operator = await nodes.open({ logs: [totals] });
    const rebuilt = await operator.projections.rebuild('totals');
    expect(rebuilt).to.include({ equal: false, different: 3, documents: 5, documentsBefore: 5, swapped: true });
    expect(rebuilt.examples).to.have.members(['all', 'never', 'of owner-1']);
    expect(rebuilt.digestAfter).not.to.equal(rebuilt.digestBefore);
    expect((await operator.projections.readModels.get(totals, ['all']))[0]).to.deep.equal(all);
  });

  it('brings the live one on with newer events, instead of calling it different', async () => {
    const first = await nodes.open({ logs: [totals] }); // builds them, and follows nothing
    await fill();
    expect(await first.projections.rebuild('totals')).to.include({
      equal: true,
      different: 0,
      documents: 5,
      documentsBefore: 5,
    });
  });

  it('goes on with a document that it had handed over, among more than it keeps in memory', async () => {
    const gifts = logProjection(readingOf(giftReader), { name: 'gifts', version: 1, keys: {}, indexes: [] });
    const node = await nodes.open({ logs: [gifts] });
    await appendTo(nodes.events, 'gift-0', -1, given(7));
    for (let n = 1; n <= 11_100; n += 1) await appendTo(nodes.events, `gift-${n}`, -1, given(n));
    await appendTo(nodes.events, 'gift-0', 0, given(5));
    expect(await node.projections.rebuild('gifts')).to.include({ equal: true, different: 0, documents: 11_101 });
    expect((await node.projections.readModels.get(gifts, ['gift-0']))[0]?.doc).to.deep.equal({ amount: 12 });
  });

  it('is equal beside nodes that append and follow', async () => {
    const made = [await start(), await start()];
    let isOver = false;
    let appended = 0;
    const writer = async (node: Node, name: string): Promise<void> => {
      for (let turn = 0; !isOver; turn += 1) {
        await node.write(`${name}-${turn % 5}`, turn < 5 ? opened(name) : paid(1));
        appended += 1;
        await nextTurn();
      }
    };
    const writers = made.map((node, n) => writer(node, `w${n}`));
    for (const node of made) {
      const before = appended;
      expect(await node.projections.rebuild('totals')).to.include({ equal: true, different: 0, swapped: true });
      await until(() => appended > before + 20);
    }
    isOver = true;
    await Promise.all(writers);
    await until(async () => (await made[0]?.projections.status())?.every(({ lagEvents }) => lagEvents === 0) ?? false);
    expect(await heldBy(nodes.readModels, copyOf(totals, 3))).to.deep.equal(await foldedLog(nodes.events));
    expect(made.flatMap(({ faults }) => faults)).to.deep.equal([]);
  });

  it('starts automatically when the version changes, while a node of the previous version continues with its own', async () => {
    const older = await start();
    await fill();
    await until(checkpointIs(older, '31'));
    const changed = totalsAt(2);
    const newer = await nodes.open({ logs: [changed] });
    newer.run();
    await until(() => newer.projections.readiness().ready);
    await appendTo(nodes.events, 'gift-g', 1, given(9));
    for (const [node, of] of [
      [older, totals],
      [newer, changed],
    ] as const)
      await until(async () => (await node.projections.readModels.get(of, ['of gifts']))[0]?.doc.amount === 24);
    const [status] = (await newer.projections.status()).filter(({ name }) => name === 'totals');
    expect(status).to.include({ version: 2, generation: 2, documents: 5 });
  });

  it('stops at a stream that is broken, until an operator orders that its event be passed over', async () => {
    const node = await start();
    await fill();
    await until(checkpointIs(node, '31'));
    const metadata = JSON.stringify({ accountId: 'acc_1', recordedAt: 1, schemaVersion: 1, previousHash: 'forged' });
    const id = '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11';
    await nodes.events.append('ledger-l0', 2, [{ id, type: 'Paid', data: '{"amount":5}', metadata }]);
    await appendTo(nodes.events, 'gift-g', 1, given(9));
    await until(async () => (await node.projections.parked('totals')).length === 1);
    expect((await node.projections.parked('totals'))[0]).to.include({
      stream: 'ledger-l0',
      revision: 3,
      reason: 'broken',
    });
    expect(await node.projections.retry('totals', 'ledger-l0')).to.equal(false);
    expect(await node.projections.discard('totals', 'ledger-l0')).to.equal(true);
    await until(async () => (await node.projections.readModels.get(totals, ['of gifts']))[0]?.doc.amount === 24);
    expect(await node.projections.rebuild('totals')).to.include({ equal: true, different: 0, parked: 0 });
    expect((await node.projections.parked('log')).map(({ stream }) => stream)).to.deep.equal(['ledger-l0']);
  });
});
