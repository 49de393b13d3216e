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
    const { documents, position, parked } = await documentsAt({ events: nodes.events, readModels }, totals, from, signal);
    expect([position, parked]).to.deep.equal([4n, undefined]);
    expect(documents).to.have.deep.members([...(await foldedLog(nodes.events)).values()].map(({ doc }) => doc));
    expect(await nodes.readModels.count(copyOf(totals, 1))).to.equal(2);
    // Documents that have seen more than the position that is known of them are not changed twice.
    const again = await documentsAt({ events: nodes.events, readModels }, totals, -1n, signal);
    expect(again.documents).to.have.deep.members(documents);
  });

  it('stop before an event that cannot be projected', async () => {
    const { projections } = await nodes.open({ logs: [totals] });
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(13), paid(2));
    refused.amounts.add(13);
    const { documents, position, parked } = await documentsAt(
      { events: nodes.events, readModels: projections.readModels },
      totals,
      -1n,
      signal,
    );
    expect(documents.map(({ amount }) => amount)).to.deep.equal([1, 1]);
    expect([position, parked?.stored.revision]).to.deep.equal([1n, 2]);
  });
});
