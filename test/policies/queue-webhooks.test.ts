// The queueing of messages: to which endpoints they go, and back to those of a stream that was parked, once it is taken
// in.
import { expect } from 'chai';
import type { Queueing } from '../../src/commands/webhooks/queue-messages.ts';
import { WantedLanes } from '../../src/policies/deliver-webhooks.ts';
import { endpointBegins, goBackToLate, queueWebhooks } from '../../src/policies/queue-webhooks.ts';
import { sweeps } from '../../src/policies/walk.ts';
import { paymentMessages } from '../../src/projections/models/payment-messages.ts';
import { webhookEndpoints } from '../../src/projections/models/webhook-endpoints.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { Alarm } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';

const WALK = 'queue-webhooks';

/** A log that is followed up to a position, by the only process. */
const followed = (readModels: ReadModels, events: EventStore, position: bigint) => ({
  readModels,
  nameOfLog: async () => 'log',
  beginOf: endpointBegins(events),
  followedTo: () => position,
  parkedIn: () => new Map(),
  wanted: new WantedLanes(),
  alarm: new Alarm(),
  isBuilt: () => true,
  isWorkElsewhere: () => false,
});

describe('the messages of a parked payment', () => {
  const readModels = memoryReadModels();
  const parts = { readModels, nameOfLog: async () => 'log' };
  const place = async (): Promise<unknown> => (await readModels.get(sweeps, [WALK]))[0]?.doc.key;
  const look = (parked: Readonly<Record<string, number>>): Promise<void> =>
    goBackToLate(WALK, new Map(Object.entries(parked)), parts);

  it('are looked for from the parked event on, once it is parked no longer, and once', async () => {
    await readModels.write(sweeps, [{ id: WALK, revision: 7, doc: { key: 100, id: 'newest', log: 'log' } }]);
    await look({});
    await look({ 'payment-a': 40 });
    await look({ 'payment-a': 40, 'payment-b': 60 });
    expect(await place()).to.equal(100);
    await look({ 'payment-a': 40 });
    expect(await place()).to.equal(59);
    await readModels.write(sweeps, [{ id: WALK, revision: 9, doc: { key: 120, id: 'newest', log: 'log' } }]);
    await look({ 'payment-a': 40 });
    expect(await place()).to.equal(120);
    await look({});
    expect(await place()).to.equal(39);
  });

  it('need no step back where the walk has not come to them', async () => {
    await readModels.write(sweeps, [{ id: WALK, revision: 20, doc: { key: 30, id: 'newest', log: 'log' } }]);
    await look({ 'payment-c': 50 });
    await look({});
    expect(await place()).to.equal(30);
  });
});

describe('read models that were built again, without the place of the walk', () => {
  const idOf = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
  const event = (n: number) => ({ id: idOf(n), type: 'Added', data: '{}', metadata: '{}' });

  it('queue for an endpoint what came after it in the log, whatever the clock says', async () => {
    const [readModels, events] = [memoryReadModels(), openMemoryEventStore()];
    await events.append('webhookEndpoint-early', -1, [event(0)]); // position 0
    await events.append('payment-pay_1', -1, [event(1), event(2)]);
    await events.append('webhookEndpoint-late', -1, [event(3)]); // position 3
    await events.append('payment-pay_1', 1, [event(4)]);
    const now = calmWorld.now();
    const endpoint = { status: 'enabled', accountId: 'acc_1', url: 'http://shop.example/', addedAt: now } as const;
    await readModels.write(
      webhookEndpoints,
      ['early', 'late'].map((id) => ({ id, revision: 0, doc: { ...endpoint, rotations: 0 } })),
    );
    const message = {
      accountId: 'acc_1',
      paymentId: 'pay_1',
      eventType: 'PAYMENT.STATUS',
      correlationId: 'c',
    } as const;
    await readModels.write(
      paymentMessages,
      [1, 2, 4].map((position, sequence) => ({
        id: idOf(position),
        revision: 0,
        doc: { ...message, position, sequence, date: now },
      })),
    );
    const queued: Queueing[] = [];
    const ending = new AbortController();
    const running = queueWebhooks(
      {
        world: calmWorld,
        report: (fault) => expect.fail(String(fault)),
        queueWebhooks: async (queueing) => void queued.push(queueing),
      },
      followed(readModels, events, 4n),
      ending.signal,
    );
    await until(() => queued.length === 2);
    ending.abort();
    await running;
    const sequences = Object.fromEntries(
      queued.map(({ endpointId, messages }) => [endpointId, messages.map(({ sequence }) => sequence)]),
    );
    expect(sequences).to.deep.equal({ early: [0, 1, 2], late: [2] });
  });
});

describe('messages that the store was not available for', () => {
  it('are queued in the next round, though nothing else happens', async () => {
    const [readModels, events] = [memoryReadModels(), openMemoryEventStore()];
    const id = '00000000-0000-4000-8000-000000000001';
    await events.append('webhookEndpoint-one', -1, [{ id, type: 'Added', data: '{}', metadata: '{}' }]);
    const date = calmWorld.now();
    const told = { accountId: 'acc_1', paymentId: 'pay_1', eventType: 'PAYMENT.STATUS', correlationId: 'c' } as const;
    await readModels.write(webhookEndpoints, [
      {
        id: 'one',
        revision: 0,
        doc: { status: 'enabled', accountId: 'acc_1', url: 'http://shop.example/', addedAt: date, rotations: 0 },
      },
    ]);
    await readModels.write(paymentMessages, [{ id, revision: 0, doc: { ...told, position: 1, sequence: 0, date } }]);
    let calls = 0;
    const queued: Queueing[] = [];
    const ending = new AbortController();
    const running = queueWebhooks(
      {
        world: calmWorld,
        report: () => undefined,
        queueWebhooks: async (queueing) => {
          calls += 1;
          if (calls === 1) throw new StoreUnavailable('the store is unavailable');
          queued.push(queueing);
        },
      },
      followed(readModels, events, 1n),
      ending.signal,
    );
    await until(() => queued.length === 1);
    ending.abort();
    await running;
  });
});
