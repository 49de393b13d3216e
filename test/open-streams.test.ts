// The memory that the folds of webhook queues take: a budget of their own, so that no burst of messages drives out
// payments and sessions.
import { expect } from 'chai';
import { createSession } from '../src/domain/client-session/decide.ts';
import { operatorContext } from '../src/journal/contexts.ts';
import { transact } from '../src/journal/transact.ts';
import { openStreams } from '../src/open-streams.ts';
import { StoreKey } from '../src/secrets.ts';
import { openMemoryEventStore } from '../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../src/stores/memory/read-models.ts';
import { calmWorld } from './support/calm-world.ts';

/** Together more than all folds may take: 1,700 of 42,000 characters. */
const QUEUES = 1_700;
const LONG = 'p'.repeat(40_000);

describe('the streams of a process', function streamsOfProcess() {
  it('keep a session while many webhook queues are written, and of those the newest alone', async () => {
    const world = calmWorld;
    const streams = openStreams({
      events: openMemoryEventStore(),
      world,
      report: (fault) => expect.fail(String(fault)),
      projections: {
        readModels: memoryReadModels(),
        onFolded: () => async () => undefined,
        broken: { check: () => undefined, found: () => undefined, documented: async () => undefined },
      },
      storeKey: new StoreKey(Buffer.alloc(32, 3)),
      onPayment: () => undefined,
    });
    const context = operatorContext(world, 'acc_1');
    const creation = { accountId: 'acc_1', fields: { orderId: 'o-1' }, createdAt: 1, tokenExpiresAt: 2 };
    await transact(streams.sessions, 'cs_1', context, createSession(creation), { start: 'empty' });
    const { webhookQueues } = streams;
    for (let at = 0; at < QUEUES; at += 1) {
      const told = {
        eventId: '00000000-0000-4000-8000-000000000001',
        eventType: 'PAYMENT.STATUS',
        sequence: 2,
        queuedAt: 1,
      } as const;
      const data = { accountId: 'acc_1', endpointId: 'we_1', paymentId: LONG, ...told };
      await webhookQueues.append(`we_1.pay_${at}`, webhookQueues.empty, [{ type: 'MessageQueued', data }], context);
    }
    expect(streams.sessions.guess('cs_1').state.status).to.equal('open');
    const kept = Array.from(
      { length: QUEUES },
      (_, at) => webhookQueues.guess(`we_1.pay_${at}`).state.status === 'queue',
    );
    expect(kept.at(-1)).to.equal(true);
    expect(kept.filter(Boolean).length).to.be.within(100, 250); // 8 MiB of characters
  });
});
