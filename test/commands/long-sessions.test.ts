// A session that was changed a thousand times costs a node that has not seen it no more than one of a hundred changes.
import { expect } from 'chai';
import { SNAPSHOT_EVERY } from '../../src/journal/fold-snapshots.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { memoryStores, merchant, nodeOn, type Stores } from '../support/node.ts';

const CHANGES = 1_000;

describe('a session of a thousand changes', () => {
  let stores: Stores;
  let accountId: string;
  let clientToken: string;
  let read = 0;

  before(async () => {
    stores = await memoryStores();
    const { service } = await nodeOn(stores);
    const account = await service.access.createAccount('Shop');
    if (account.kind !== 'completed') throw new Error(account.description);
    accountId = account.id;
    const made = await service.sessions.createClientSession({ orderId: 'o' }, merchant(accountId));
    if (made.kind !== 'completed') throw new Error(made.description);
    ({ clientToken } = made);
    for (let n = 0; n < CHANGES; n += 1) {
      const keyed = n === CHANGES / 2;
      const caller = merchant(accountId, stores.world, ...(keyed ? ['k', 'r'] : []));
      expect((await service.sessions.patchClientSession({ clientToken, amount: n }, caller)).kind).to.equal(
        'completed',
      );
    }
  });

  /** A node without kept folds; the events of sessions that it reads are counted. */
  async function cold(): Promise<Awaited<ReturnType<typeof nodeOn>>['service']> {
    const { events } = stores;
    const counted: EventStore = {
      append: (stream, after, list) => events.append(stream, after, list),
      async *read(stream, after) {
        for await (const stored of events.read(stream, after)) {
          if (stream.startsWith('clientSession-')) read += 1;
          yield stored;
        }
      },
      follow: (after, categories, signal) => events.follow(after, categories, signal),
      head: () => events.head(),
      close: () => events.close(),
    };
    const { service } = await nodeOn({ ...stores, events: counted });
    read = 0;
    return service;
  }

  it('is changed by a cold node after it read two short stretches', async () => {
    const service = await cold();
    const done = await service.sessions.patchClientSession({ clientToken, orderId: 'next' }, merchant(accountId));
    expect(done).to.deep.nested.include({ 'doc.fields.amount': CHANGES - 1, 'doc.fields.orderId': 'next' });
    expect(read).to.be.lessThan(2 * SNAPSHOT_EVERY + 5);
  });

  it('has a change in its middle answered again by a cold node after it read a few short stretches', async () => {
    const service = await cold();
    const again = await service.sessions.patchClientSession(
      { clientToken, amount: CHANGES / 2 },
      merchant(accountId, stores.world, 'k', 'r'),
    );
    expect(again).to.deep.include({ kind: 'completed', replayed: true });
    expect(again).to.deep.nested.include({ 'doc.fields.amount': CHANGES / 2, 'doc.fields.orderId': 'o' });
    expect(read).to.be.lessThan(4 * SNAPSHOT_EVERY + 10);
  });
});
