// Paying in the card frame of the checkout, with a merchant's page of another origin around it (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { openShop, SCRIPT_PATH, type Shop, type Shopper, visit } from './merchant.ts';

const List = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), status: z.string(), amount: z.number() })),
});
const Instruments = z.looseObject({ data: z.array(z.looseObject({ token: z.string() })) });

describeInBrowser('the checkout in a browser', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    shop = await openShop(`http://127.0.0.1:${http.port}`);
  });
  after(async () => {
    shop.close();
    await http.stop();
  });

  let orders = 0;
  /** A shopper in front of the checkout of a new session, with an order of its own. */
  const shopping = async (
    session: object = {},
    options: object = {},
  ): Promise<Shopper & { readonly orderId: string }> => {
    orders += 1;
    const orderId = `order-${orders}`;
    const shopper = await visit(await browser.newPage(), shop);
    await shopper.start({ clientToken: await http.shop.session({ orderId, ...session }), ...options });
    return { ...shopper, orderId };
  };
  const paymentsOf = async (orderId: string) =>
    bodyOf(await http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data;

  it('pays with a plain card, and tells the shop once', async () => {
    const shopper = await shopping();
    const troubles = troublesOf(shopper.page);
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    const [payment] = await paymentsOf(shopper.orderId);
    expect(payment).to.include({ status: 'AUTHORIZED', amount: 1000 });
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'complete']);
    const told = (await shopper.news()).filter(({ kind }) => kind === 'complete');
    expect(told).to.deep.equal([
      {
        kind: 'complete',
        paymentId: payment?.id,
        status: 'AUTHORIZED',
        amount: 1000,
        currencyCode: 'EUR',
        resumed: false,
      },
    ]);
    expect(troubles).to.deep.equal([]);
  });

  it('pays with the SDK as one script file too, from a page without modules', async () => {
    const shopper = await visit(await browser.newPage(), shop, SCRIPT_PATH);
    const troubles = troublesOf(shopper.page);
    await shopper.start({ clientToken: await http.shop.session({ orderId: 'order-script' }) });
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect((await shopper.news()).at(-1)).to.include({ kind: 'complete', status: 'AUTHORIZED' });
    expect(await paymentsOf('order-script')).to.have.length(1);
    expect(troubles).to.deep.equal([]);
  });

  it('pays once when Enter and the button are pressed at once', async () => {
    const shopper = await shopping();
    await shopper.fill(CARDS.approved);
    const sent: string[] = [];
    shopper.page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await shopper.inFrame(
      "document.querySelector('form').requestSubmit(), document.querySelector('button.pay').click()",
    );
    await shopper.message('complete');
    expect(sent.filter((one) => one === 'POST /checkout/payments')).to.have.length(1);
    expect(await paymentsOf(shopper.orderId)).to.have.length(1);
  });

  it('says why a card was declined, and takes another one', async () => {
    const shopper = await shopping();
    await shopper.fill('4000000000009995');
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('This card has insufficient funds.').waitFor();
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'declined', 'paying', 'complete']);
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED', 'DECLINED']);
  });

  it('says that the service cannot be reached, and never that the issuer declined', async () => {
    const shopper = await shopping();
    await shopper.fill(CARDS.approved);
    await shopper.page.route('**/checkout/payment-instruments', (route) => route.abort('connectionrefused'), {
      times: 1,
    });
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('The payment service cannot be reached.').waitFor();
    expect((await shopper.news()).at(-1)).to.include({ kind: 'error', code: 'service_unavailable' });
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'unavailable', 'paying', 'complete']);
  });

  it('says of a right number that the sandbox does not know the card', async () => {
    const shopper = await shopping();
    await shopper.fill('4111111111111111');
    await shopper.pay();
    await shopper.frame.getByText('The sandbox does not know this test card.').waitFor();
  });

  for (const [title, number] of [
    ['the processor accepted', CARDS.pendingForEver],
    ['whose answer was lost', CARDS.unknown],
  ] as const) {
    it(`waits for a payment ${title}, never calls it failed, and shows how it ended`, async () => {
      const shopper = await shopping();
      await shopper.fill(number);
      await shopper.pay();
      await shopper.message('pending');
      expect(await shopper.frame.locator('main').innerText())
        .to.contain('Please do not pay again')
        .and.not.to.match(/fail|declin/i);
      http.world.advance(31_000);
      http.service.lookAtOnce();
      await shopper.message('complete');
      expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'pending', 'complete']);
      expect(await paymentsOf(shopper.orderId)).to.have.length(1);
    });
  }

  it('saves a card when the shopper ticks the box, and pays with it the next time', async () => {
    const customerId = 'customer-saving';
    const first = await shopping({ customerId });
    await first.fill(CARDS.otherApproved);
    await first.frame.getByLabel('Save this card for next time').check();
    await first.pay();
    await first.message('complete');
    const { data } = bodyOf(await http.shop.ask('GET', `/payment-instruments?customer_id=${customerId}`), Instruments);
    expect(data).to.have.length(1);

    const second = await shopping({ customerId });
    await second.frame.getByRole('radio', { name: 'Mastercard ending in 4444, valid until 12 / 39' }).waitFor();
    expect(await second.frame.locator('[name=number]').isVisible()).to.equal(false);
    await second.pay();
    await second.message('complete');
    const third = await shopping({ customerId });
    await third.frame.getByRole('radio', { name: 'Another card' }).check();
    await third.fill(CARDS.approved);
    await third.pay();
    await third.message('complete');
    expect((await paymentsOf(third.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED']);
  });

  it('asks nobody to save a card where the session has no customer', async () => {
    const shopper = await shopping();
    await shopper.frame.locator('button.pay').waitFor();
    expect(await shopper.frame.getByLabel('Save this card for next time').isVisible()).to.equal(false);
  });

  it('says what is wrong at each field, and moves to the first one', async () => {
    const shopper = await shopping();
    await shopper.fill('4242424242424241');
    await shopper.frame.locator('[name=expiry]').fill('01 / 20');
    await shopper.pay();
    const focused = await shopper.inFrame(
      "((input) => [input.labels[0].textContent, input.ariaInvalid, document.getElementById(input.getAttribute('aria-describedby')).textContent])(document.activeElement)",
    );
    expect(focused).to.deep.equal(['Card number', 'true', 'This card number is not valid. Check the digits.']);
    await shopper.frame.getByText('This card has expired.').waitFor();
    expect(await paymentsOf(shopper.orderId)).to.deep.equal([]);
  });

  it('formats a number as it is typed, corrected and pasted', async () => {
    const shopper = await shopping();
    const number = shopper.frame.locator('[name=number]');
    await number.pressSequentially('424242');
    await number.press('Home');
    await number.pressSequentially('5');
    expect(await number.inputValue()).to.equal('5424 242');
    await number.press('Delete');
    await number.press('End');
    await number.press('Backspace');
    expect(await number.inputValue()).to.equal('5242 4');
    await number.fill(' 3782 822463 10005 ');
    expect(await number.inputValue()).to.equal('3782 822463 10005');
    await shopper.frame.locator('[data-network=AMEX]').waitFor();
  });

  it('shows the new amount after the shop has changed the order, and never takes one that was not shown', async () => {
    const clientToken = await http.shop.session({ orderId: 'order-changing' });
    const shopper = await visit(await browser.newPage(), shop);
    await shopper.start({ clientToken });
    await shopper.fill(CARDS.approved);
    await http.shop.ask('PATCH', '/client-session', { clientToken, amount: 2500 });
    await shopper.page.evaluate('checkout.refresh()');
    expect(await shopper.frame.locator('button.pay').innerText()).to.equal('Pay €25.00');
    await http.shop.ask('PATCH', '/client-session', { clientToken, amount: 9900 });
    await shopper.pay();
    await shopper.frame.getByText('The amount has changed.').waitFor();
    expect(await paymentsOf('order-changing')).to.deep.equal([]);
    expect(await shopper.frame.locator('button.pay').innerText()).to.equal('Pay €99.00');
    await shopper.pay();
    await shopper.message('complete');
    expect((await paymentsOf('order-changing')).map(({ amount }) => amount)).to.deep.equal([9900]);
  });

  it('shows that a session has expired, and goes on with a newer token', async () => {
    const clientToken = await http.shop.session({ orderId: 'order-expired' });
    const shopper = await visit(await browser.newPage(), shop);
    const [header, payload] = clientToken.split('.');
    await shopper.start({ clientToken: `${header}.${payload}.AAAA` });
    await shopper.message('expired');
    expect((await shopper.news()).find(({ kind }) => kind === 'error')).to.include({ code: 'session_expired' });
    await shopper.page.evaluate(`checkout.update({ clientToken: ${JSON.stringify(clientToken)} })`);
    await shopper.frame.locator('button.pay').waitFor();
  });
});
