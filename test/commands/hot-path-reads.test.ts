// The reads of the hot path: a stream that never was is asked for nowhere but where a key, or a 404, needs to know.
import { expect } from 'chai';
import type { Caller } from '../../src/commands/caller.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { categoryOf } from '../../src/stores/stream-name.ts';
import { card, checkout, memoryStores, merchant, nodeOn } from '../support/node.ts';

/** Categories of the streams that were read, in their order. */
class Reads {
  #seen: string[] = [];

  taken(): readonly string[] {
    return this.#seen.splice(0);
  }

  through(events: EventStore): EventStore {
    return {
      append: (stream, after, list) => events.append(stream, after, list),
      read: (stream, after, most) => {
        this.#seen.push(categoryOf(stream));
        return events.read(stream, after, most);
      },
      follow: (after, categories, signal) => events.follow(after, categories, signal),
      head: () => events.head(),
      close: () => events.close(),
    };
  }
}

describe('the reads of the hot path', () => {
  for (const [title, key, wanted] of [
    ['are none without a key', undefined, { session: [], payment: [], capture: [] }],
    [
      'are those of the key’s own record with one',
      'key',
      { session: [], payment: ['idempotency'], capture: ['idempotency', 'payment'] },
    ],
  ] as const)
    it(title, async () => {
      const stores = await memoryStores();
      const reads = new Reads();
      const { service } = await nodeOn(
        { ...stores, events: reads.through(stores.events) },
        { cardTestingLimits: false },
      );
      const made = await service.access.createAccount('Shop');
      if (made.kind === 'rejected') throw new Error(made.description);
      const caller = (name: string): Caller => ({
        ...merchant(made.id, service.world),
        ...(key !== undefined && { idempotency: { key: `${key}-${name}`, request: name } }),
      });
      reads.taken();
      const asked = { orderId: 'order-1', currencyCode: 'EUR', amount: 1_000 } as const;
      const session = await service.sessions.createClientSession(asked, caller('session'));
      if (session.kind === 'rejected') throw new Error(session.description);
      const ofSession = reads.taken();
      const token = await service.instruments.tokenizeCard(card(), checkout(made.id, session.id, service.world));
      if (token.kind === 'rejected') throw new Error(token.description);
      reads.taken();
      const paid = await service.payments.authorizePayment(
        { clientToken: session.clientToken, paymentMethodToken: token.id },
        caller('payment'),
      );
      if (paid.kind === 'rejected') throw new Error(paid.description);
      const ofPayment = reads.taken();
      await service.payments.capturePayment(paid.id, {}, caller('capture'));
      expect({ session: ofSession, payment: ofPayment, capture: reads.taken() }).to.deep.equal(wanted);
    });
});
