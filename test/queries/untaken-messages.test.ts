// The messages that no endpoint of an account has taken: how much one count and one batch of a resend look at.
import { expect } from 'chai';
import type { ExistingEndpoint } from '../../src/domain/webhook-endpoint.ts';
import type { ExistingQueue, QueuedMessage } from '../../src/domain/webhook-queue/state.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { countUntakenOfAccount, nextUntakenOfAccount } from '../../src/queries/untaken-messages.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { Stored } from '../../src/stores/read-models.ts';

const NOW = 1_000_000;
const SINCE_EVER = { since: 0, asOf: NOW };

const endpointId = (at: number): string => `we_${String(at).padStart(3, '0')}`;
const idsTo = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => endpointId(at));

function endpoint(id: string): Stored<ExistingEndpoint> {
  const url = `http://127.0.0.1:4100/${id}`;
  return { id, revision: 0, doc: { status: 'enabled', accountId: 'acc_1', url, addedAt: 0, rotations: 0 } };
}

/** A queue of one message that has failed permanently. */
function failedQueue(of: string, at: number): Stored<ExistingQueue> {
  const id = `${of}.pay_${at}`;
  const message: QueuedMessage = {
    eventId: `evt-${id}`,
    sequence: 1,
    queuedAt: at,
    eventType: 'PAYMENT.STATUS',
    status: 'failed',
    tries: 1,
    attempts: [{ at, tookMs: 5, status: 500 }],
  };
  return { id, revision: 0, doc: { status: 'queue', accountId: 'acc_1', endpointId: of, messages: [message] } };
}

describe('the untaken messages of an account', () => {
  it('are counted up to a bound that its endpoints share, and say so', async () => {
    const store = memoryReadModels();
    const ids = idsTo(10);
    await store.write(webhookEndpoints, ids.map(endpoint));
    await store.write(
      webhookQueues,
      ids.flatMap((id) => Array.from({ length: 300 }, (_, at) => failedQueue(id, at))),
    );
    const counted = await countUntakenOfAccount(store)('acc_1', SINCE_EVER, NOW);
    expect(counted.map(({ count, isMore }) => [count, isMore])).to.deep.equal(ids.map(() => [200, true]));
  });

  it('are looked for at a few endpoints in each request', async () => {
    const store = memoryReadModels();
    const ids = idsTo(20);
    const last = ids.at(-1) ?? '';
    await store.write(webhookEndpoints, ids.map(endpoint));
    await store.write(webhookQueues, [failedQueue(last, 1)]);
    const next = nextUntakenOfAccount(store);
    let batch = await next('acc_1', SINCE_EVER, NOW, 100);
    let batches = 1;
    expect(batch.queueIds).to.deep.equal([]);
    while (batch.queueIds.length === 0 && batch.next !== undefined) {
      batch = await next('acc_1', SINCE_EVER, NOW, 100, batch.next);
      batches += 1;
    }
    expect(batch).to.deep.include({ endpointId: last, queueIds: [`${last}.pay_1`] });
    expect(batches).to.equal(4); // ten pages each, two pages an endpoint
  });
});
