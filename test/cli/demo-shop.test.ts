// counterfoil demo --shop: the shop's server gives a browser a client token and nothing else, and no browser sets a
// price.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';
import { Shopper, untilShown } from '../support/shopper.ts';
import { until } from '../support/until.ts';
import { Place, type Serving } from './processes.ts';

const Announced = z.object({ shopUrl: z.string(), url: z.string(), inMemory: z.boolean(), endpointId: z.string() });
const Session = z.looseObject({ amount: z.number(), lineItems: z.array(z.looseObject({ amount: z.number() })) });
const Keys = z.object({
  data: z.array(z.looseObject({ name: z.string(), state: z.string(), scopes: z.array(z.string()) })),
});

const Endpoints = z.object({ data: z.array(z.object({ url: z.string(), state: z.string() })) });

describe('counterfoil demo --shop', () => {
  const place = new Place();
  let shop: Serving;
  let apiUrl: string;
  before(async () => {
    shop = await place.shop('--json', { COUNTERFOIL_PORT: '1' });
    const announced = Announced.parse(JSON.parse(shop.stdout()));
    expect(announced.inMemory).to.equal(true);
    apiUrl = announced.url;
  });
  after(() => place.remove());

  /** As the card frame reads it. */
  const sessionOf = async (clientToken: string): Promise<z.infer<typeof Session>> =>
    Session.parse(
      await (await fetch(`${apiUrl}/checkout/session`, { headers: { 'X-Client-Token': clientToken } })).json(),
    );
  const asBrowser = async (clientToken: string, path: string, body: object): Promise<unknown> => {
    const headers = { 'X-Client-Token': clientToken, 'Content-Type': 'application/json' };
    return (await fetch(`${apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const pay = async (clientToken: string, number: string): Promise<void> => {
    const card = { number, expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const { token } = z
      .looseObject({ token: z.string() })
      .parse(await asBrowser(clientToken, '/checkout/payment-instruments', { card }));
    await asBrowser(clientToken, '/checkout/payments', { paymentMethodToken: token });
  };

  it('takes its prices from the catalogue, whatever a browser sends', async () => {
    const shopper = new Shopper(shop.url);
    const answer = await shopper.ask('/cart/lamp', {
      quantity: '2',
      price: '1',
      amount: '1',
      'order[lineItems][0][amount]': '1',
    });
    expect(answer.status).to.equal(302);
    const { clientToken } = await shopper.ready();
    expect(await sessionOf(clientToken)).to.deep.include({ amount: 23_800 });
  });

  it('keeps the session at what the cart is', async () => {
    const shopper = new Shopper(shop.url);
    await shopper.ask('/cart/ink', { quantity: '1' });
    const { clientToken } = await shopper.ready();
    expect(await sessionOf(clientToken)).to.include({ amount: 1_290 + 490 });
    await Promise.all([shopper.ask('/cart/pen', { quantity: '3' }), shopper.ask('/cart/ink', { quantity: '0' })]);
    const changed = await sessionOf(clientToken);
    expect(changed).to.include({ amount: 3 * 6_400 });
    expect(changed.lineItems).to.have.length(1);
    await shopper.ask('/cart/pen', { quantity: '0' });
    expect((await shopper.ask('/checkout')).headers.get('Location')).to.equal('/cart');
  });

  const REFUSED: { readonly [name: string]: readonly [path: string, quantity: string, status: number] } = {
    'a product that it does not sell': ['/cart/car', '1', 404],
    'a quantity below zero': ['/cart/ink', '-1', 400],
    'a part of a thing': ['/cart/ink', '0.5', 400],
    'more than nine': ['/cart/ink', '10', 400],
    'a quantity that is not a number': ['/cart/ink', 'all', 400],
  };
  for (const [name, [path, quantity, status]] of Object.entries(REFUSED))
    it(`refuses ${name}`, async () =>
      expect((await new Shopper(shop.url).ask(path, { quantity })).status).to.equal(status));

  it('shows an order to its shopper alone, and says what webhooks told', async () => {
    const shopper = new Shopper(shop.url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { clientToken, orderUrl } = await shopper.ready();
    expect(await (await shopper.ask(orderUrl)).text()).to.include('Not paid yet');
    await pay(clientToken, '4000000000000002');
    await untilShown(shopper, orderUrl, 'did not go through');
    expect((await shopper.ready()).clientToken).to.equal(clientToken);
    await pay(clientToken, '4242424242424242');
    expect(await untilShown(shopper, orderUrl, 'Thank you')).to.include('•••• 4242');
    expect((await new Shopper(shop.url).ask(orderUrl)).status).to.equal(404);
    expect(await (await shopper.ask('/cart')).text()).to.include('Your cart is empty');
  });

  it('leads a cart that was paid in another tab to its order', async () => {
    const shopper = new Shopper(shop.url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { clientToken, orderUrl } = await shopper.ready();
    await pay(clientToken, '4000009900001010');
    expect((await shopper.ask('/cart/lamp', { quantity: '1' })).headers.get('Location')).to.equal(orderUrl);
    expect((await shopper.ask('/checkout', {})).headers.get('Location')).to.equal(orderUrl);
    await untilShown(shopper, orderUrl, 'Waiting for your bank');
  });

  it('lets a week pass with each line, after which a debit is paid', async () => {
    const shopper = new Shopper(shop.url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { clientToken, orderUrl } = await shopper.ready();
    const method = {
      type: 'SEPA_DEBIT',
      iban: 'DE89370400440532013000',
      accountHolderName: 'Ada Lovelace',
      mandateAccepted: true,
    };
    const { token } = z
      .looseObject({ token: z.string() })
      .parse(await asBrowser(clientToken, '/checkout/payment-instruments', { method }));
    await asBrowser(clientToken, '/checkout/payments', { paymentMethodToken: token });
    await untilShown(shopper, orderUrl, 'Your direct debit is on its way');
    shop.process.stdin?.write('\n');
    expect(await untilShown(shopper, orderUrl, 'Thank you')).to.include('SEPA direct debit •••• 3000');
    await until(() => shop.stderr().includes('7 days have passed.')); // the order may show it first
  });

  it('puts no key and no token in a page, and allows scripts and frames of itself and the service alone', async () => {
    const shopper = new Shopper(shop.url);
    await shopper.ask('/cart/pen', { quantity: '1' });
    const { clientToken } = await shopper.ready();
    for (const path of ['/', '/cart', '/checkout', '/assets/checkout.js', '/assets/order.js']) {
      const answer = await shopper.ask(path);
      const text = await answer.text();
      expect(answer.status).to.equal(200);
      expect(text)
        .not.to.match(/cf_(?:test|live)_/)
        .and.not.include(clientToken);
      expect(answer.headers.get('Content-Security-Policy'))
        .to.include(`script-src 'self' ${apiUrl};`)
        .and.include(`frame-ancestors 'none'`)
        .and.not.include('unsafe');
    }
  });

  it('gives each shopper a cookie that no script reads', async () => {
    const cookie = (await fetch(shop.url)).headers.get('Set-Cookie');
    expect(cookie).to.match(/^shopper=[\w-]{36}; /);
    expect(cookie)
      .to.match(/httponly/i)
      .and.match(/samesite=lax/i);
  });

  it('ends in order at Ctrl-C', async () => {
    const { code, stderr } = await shop.end('SIGINT');
    expect({ code, ended: stderr.endsWith('The shop has stopped.\n') }).to.deep.equal({ code: 0, ended: true });
  });

  it('runs beside a service, with a key of three scopes and an endpoint, which end with it', async () => {
    const beside = new Place();
    try {
      const serving = await beside.serve();
      const there = await beside.shop(`--url ${serving.url}`);
      const shopper = new Shopper(there.url);
      await shopper.ask('/cart/ink', { quantity: '1' });
      await shopper.ready();
      const demoKey = async (): Promise<unknown> => {
        const { data } = Keys.parse(await beside.json('keys list'));
        return data.filter(({ name }) => name === 'Demo').map(({ state, scopes }) => ({ state, scopes }));
      };
      const scopes = ['client_tokens:write', 'transactions:capture', 'transactions:retrieve'];
      const endpoints = async (): Promise<unknown> =>
        Endpoints.parse(await beside.json('webhooks endpoints list')).data;
      const url = `${there.url}/webhooks/counterfoil`;
      expect(await demoKey()).to.deep.equal([{ state: 'active', scopes }]);
      expect(await endpoints()).to.deep.equal([{ url, state: 'enabled' }]);
      expect((await there.end('SIGTERM')).code).to.equal(0);
      expect(await demoKey()).to.deep.equal([{ state: 'revoked', scopes }]);
      expect(await endpoints()).to.deep.equal([]);
    } finally {
      await beside.remove();
    }
  });

  it('is wrong usage together with --unknown', async () =>
    expect((await place.run('demo --shop --unknown')).code).to.equal(2));
});

describe('the server of the shop', () => {
  it('is short enough to copy', () => {
    const lines = readFileSync(join(ROOT, 'web/demo-shop/src/server.ts'), 'utf8').trimEnd().split('\n');
    expect(lines.length).to.be.below(150);
  });
});
