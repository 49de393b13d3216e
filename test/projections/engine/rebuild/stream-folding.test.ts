// Folding a log longer than the memory for documents: documents are handed over, and brought back when their streams go
// on.
import { expect } from 'chai';
import { openProjections } from '../../../../src/projections/engine/engine.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { append, ledgers, opened, paid, refused } from '../ledger.ts';
import { timings } from '../setup.ts';

/** More than a fold keeps in memory. */
const LEDGERS = 12_000;

describe('folding a long log', () => {
  const events = openMemoryEventStore();
  const open = () =>
    openProjections({
      events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: (fault) => {
        throw fault;
      },
      projections: [ledgers],
      timings: { ...timings, joinMs: 0 },
      forRepair: true,
    });
  before(async () => {
    for (let n = 0; n < LEDGERS; n += 1) await append(events, `l${n}`, -1, opened(`owner-${n}`));
    // Long after their first events: the first ones have been handed over by now, the last ones have not.
    for (const n of [0, 1, 2, LEDGERS - 1]) await append(events, `l${n}`, 0, paid(5), paid(13));
  });
  afterEach(() => refused.amounts.clear());

  it('brings back documents whose streams go on, and ends with every document', async () => {
    const projections = await open();
    const first = await projections.rebuild('ledgers');
    expect(first).to.include({ documents: LEDGERS, events: LEDGERS + 8, parked: 0 });
    const found = await projections.readModels.get(ledgers, ['l0', 'l1', 'l3', `l${LEDGERS - 1}`]);
    expect(found.map(({ revision, doc }) => [revision, doc.balance])).to.deep.equal([
      [2, 18],
      [2, 18],
      [0, 0],
      [2, 18],
    ]);
    const again = await projections.rebuild('ledgers');
    expect(again).to.include({ equal: true, different: 0, documents: LEDGERS });
    expect(again.digestAfter, 'read back, and added up while folding').to.equal(first.digestAfter);
  });

  it('parks streams that cannot go on, wherever their documents are', async () => {
    refused.amounts.add(13);
    const projections = await open();
    const result = await projections.rebuild('ledgers');
    expect(result).to.include({ documents: LEDGERS, parked: 4 });
    const found = await projections.readModels.get(ledgers, ['l0', `l${LEDGERS - 1}`]);
    expect(found.map(({ revision, doc }) => [revision, doc.balance])).to.deep.equal([
      [1, 5],
      [1, 5],
    ]);
    expect((await projections.parked()).map(({ stream, revision }) => `${stream}@${revision}`)).to.include(
      `ledger-l0@2`,
    );
  });
});
