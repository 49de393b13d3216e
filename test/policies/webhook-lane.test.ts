// The lane of an endpoint: the calls that it repeats on its own, without the next look at all endpoints.
import { expect } from 'chai';
import type { QueuedMessage, WebhookQueue } from '../../src/domain/webhook-queue/state.ts';
import { Lane, type LaneNeeds } from '../../src/policies/webhook-lane.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';

const ENDPOINT = 'we_1';
const QUEUE = `${ENDPOINT}.pay_1`;

const message = (sequence: number, status: 'waiting' | 'delivered'): QueuedMessage => ({
  eventId: `00000000-0000-4000-8000-00000000000${sequence}`,
  eventType: 'PAYMENT.STATUS',
  sequence,
  queuedAt: 1,
  status,
  tries: 0,
  attempts: [],
  ...(status === 'waiting' && { dueAt: 1 }),
});
const queueOf = (...messages: readonly QueuedMessage[]): WebhookQueue => ({
  status: 'queue',
  accountId: 'acc_1',
  endpointId: ENDPOINT,
  paymentId: 'pay_1',
  messages,
});

describe('the lane of an endpoint', () => {
  it('looks again after a call during which its payment got another message', async () => {
    const readModels = memoryReadModels();
    await readModels.write(webhookEndpoints, [
      {
        id: ENDPOINT,
        revision: 0,
        doc: { status: 'enabled', accountId: 'acc_1', url: 'http://shop.example/', addedAt: 1, rotations: 0 },
      },
    ]);
    let looks = 0;
    const counting = {
      ...readModels,
      find: ((of, query) => {
        looks += 1;
        return readModels.find(of, query);
      }) satisfies typeof readModels.find,
    };
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const needs: LaneNeeds = {
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      async deliverWebhooks({ revision }) {
        began.push(revision);
        await new Promise<void>((end) => ends.push(end));
        return true;
      },
    };
    const told = (revision: number, ...messages: readonly QueuedMessage[]): Promise<unknown> =>
      readModels.write(webhookQueues, [{ id: QUEUE, revision, doc: queueOf(...messages) }]);
    const lane = new Lane(needs, counting, ENDPOINT, new AbortController().signal);
    const [first, second] = [message(2, 'delivered'), message(4, 'delivered')];

    await told(0, message(2, 'waiting'));
    lane.want();
    await until(() => began.length === 1);
    await told(1, first);
    ends[0]?.(); // from here on several calls may be under way
    await lane.over();

    await told(2, first, message(4, 'waiting'));
    lane.want();
    await until(() => began.length === 2);
    await told(3, first, message(4, 'waiting'), message(6, 'waiting'));
    const before = looks;
    lane.want();
    await until(() => looks > before);
    await new Promise(setImmediate); // to the end of that look
    expect(began).to.deep.equal([0, 2]); // one call of a queue at a time
    await told(4, first, second, message(6, 'waiting'));
    ends[1]?.();
    await until(() => began.length === 3);
    await told(5, first, second, message(6, 'delivered'));
    ends[2]?.();
    await lane.over();
    expect(began).to.deep.equal([0, 2, 4]);
  });
});
