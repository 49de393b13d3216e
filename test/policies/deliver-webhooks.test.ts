// One look at all queues, each second: lanes are opened where something is due, and a hundred endpoints without work
// cost what one does.
import { expect } from 'chai';
import type { WebhookQueue } from '../../src/domain/webhook-queue/state.ts';
import { deliverWebhooks, WantedLanes } from '../../src/policies/deliver-webhooks.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';

const ENDPOINTS = 100;
const DISABLED = ENDPOINTS;
const endpointId = (at: number): string => `we_${at}`;
const queueOf = (endpoint: string, paymentId: string): WebhookQueue => ({
  status: 'queue',
  accountId: 'acc_1',
  endpointId: endpoint,
  paymentId,
  messages: [
    {
      eventId: '00000000-0000-4000-8000-000000000001',
      eventType: 'PAYMENT.STATUS',
      sequence: 2,
      queuedAt: 1,
      status: 'waiting',
      tries: 0,
      attempts: [],
      dueAt: 1,
    },
  ],
});

describe('the look at all webhook queues', () => {
  /** Runs rounds until `enough`. Answers the finds of queues, and the queues that were delivered. */
  async function looked(
    queues: readonly { readonly id: string; readonly endpoint: string; readonly paymentId: string }[],
    enough: (finds: number, delivered: readonly string[]) => boolean,
  ): Promise<{ readonly finds: number; readonly delivered: readonly string[] }> {
    const stored = memoryReadModels();
    const endpoints = Array.from({ length: ENDPOINTS + 1 }, (_, at) => ({
      id: endpointId(at),
      revision: 0,
      doc: {
        status: at === DISABLED ? 'disabled' : 'enabled',
        accountId: 'acc_1',
        url: 'http://shop.example/',
        addedAt: 1,
        rotations: 0,
      } as const,
    }));
    await stored.write(webhookEndpoints, endpoints);
    const rows = queues.map(({ id, endpoint, paymentId }) => ({ id, revision: 0, doc: queueOf(endpoint, paymentId) }));
    await stored.write(webhookQueues, rows);
    let finds = 0;
    const find: ReadModels['find'] = (of, query) => {
      if (of.name === webhookQueues.name) finds += 1;
      return stored.find(of, query);
    };
    const delivered: string[] = [];
    const needs = {
      world: calmWorld,
      report: (fault: unknown) => expect.fail(String(fault)),
      async deliverWebhooks({ queueId }: { readonly queueId: string }) {
        delivered.push(queueId);
        await stored.write(webhookQueues, [{ id: queueId, revision: 1, doc: { status: 'absent' } }]);
        return true;
      },
    };
    const wanted = new WantedLanes();
    const ending = new AbortController();
    const parts = { readModels: { ...stored, find }, isBuilt: () => true, isWorkElsewhere: () => false, wanted };
    const running = deliverWebhooks(needs, parts, ending.signal);
    await until(() => enough(finds, delivered));
    ending.abort();
    await running;
    return { finds, delivered };
  }

  it('asks once for the queues of a hundred endpoints for which nothing is due', async () => {
    const { finds, delivered } = await looked([], (asked) => asked >= 1);
    expect(finds).to.be.at.most(2);
    expect(delivered).to.deep.equal([]);
  });

  it('delivers what is due, by the lanes of those endpoints alone', async () => {
    const due = [7, 42].map((at) => ({ id: `${endpointId(at)}.pay_1`, endpoint: endpointId(at), paymentId: 'pay_1' }));
    const { finds, delivered } = await looked(due, (_, done) => done.length === 2);
    expect(delivered).to.have.members(due.map(({ id }) => id));
    expect(finds).to.be.at.most(5); // of all queues, of each of the two endpoints, and of the next round
  });

  it('does not look at what waits for a disabled endpoint', async () => {
    const waiting = Array.from({ length: 300 }, (_, at) => ({
      id: `${endpointId(DISABLED)}.pay_${at}`,
      endpoint: endpointId(DISABLED),
      paymentId: `pay_${at}`,
    }));
    const { finds, delivered } = await looked(waiting, (asked) => asked >= 1);
    expect(finds).to.be.at.most(2);
    expect(delivered).to.deep.equal([]);
  });

  it('delivers what is due also where one look does not find all of it', async () => {
    const due = Array.from({ length: 3 * ENDPOINTS }, (_, at) => {
      const endpoint = endpointId(at < 260 ? 0 : at - 2 * ENDPOINTS); // one endpoint fills the look
      return { id: `${endpoint}.pay_${at}`, endpoint, paymentId: `pay_${at}` };
    });
    const { delivered } = await looked(due, (_, done) => done.length === due.length);
    expect(new Set(delivered)).to.deep.equal(new Set(due.map(({ id }) => id)));
  });
});
