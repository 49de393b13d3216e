// A stream that is broken in the log: its resource is 503, everything else works, and readiness names it (contract §9).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { alterLog } from '../support/altered-log.ts';
import { calmWorld } from '../support/calm-world.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { until } from '../support/until.ts';

describe('a stream that is broken in the log', () => {
  let directory: string;
  let file: string;
  let http: HttpService;
  let stores: Stores;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-broken-'));
    file = join(directory, 'events.db');
    const events = await openSqliteEventStore({
      file,
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
    });
    http = await serveHttp({
      through: (given) => {
        stores = { ...given, events };
        return {
          ...stores,
          events: { ...delegated(events), close: () => given.events.close().then(() => events.close()) },
        };
      },
    });
  });
  after(async () => {
    await http.stop();
    await rm(directory, { recursive: true });
  });
  const delegated = (events: Stores['events']): Stores['events'] => ({
    append: (stream, after, list) => events.append(stream, after, list),
    read: (stream, after) => events.read(stream, after),
    follow: (after, categories, signal) => events.follow(after, categories, signal),
    head: () => events.head(),
    close: () => events.close(),
  });

  it('is 503 for commands and reads on every node, and disturbs no other stream', async () => {
    const { shop, service } = http;
    const payment = await shop.paid();
    const whole = await shop.paid();
    await alterLog(file, `payment-${payment.id}`, { kind: 'deleted', n: 1 });
    // A node that reads the stream again finds the break; this one has its fold at hand, and learns of the break.
    const other = await nodeOn(stores, { cardTestingLimits: false });
    const found = await other.service.payments
      .capturePayment(payment.id, {}, merchant(shop.accountId, http.world))
      .catch((fault: unknown) => String(fault));
    expect(found).to.match(/^BrokenStream: payment-pay_\w+ is broken at revision 2: it comes after 0$/);
    const deadline = calmWorld.monotonic() + 20_000;
    while (service.readiness().degraded.length === 0 && calmWorld.monotonic() < deadline)
      await calmWorld.sleep(5, new AbortController().signal);

    for (const answer of [
      await shop.ask('GET', `/payments/${payment.id}`),
      await shop.ask('GET', `/payments/${payment.id}/events`),
      await shop.ask('POST', `/payments/${payment.id}/capture`, {}),
    ]) {
      expect([answer.status, answer.error?.errorId]).to.deep.equal([503, 'ServiceUnavailable']);
      expect(answer.error?.description).to.contain('damaged');
    }
    const health = await http.request('GET', '/health/ready');
    expect(health.status).to.equal(200);
    expect(health.body).to.deep.include({ status: 'degraded', streams: [`payment-${payment.id}`] });
    expect((await shop.ask('POST', `/payments/${whole.id}/capture`, {})).status).to.equal(200);
    expect((await shop.ask('GET', `/payments/${whole.id}`)).status).to.equal(200);
    expect((await shop.ask('GET', '/payments')).status).to.equal(200);
  });

  it('is 503 when the log has none of the events that a read model knows, and not a payment that never existed', async () => {
    const { shop } = http;
    const payment = await shop.paid();
    await shop.paid(); // the log does not end before a checkpoint
    await alterLog(file, `payment-${payment.id}`, { kind: 'endDeleted', n: 0 });
    const other = await nodeOn(stores, { cardTestingLimits: false });
    const capturing = (node: TestNode): Promise<unknown> =>
      node.service.payments
        .capturePayment(payment.id, {}, merchant(shop.accountId, http.world))
        .catch((fault: unknown) => String(fault));
    expect(await capturing(other)).to.match(
      /^BrokenStream: payment-pay_\w+ is broken at revision 0: the log has no events of the stream/,
    );
    await until(() => http.service.readiness().degraded.includes(`payment-${payment.id}`));
    // a read that began before the node had heard of it may still answer
    await until(async () => (await shop.ask('GET', `/payments/${payment.id}`)).status === 503);
    expect((await shop.ask('POST', '/payments/pay_never/capture', {})).status).to.equal(404);
  });

  it('is 503 when the log has lost its last events, on a node that has their fold', async () => {
    const { shop } = http;
    const payment = await shop.paid();
    await alterLog(file, `payment-${payment.id}`, { kind: 'endDeleted', n: 2 });
    const answer = await shop.ask('POST', `/payments/${payment.id}/capture`, {});
    expect([answer.status, answer.error?.description]).to.deep.equal([
      503,
      'The record of a resource that this request needs is damaged. It cannot be read until an operator has repaired it.',
    ]);
    expect(http.service.readiness().degraded).to.include(`payment-${payment.id}`);
  });
});
