// The calls of an endpoint in the last hour, and those of them that it took.
import { expect } from 'chai';
import type { DeliveryAttempt, ExistingQueue, QueuedMessage } from '../../src/domain/webhook-queue/state.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { recentDeliveries } from '../../src/queries/webhook-endpoints.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { Stored } from '../../src/stores/read-models.ts';

const MINUTE_MS = 60_000;
const NOW = 100 * MINUTE_MS;

const took = (at: number): DeliveryAttempt => ({ at, tookMs: 5, status: 204 });
const refused = (at: number): DeliveryAttempt => ({ at, tookMs: 5, status: 500 });
const silent = (at: number): DeliveryAttempt => ({ at, tookMs: 5, fault: 'connect ECONNREFUSED 127.0.0.1:4100' });

/** A queue of one message with these calls. */
function queue(id: string, endpointId: string, ...attempts: readonly DeliveryAttempt[]): Stored<ExistingQueue> {
  const message: QueuedMessage = {
    eventId: `evt-${id}`,
    sequence: 1,
    queuedAt: 0,
    eventType: 'PAYMENT.STATUS',
    status: 'delivered',
    tries: attempts.length,
    attempts,
  };
  return { id, revision: 0, doc: { status: 'queue', accountId: 'acc_1', endpointId, messages: [message] } };
}

describe('the recent deliveries of an endpoint', () => {
  const countIn = async (...queues: readonly Stored<ExistingQueue>[]) => {
    const store = memoryReadModels();
    await store.write(webhookQueues, queues);
    return recentDeliveries(store)('we_1', NOW);
  };

  it('are its calls of the last hour, with those that were answered with a success', async () => {
    const counted = await countIn(
      queue('a', 'we_1', refused(50 * MINUTE_MS), took(55 * MINUTE_MS)),
      queue('b', 'we_1', silent(90 * MINUTE_MS)),
      queue('c', 'we_2', took(90 * MINUTE_MS)),
    );
    expect(counted).to.deep.equal({ tried: 3, taken: 1, isMore: false });
  });

  it('leave out earlier calls of a message that was called again in this hour', async () => {
    const counted = await countIn(
      queue('a', 'we_1', refused(39 * MINUTE_MS), took(40 * MINUTE_MS)),
      queue('b', 'we_1', took(20 * MINUTE_MS)),
    );
    expect(counted).to.deep.equal({ tried: 1, taken: 1, isMore: false });
    expect(await countIn()).to.deep.equal({ tried: 0, taken: 0, isMore: false });
  });

  it('say so where an endpoint has more of them than are counted', async () => {
    const many = Array.from({ length: 501 }, (_, at) => queue(`q${String(at).padStart(4, '0')}`, 'we_1', took(NOW)));
    expect(await countIn(...many)).to.deep.equal({ tried: 500, taken: 500, isMore: true });
  });
});
