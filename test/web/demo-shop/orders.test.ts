// The demo shop in cases in which a merchant who copies it would lose money or shoppers: old tokens, and payments with
// a different amount.
import { expect } from 'chai';
import type { HttpService } from '../../support/http-service.ts';
import { openDemoShop } from '../../support/open-demo-shop.ts';
import { Shopper, untilShown } from '../../support/shopper.ts';

const DAY_MS = 86_400_000;

describe('an order of the demo shop', () => {
  let http: HttpService;
  let url: string;
  let close: () => Promise<void>;
  before(async () => {
    ({ http, url, close } = await openDemoShop());
  });
  after(() => close());

  const pay = async (clientToken: string): Promise<void> => {
    const headers = { 'X-Client-Token': clientToken };
    const paymentMethodToken = await http.shop.tokenize(clientToken);
    const { status, text } = await http.request('POST', '/checkout/payments', {
      headers,
      body: { paymentMethodToken },
    });
    expect(status, text).to.equal(200);
  };

  it('holds what was paid, not what an older page of the checkout was of', async () => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/lamp', { quantity: '9' });
    const { clientToken, orderUrl } = await shopper.ready();
    await shopper.ask('/cart/lamp', { quantity: '0' });
    await shopper.ask('/cart/clips', { quantity: '1' });
    await pay(clientToken);
    expect(await untilShown(shopper, orderUrl, 'Thank you'))
      .to.include('Paper clips')
      .and.include('€11.40')
      .and.not.include('Desk lamp');
  });

  it('is not called paid by a payment of another amount', async () => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/lamp', { quantity: '9' });
    const { clientToken, orderUrl } = await shopper.ready();
    // As when the answer to a change of the session is lost: the session is cheaper than the shop knows.
    expect((await http.shop.ask('PATCH', '/client-session', { clientToken, amount: 100 })).status).to.equal(200);
    await pay(clientToken);
    expect(await untilShown(shopper, orderUrl, 'We are checking your payment'))
      .to.include('€1.00')
      .and.not.include('Thank you')
      .and.not.include('Back to the payment');
  });

  it('is not called paid by a payment of another currency', async () => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/clips', { quantity: '1' });
    const { clientToken, orderUrl } = await shopper.ready();
    expect((await http.shop.ask('PATCH', '/client-session', { clientToken, currencyCode: 'JPY' })).status).to.equal(
      200,
    );
    await pay(clientToken);
    expect(await untilShown(shopper, orderUrl, 'We are checking your payment')).to.include('¥1,140');
  });

  it('can be changed and paid the day after, when its token has expired', async () => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/ink', { quantity: '1' });
    const old = await shopper.ready();
    http.world.advance(DAY_MS + 1_000);
    expect((await shopper.ask('/cart/ink', { quantity: '2' })).status).to.equal(302);
    const fresh = await shopper.ready();
    expect(fresh.orderUrl).to.equal(old.orderUrl);
    expect(fresh.clientToken).not.to.equal(old.clientToken);
    await pay(fresh.clientToken);
    expect(await untilShown(shopper, fresh.orderUrl, 'Thank you')).to.include('€30.70');
  });

  it('gets a new session after 30 days, when the old one is over', async () => {
    const shopper = new Shopper(url);
    await shopper.ask('/cart/ink', { quantity: '1' });
    await shopper.ready();
    http.world.advance(31 * DAY_MS + 1_000);
    const { clientToken, orderUrl } = await shopper.ready();
    await pay(clientToken);
    await untilShown(shopper, orderUrl, 'Thank you');
  });
});
