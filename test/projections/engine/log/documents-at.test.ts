// The documents of a log projection at one position, in memory: the log up to there, wherever the kept ones are.
import { expect } from 'chai';
import { copyOf } from '../../../../src/projections/engine/generations/copy.ts';
import { documentsAt } from '../../../../src/projections/engine/log/documents-at.ts';
import { append, opened, paid } from '../ledger.ts';
import { Nodes } from '../nodes.ts';
import { foldedLog, refused, totals } from './totals.ts';

describe('the documents of a log projection at a position', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(async () => {
    refused.amounts.clear();
    await nodes.close();
  });
  const signal = new AbortController().signal;

  it('have the events after the kept ones, and none of it is kept', async () => {
    await append(nodes.events, 'a', -1, opened('ann'), paid(1));
    const { projections } = await nodes.open({ logs: [totals] });
    const from = (await projections.positions()).get(totals.name) ?? -1n;
    expect(from).to.equal(1n);
    await append(nodes.events, 'a', 1, paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(4));
    const { readModels } = projections;
    const parts = { events: nodes.events, readModels };
    const { documents, position, holes } = await documentsAt(parts, totals, { from, parked: [] }, signal);
    expect([position, holes]).to.deep.equal([4n, []]);
    expect(documents).to.have.deep.members([...(await foldedLog(nodes.events)).values()].map(({ doc }) => doc));
    expect(await nodes.readModels.count(copyOf(totals, 1))).to.equal(2);
    // Documents that have seen more than the position that is known of them are not changed twice.
    const again = await documentsAt(parts, totals, { from: -1n, parked: [] }, signal);
    expect(again.documents).to.have.deep.members(documents);
  });

  it('go on without a stream with an event that cannot be projected, and without those that are parked', async () => {
    const { projections } = await nodes.open({ logs: [totals] });
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(13), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await append(nodes.events, 'c', -1, opened('cid'), paid(7), paid(8));
    refused.amounts.add(13);
    const { documents, position, holes } = await documentsAt(
      { events: nodes.events, readModels: projections.readModels },
      totals,
      { from: -1n, parked: [{ stream: 'ledger-c', revision: 2 }] },
      signal,
    );
    expect(documents.map(({ amount }) => amount)).to.have.members([13, 1, 5, 7]);
    expect(position).to.equal(8n);
    expect(holes).to.have.deep.members([
      { stream: 'ledger-a', revision: 2 },
      { stream: 'ledger-c', revision: 2 },
    ]);
  });
});
