// Payments from before their first event contained the hash of the e-mail address: the read model makes it.
import { expect } from 'chai';
import { paymentCategory } from '../../../src/domain/payment/events.ts';
import { metadataOf, unsealEvent } from '../../../src/journal/envelope.ts';
import { openProjections } from '../../../src/projections/engine/engine.ts';
import { searchedPayments, searchedPaymentsWith } from '../../../src/projections/models/searched-payments.ts';
import { StoreKey } from '../../../src/secrets.ts';
import type { StoredEvent } from '../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import { idOf } from '../../../src/stores/stream-name.ts';
import { goldenEvents, readGoldenLog } from '../../golden/golden-log.ts';
import { calmWorld } from '../../support/calm-world.ts';

const storeKey = new StoreKey(Buffer.alloc(32, 7));
const ADDRESS = 'no at sign';

describe('the read model of the search', () => {
  /** The first events of payments in the golden log, as versions 1 to 3 have written them. */
  async function olderPayments(): Promise<readonly StoredEvent[]> {
    const first = goldenEvents(await readGoldenLog()).filter(({ type }) => type === 'PaymentCreated');
    return first.filter((stored) => metadataOf(stored).schemaVersion < 4);
  }

  it('has the hash of each address in the golden log that older versions have written, after a rebuild, too', async () => {
    const older = await olderPayments();
    const events = openMemoryEventStore();
    for (const { stream, id, type, data, metadata } of older)
      await events.append(stream, -1, [{ id, type, data, metadata }]);
    const projections = await openProjections({
      events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      projections: [searchedPaymentsWith(storeKey)],
    });
    const wanted = older.flatMap((stored) => {
      const { event } = unsealEvent(paymentCategory, stored);
      return event.type === 'PaymentCreated' && event.data.customer?.emailAddress === ADDRESS
        ? [idOf(stored.stream)]
        : [];
    });
    const found = async () => {
      const emailHash = [storeKey.emailHash(ADDRESS) ?? ''];
      const rows = await projections.readModels.find(searchedPayments, { where: { emailHash }, limit: 100 });
      return rows.map(({ id }) => id).sort();
    };
    expect(wanted.length).to.be.above(1);
    expect(await found()).to.deep.equal([...wanted].sort());
    expect((await projections.rebuild('searched-payments')).equal).to.equal(true);
    expect(await found()).to.deep.equal([...wanted].sort());
  });
});
