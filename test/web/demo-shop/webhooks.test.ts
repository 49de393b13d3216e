// The demo shop's handling of webhooks: each counts once, an older one changes nothing, a forged one is refused, and a
// lost one is found.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { loadShop } from '../../../src/cli/demo/run-shop.ts';
import { listen } from '../../../src/cli/serve/http-listener.ts';
import { Gate } from '../../crash/hooked-stores.ts';
import { bodyOf } from '../../support/http-merchant.ts';
import { type OpenedShop, openDemoShop } from '../../support/open-demo-shop.ts';
import { Shopper, untilShown } from '../../support/shopper.ts';
import { until } from '../../support/until.ts';

interface Signing {
  readonly secret?: string;
  readonly atS?: number;
}

let made = 0;
/** As the service signs it. */
async function tellShop(
  { url, webhookSecret }: Pick<OpenedShop, 'url' | 'webhookSecret'>,
  message: object,
  { secret = webhookSecret, atS = Math.floor(Date.now() / 1_000) }: Signing,
): Promise<number> {
  made += 1;
  const eventId = `evt_${made}`;
  const body = JSON.stringify({ eventId, eventType: 'PAYMENT.STATUS', version: '1.0', ...message });
  const id: unknown = JSON.parse(body).eventId;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${atS}.${body}`).digest('base64');
  const headers = {
    'webhook-id': String(id),
    'webhook-timestamp': String(atS),
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await fetch(`${url}/webhooks/counterfoil`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  return answer.status;
}

describe('a webhook to the demo shop', () => {
  let opened: OpenedShop;
  before(async () => {
    opened = await openDemoShop();
  });
  after(() => opened.close());

  const tell = (message: object, how: Signing = {}): Promise<number> => tellShop(opened, message, how);
  /** An order of paper clips, 11.40 EUR. */
  const order = async (): Promise<{ readonly orderId: string; page(): Promise<string> }> => {
    const shopper = new Shopper(opened.url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { orderUrl } = await shopper.ready();
    return { orderId: orderUrl.slice('/orders/'.length), page: async () => (await shopper.ask(orderUrl)).text() };
  };
  const payment = (orderId: string, status: string, more: object = {}, amountRefunded = 0): object => ({
    id: `pay_${orderId.slice(-12)}`,
    orderId,
    status,
    date: '2026-01-01T00:00:00.000Z',
    amount: 1_140,
    currencyCode: 'EUR',
    paymentMethod: { paymentMethodData: { network: 'VISA', last4Digits: '4242' } },
    processor: { amountRefunded },
    ...more,
  });

  it('is taken once, however often it comes, and in whatever order', async () => {
    const { orderId, page } = await order();
    const settled = {
      eventId: `evt_settled_${orderId}`,
      sequence: 5,
      previousSequence: 3,
      payment: payment(orderId, 'SETTLED'),
    };
    expect(await tell(settled)).to.equal(204);
    expect(await page()).to.include('Thank you');
    expect(await tell({ sequence: 3, payment: payment(orderId, 'PENDING') })).to.equal(204);
    expect(await tell(settled)).to.equal(204);
    expect(await page()).to.include('Thank you');
    expect(
      await tell({
        eventType: 'PAYMENT.REFUND',
        sequence: 7,
        previousSequence: 5,
        payment: payment(orderId, 'SETTLED', {}, 1_140),
      }),
    ).to.equal(204);
    expect(await tell({ sequence: 6, payment: payment(orderId, 'SETTLED') })).to.equal(204);
    expect(await page())
      .to.include('Your order was refunded')
      .and.include('€11.40 is on its way back');
  });

  it('reports the newest payment of an order, after a declined one', async () => {
    const { orderId, page } = await order();
    const later = { id: `pay_second_${orderId}`, date: '2026-01-01T00:01:00.000Z' };
    await tell({ sequence: 3, payment: payment(orderId, 'AUTHORIZED', later) });
    await tell({ sequence: 3, payment: payment(orderId, 'DECLINED') });
    expect(await page()).to.include('Thank you');
  });

  it('of a type that is new is taken', async () => {
    const { orderId, page } = await order();
    expect(await tell({ eventType: 'PAYMENT.TELEPORTED', sequence: 3, payment: payment(orderId, 'SETTLED') })).to.equal(
      204,
    );
    expect(await page()).to.include('Thank you');
  });

  it('changes nothing when somebody else has signed it, or it is old', async () => {
    const { orderId, page } = await order();
    const message = { sequence: 9, payment: payment(orderId, 'SETTLED') };
    expect(await tell(message, { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` })).to.equal(400);
    expect(await tell(message, { atS: Math.floor(Date.now() / 1_000) - 400 })).to.equal(400);
    const unsigned = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(message) };
    expect((await fetch(`${opened.url}/webhooks/counterfoil`, unsigned)).status).to.equal(400);
    expect((await fetch(`${opened.url}/webhooks/counterfoil`, { method: 'POST' })).status).to.equal(400);
    expect(await page()).to.include('Not paid yet');
  });
});

