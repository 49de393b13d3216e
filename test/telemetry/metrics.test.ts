// The scrapes of a real service at work: every value moves with its subject, and the series stay few.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ask } from '../http/frame/serve.ts';
import { CARDS } from '../support/http-merchant.ts';
import { card, merchant, nodeOn, type Stores } from '../support/node.ts';
import type { Switches } from '../support/switchable-stores.ts';
import { switchable } from '../support/switchable-stores.ts';
import { until } from '../support/until.ts';
import { type MeteredService, serveMetered } from './metered-service.ts';

const REQUESTS = 'counterfoil_http_requests_total';
const DURATION = 'counterfoil_http_request_duration_seconds';
const APPENDS = 'counterfoil_appends_total';
const CALLS = 'counterfoil_processor_call_duration_seconds';

describe('metrics of a service', () => {
  const switches: Switches = {};
  let metered: MeteredService;
  /** The stores as another node has them. */
  let direct: Stores;
  before(async () => {
    metered = await serveMetered({
      through: (stores) => {
        direct = stores;
        return switchable(switches)(stores);
      },
      timings: { sendWithinMs: 5_000, answerWithinMs: 1_500, abandonAfterMs: 60_000 },
      sandboxInMemory: true,
    });
  });
  after(() => metered.stop());

  it('are readable by Prometheus, and name the running version', async () => {
    const answer = await fetch(`${metered.metricsUrl}/metrics`);
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const scraped = await metered.scrape();
    expect(scraped.value('counterfoil_build_info', { version: '1.2.3', node: 'v20' })).to.equal(1);
    expect(scraped.value('nodejs_eventloop_lag_p99_seconds')).to.be.at.least(0);
    expect(scraped.value('process_resident_memory_bytes')).to.be.above(10_000_000);
  });

  it('count and time requests by route, method and status', async () => {
    const { shop, request } = metered.http;
    const [before, from] = [await metered.scrape(), metered.http.world.monotonic()];
    const { id } = await shop.paid();
    await shop.ask('GET', `/payments/${id}`);
    await shop.ask('GET', '/payments/pay_none');
    await request('GET', `/payments/${id}`);
    const scraped = await metered.scrape();
    const moved = (labels: { [name: string]: string }): number =>
      scraped.sum(REQUESTS, labels) - before.sum(REQUESTS, labels);
    expect(moved({ route: '/payments', method: 'POST', status: '200' })).to.equal(1);
    expect(moved({ route: '/payments/:id', method: 'GET', status: '200' })).to.equal(1);
    expect(moved({ route: '/payments/:id', method: 'GET', status: '404' })).to.equal(1);
    expect(moved({ route: '/payments/:id', method: 'GET', status: '401' })).to.equal(1);
    const labels = { route: '/payments', method: 'POST', status: '200' };
    expect(scraped.value(`${DURATION}_count`, labels)).to.equal(scraped.value(REQUESTS, labels));
    expect(scraped.value(`${DURATION}_sum`, labels)).to.be.within(
      0.0001,
      (metered.http.world.monotonic() - from) / 1_000,
    );
  });

  it('count work under way, down to nothing', async () => {
    const { shop } = metered.http;
    const clientToken = await shop.session();
    const paymentMethodToken = await shop.tokenize(clientToken, CARDS.lost);
    const paying = shop.ask('POST', '/payments', { clientToken, paymentMethodToken });
    await until(async () => (await metered.scrape()).value('counterfoil_http_requests_in_flight') === 1);
    await paying;
    expect((await metered.scrape()).value('counterfoil_http_requests_in_flight')).to.equal(0);
  });

  it('count appends by category and result', async () => {
    const { shop } = metered.http;
    const clientToken = await shop.session();
    const before = await metered.scrape();
    const moved = async (result: string): Promise<number> =>
      (await metered.scrape()).sum(APPENDS, { category: 'clientSession', result }) -
      before.sum(APPENDS, { category: 'clientSession', result });
    await shop.ask('PATCH', '/client-session', { clientToken, orderId: 'order-2' });
    expect(await moved('written')).to.equal(1);
    switches.beforeAppend = new StoreUnavailable('unavailable');
    expect((await shop.ask('PATCH', '/client-session', { clientToken, orderId: 'order-3' })).status).to.equal(503);
    delete switches.beforeAppend;
    expect(await moved('unavailable')).to.equal(1);
    switches.afterAppend = new StoreUnavailable('no answer', { outcomeUnknown: true });
    await shop.ask('PATCH', '/client-session', { clientToken, orderId: 'order-4' });
    delete switches.afterAppend;
    expect(await moved('unknown')).to.equal(1);
    const { value } = (await metered.scrape()).series('counterfoil_append_duration_seconds_sum', {
      result: 'written',
    })[0] ?? { value: 0 };
    expect(value).to.be.within(0.00001, 60);
  });

  it('count decisions that were made again, and commands that gave up', async () => {
    const { shop, world } = metered.http;
    const clientToken = await shop.session();
    const { service } = await nodeOn(direct, { cardTestingLimits: false });
    let races = 0;
    switches.rival = async () => {
      races += 1;
      await service.sessions.patchClientSession(
        { clientToken, orderId: `rival-${races}` },
        merchant(shop.accountId, world),
      );
    };
    const before = await metered.scrape();
    expect((await shop.ask('PATCH', '/client-session', { clientToken, amount: 6 })).status).to.equal(409);
    delete switches.rival;
    const scraped = await metered.scrape();
    const moved = (name: string, labels: { [name: string]: string } = {}): number =>
      scraped.sum(name, { category: 'clientSession', ...labels }) -
      before.sum(name, { category: 'clientSession', ...labels });
    expect([moved(APPENDS, { result: 'conflict' }), moved('counterfoil_transact_retries_total')]).to.deep.equal([5, 4]);
    expect(moved('counterfoil_transact_exhausted_total')).to.equal(1);
  });

  it('grade and time calls to the processor, and count unknown outcomes', async () => {
    const { shop } = metered.http;
    const before = await metered.scrape();
    const unknown = 'counterfoil_processor_unknown_outcomes_total';
    const { id } = await shop.captured();
    await shop.ask('POST', `/payments/${id}/refund`, {});
    await shop.pay({ card: CARDS.declined });
    await shop.pay({ card: CARDS.lost });
    const scraped = await metered.scrape();
    const moved = (operation: string, outcome: string): number =>
      scraped.sum(`${CALLS}_count`, { operation, outcome }) - before.sum(`${CALLS}_count`, { operation, outcome });
    expect(moved('tokenization', 'token')).to.equal(3);
    expect(moved('authorization', 'succeeded')).to.equal(1);
    expect(moved('authorization', 'declined')).to.equal(1);
    expect(moved('authorization', 'unknown')).to.equal(1);
    expect(moved('capture', 'succeeded') + moved('refund', 'succeeded')).to.equal(2);
    const labels = { processor: 'sandbox', operation: 'authorization' };
    expect(scraped.value(unknown, labels) - before.sum(unknown, labels)).to.equal(1);
    // It was timed up to its deadline, and no longer.
    const took = { ...labels, outcome: 'unknown' };
    expect(scraped.sum(`${CALLS}_sum`, took) - before.sum(`${CALLS}_sum`, took)).to.be.within(1.45, 10);
  });

  it('say whether a processor’s circuit is open, from the start on', async () => {
    const { shop, service } = metered.http;
    const circuit = { accountId: shop.accountId, connectionId: 'sandbox' };
    const labels = { processor: 'sandbox' };
    const shown = async (): Promise<readonly (number | undefined)[]> => {
      const scraped = await metered.scrape();
      return [
        scraped.value('counterfoil_processor_circuit_open', labels),
        scraped.value('counterfoil_processor_circuit_opened_total', labels),
      ];
    };
    expect(await shown()).to.deep.equal([0, 0]);
    const clientToken = await shop.session();
    for (let call = 0; call < 100; call += 1) service.circuits.ended(circuit, 'operation', 'unknown');
    expect(await shown()).to.deep.equal([1, 1]);
    const refused = await metered.http.request('POST', '/checkout/payment-instruments', {
      token: clientToken,
      body: card(),
    });
    expect([refused.status, refused.error?.errorId, refused.headers['retry-after']]).to.deep.equal([
      503,
      'ServiceUnavailable',
      '10',
    ]);
    service.circuits.ended(circuit, 'operation', 'declined');
    expect(await shown()).to.deep.equal([0, 1]);
    expect((await shop.paid()).status).to.equal('AUTHORIZED');
  });

  it('count the events of other nodes that each projection got', async () => {
    const { shop, world } = metered.http;
    const { service } = await nodeOn(direct, { cardTestingLimits: false });
    const labels = { projection: 'client-sessions' };
    const followed = async (): Promise<number> =>
      (await metered.scrape()).sum('counterfoil_projection_events_total', labels);
    const before = await followed();
    for (let i = 0; i < 3; i += 1) await service.sessions.createClientSession({}, merchant(shop.accountId, world));
    await until(async () => (await followed()) >= before + 3);
    expect(await followed()).to.equal(before + 3);
    expect(
      (await metered.scrape()).value('counterfoil_projection_batch_duration_seconds_count', labels),
    ).to.be.at.least(1);
  });

  it('stay as few as routes, methods and statuses are, whatever paths and methods requests have', async () => {
    const { port } = metered.http;
    await ask(port, { path: '/nowhere' });
    await ask(port, { method: 'PURGE', path: '/nowhere' });
    const before = await metered.scrape();
    for (let i = 0; i < 100; i += 1) {
      const paths = [
        randomUUID(),
        `payments/${randomUUID()}/nothing`,
        `payments?x=${randomUUID()}`,
        `client-session/${randomUUID()}`,
      ];
      const methods = ['GET', 'POST', 'PURGE', 'MKCOL', 'M-SEARCH', 'UNLOCK', 'HEAD', 'GET', 'GET', 'OPTIONS'];
      await Promise.all(methods.map((method, place) => ask(port, { method, path: `/${paths[place % paths.length]}` })));
    }
    const scraped = await metered.scrape();
    expect(scraped.sum(REQUESTS) - before.sum(REQUESTS)).to.equal(1_000);
    const routes = new Set(scraped.series(REQUESTS).map(({ labels }) => labels['route'] ?? ''));
    const known = new Set(['unmatched', ...metered.http.routes.map(({ path }) => path)]);
    expect([...routes].filter((route) => !known.has(route))).to.deep.equal([]);
    const methods = new Set(scraped.series(REQUESTS).map(({ labels }) => labels['method'] ?? ''));
    expect(
      [...methods].filter(
        (method) => !['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'].includes(method),
      ),
    ).to.deep.equal([]);
    // A histogram of 17 series and a counter for each new combination of `unmatched` or /payments with a method and a
    // status.
    expect(scraped.size - before.size).to.be.below(18 * 10);
  });

  it('give a client that did not wait for its answer the status 499', async () => {
    const { shop, port } = metered.http;
    const clientToken = await shop.session();
    const paymentMethodToken = await shop.tokenize(clientToken, CARDS.lost);
    const leaving = new AbortController();
    const headers = { 'X-Api-Key': shop.key, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ clientToken, paymentMethodToken });
    const asked = fetch(`http://127.0.0.1:${port}/payments`, {
      method: 'POST',
      headers,
      body,
      signal: leaving.signal,
    }).catch(() => 'left');
    await until(async () => (await metered.scrape()).value('counterfoil_http_requests_in_flight') === 1);
    leaving.abort();
    expect(await asked).to.equal('left');
    const left = async (): Promise<number> =>
      (await metered.scrape()).sum(REQUESTS, { route: '/payments', status: '499' });
    await until(async () => (await left()) > 0);
  });
});

describe('metrics of the limits against card testing', () => {
  const LIMIT = 'counterfoil_card_testing_refusals_total';
  let metered: MeteredService;
  before(async () => {
    metered = await serveMetered({ cardTestingLimits: true, sandboxInMemory: true });
  });
  after(() => metered.stop());

  it('count the refusals of each limit, from 0 on', async () => {
    const { shop, request } = metered.http;
    const token = await shop.session();
    const tokenize = () => request('POST', '/checkout/payment-instruments', { token, body: card() });
    for (let times = 0; times < 30; times += 1) expect((await tokenize()).status).to.equal(200);
    const before = await metered.scrape();
    expect(before.series(LIMIT).map(({ value }) => value)).to.deep.equal([0, 0, 0, 0]);
    for (let times = 0; times < 2; times += 1) expect((await tokenize()).status).to.equal(429);
    const scraped = await metered.scrape();
    expect(scraped.value(LIMIT, { limit: 'tokenizations-per-session' })).to.equal(2);
    expect(scraped.sum(LIMIT)).to.equal(2);
  });
});
