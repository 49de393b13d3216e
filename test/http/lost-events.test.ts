// Streams of which EventStoreDB lost events, or will: each is 503 and named, and everything else goes on (contract §9).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { PATIENT } from '../stores/patient-timings.ts';
import { calmWorld } from '../support/calm-world.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { merchant, nodeOn, type Stores } from '../support/node.ts';
import { until } from '../support/until.ts';

describe('a payment whose events EventStoreDB loses', () => {
  let directory: string;
  let server: EventStoreDbLoopback;
  /** The operator's, beside the service. */
  let client: EventStoreDBClient;
  let http: HttpService;
  let stores: Stores;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-lost-'));
    server = await openEventStoreDbLoopback({ directory });
    client = EventStoreDBClient.connectionString(server.url);
    const report = (): void => undefined;
    const events = await openEventStoreDb({ url: server.url, world: calmWorld, report, timings: PATIENT });
    http = await serveHttp({
      through: (given) => {
        stores = { ...given, events };
        return { ...given, events: { ...own(events), close: () => given.events.close().then(() => events.close()) } };
      },
    });
  });
  after(async () => {
    await http.stop();
    await client.dispose();
    await server.kill();
    await rm(directory, { recursive: true });
  });
  const own = (events: Stores['events']): Stores['events'] => ({
    append: (stream, after, list) => events.append(stream, after, list),
    read: (stream, after, most) => events.read(stream, after, most),
    follow: (after, categories, signal) => events.follow(after, categories, signal),
    head: () => events.head(),
    close: () => events.close(),
  });

  const isNamed = (stream: string) => (): boolean => http.service.readiness().degraded.includes(stream);
  async function expectRefused(id: string): Promise<void> {
    for (const answer of [
      await http.shop.ask('GET', `/payments/${id}`),
      await http.shop.ask('GET', `/payments/${id}/events`),
      await http.shop.ask('POST', `/payments/${id}/refund`, {}),
    ]) {
      expect([answer.status, answer.error?.errorId]).to.deep.equal([503, 'ServiceUnavailable']);
      expect(answer.error?.description).to.contain('damaged');
    }
  }
  /** A payment of before and one of now, its read models and the list of payments. */
  async function expectOthersToGoOn(whole: string): Promise<void> {
    expect((await http.shop.ask('POST', `/payments/${whole}/capture`, {})).status).to.equal(200);
    const next = await http.shop.paid();
    expect((await http.shop.ask('GET', `/payments/${next.id}`)).status).to.equal(200);
    expect((await http.shop.ask('GET', '/payments')).status).to.equal(200);
    const health = await http.request('GET', '/health/ready');
    expect(health.status).to.equal(200);
    expect(health.body).to.include({ status: 'degraded' });
  }

  const losses: Readonly<Record<string, (stream: string) => Promise<unknown>>> = {
    'is deleted for good': (stream) => client.tombstoneStream(stream),
    'is deleted softly': (stream) => client.deleteStream(stream),
    'is limited to fewer events than it has': (stream) => client.setStreamMetadata(stream, { maxCount: 1 }),
    'is cut short at its beginning': (stream) => client.setStreamMetadata(stream, { truncateBefore: 1 }),
    'is hidden to its end': (stream) => client.setStreamMetadata(stream, { truncateBefore: 100 }),
    'is limited to an age that all its events have': (stream) => client.setStreamMetadata(stream, { maxAge: 0 }),
  };
  for (const [how, lose] of Object.entries(losses))
    it(`${how}: its resource is 503 and named, and disturbs no other`, async () => {
      const lost = await http.shop.paid();
      const whole = await http.shop.paid();
      expect((await http.shop.ask('POST', `/payments/${lost.id}/capture`, {})).status).to.equal(200);
      await lose(`payment-${lost.id}`);
      // A node that has no fold of it must not take it for a payment that never was, and must not fail.
      const other = await nodeOn(stores, { cardTestingLimits: false });
      const found = await other.service.payments
        .refundPayment(lost.id, {}, merchant(http.shop.accountId, http.world))
        .catch((fault: unknown) => String(fault));
      expect(found).to.match(/^BrokenStream: payment-pay_\w+ is broken at revision \d+: /);
      await until(isNamed(`payment-${lost.id}`));
      await expectRefused(lost.id);
      await expectOthersToGoOn(whole.id);
    });

  it('is named while it is whole and will lose events, and no longer when the limit is lifted', async () => {
    const { id } = await http.shop.paid();
    await client.setStreamMetadata(`payment-${id}`, { maxCount: 1_000 });
    await until(isNamed(`payment-${id}`));
    expect((await http.shop.ask('GET', `/payments/${id}`)).status).to.equal(200);
    expect((await http.shop.ask('POST', `/payments/${id}/capture`, {})).status).to.equal(200);
    await client.setStreamMetadata(`payment-${id}`, {});
    await until(() => !isNamed(`payment-${id}`)());
  });
});