describe('a message that never reached the demo shop', () => {
  const paid = async ({ http, url }: OpenedShop): Promise<readonly [shopper: Shopper, orderUrl: string]> => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { clientToken, orderUrl } = await shopper.ready();
    const paymentMethodToken = await http.shop.tokenize(clientToken);
    const headers = { 'X-Client-Token': clientToken };
    const { status } = await http.request('POST', '/checkout/payments', { headers, body: { paymentMethodToken } });
    expect(status).to.equal(200);
    return [shopper, orderUrl];
  };

  it('is found in the events by the clock', async () => {
    const opened = await openDemoShop({ isTold: false, catchUpEveryMs: 50 });
    try {
      await untilShown(...(await paid(opened)), 'Thank you');
    } finally {
      await opened.close();
    }
  });

  it('is looked for again when it is missed during a read of the events, which may have passed it', async () => {
    const first = new Gate();
    let reads = 0;
    const counterfoil = createServer(async (_request, response) => {
      reads += 1;
      if (reads === 1) await first.pass();
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ data: [] }));
    });
    const server = createServer();
    const ending = new AbortController();
    try {
      const counterfoilUrl = await listen(counterfoil, { host: '127.0.0.1', port: 0 });
      const webhookSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      const options = {
        apiKey: 'cf_test_key',
        counterfoilUrl,
        webhookSecret,
        after: undefined,
        catchUpEveryMs: 3_600_000,
      };
      server.on('request', await loadShop({ ...options, signal: ending.signal }));
      const url = await listen(server, { host: '127.0.0.1', port: 0 });
      await first.reached;
      const payment = { id: 'pay_1', orderId: 'order-1', status: 'SETTLED', date: '2026-01-01T00:00:00.000Z' };
      expect(await tellShop({ url, webhookSecret }, { sequence: 5, previousSequence: 3, payment }, {})).to.equal(204);
      first.open();
      await until(() => reads === 2);
    } finally {
      ending.abort();
      for (const each of [server, counterfoil]) {
        each.close();
        each.closeAllConnections();
      }
    }
  });

  it('is found in the events as soon as a later message of its payment comes', async () => {
    const opened = await openDemoShop({ isTold: false });
    try {
      const [shopper, orderUrl] = await paid(opened);
      const events = async (): Promise<number> =>
        bodyOf(await opened.http.shop.ask('GET', '/events'), z.object({ data: z.array(z.unknown()) })).data.length;
      await until(async () => (await events()) === 2);
      expect(await (await shopper.ask(orderUrl)).text()).to.include('Not paid yet');
      const payment = { id: 'pay_1', orderId: 'order-1', status: 'SETTLED', date: '2026-01-01T00:00:00.000Z' };
      expect(await tellShop(opened, { sequence: 5, previousSequence: 3, payment }, {})).to.equal(204);
      await untilShown(shopper, orderUrl, 'Thank you');
    } finally {
      await opened.close();
    }
  });
});
