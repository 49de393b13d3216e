// A shop that changes the order while its shopper presses: nothing is charged but the amount on the button
// (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { openPlaces, visit } from './merchant.ts';

const List = z.looseObject({ data: z.array(z.looseObject({ status: z.string(), amount: z.number() })) });
const PAYMENTS = '**/checkout/payments';
const Sent = z.looseObject({ shown: z.looseObject({ amount: z.int(), currencyCode: z.string() }).optional() });

describeInBrowser('the amount on the button of the checkout', () => {
  const browser = openBrowser();
  const places = openPlaces();
  const paymentsOf = async (orderId: string) =>
    bodyOf(await places.http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data;

  /**
   * Changes the session to each of these amounts in turn, when a payment of it has left the page and has not arrived.
   */
  const shopping = async (orderId: string, amounts: readonly number[]) => {
    const { http, shop } = places;
    const clientToken = await http.shop.session({ orderId });
    const page = await browser.newPage();
    const left = [...amounts];
    const shown: unknown[] = [];
    await page.route(PAYMENTS, async (route) => {
      shown.push(Sent.parse(route.request().postDataJSON()).shown);
      const amount = left.shift();
      if (amount !== undefined)
        bodyOf(await http.shop.ask('PATCH', '/client-session', { clientToken, amount }), z.looseObject({}));
      await route.continue();
    });
    const shopper = await visit(page, shop);
    await shopper.start({ clientToken });
    await shopper.fill(CARDS.approved);
    return { shopper, shown };
  };

  it('is charged, or nothing: a change on the way is shown, and the shopper presses again', async () => {
    const { shopper, shown } = await shopping('order-changed', [2_500]);
    await shopper.pay();
    await shopper.frame.locator('[role=alert] p, [data-message=complete]').first().waitFor();
    expect(await paymentsOf('order-changed')).to.deep.equal([]);
    await shopper.frame.getByRole('alert').getByText('The amount has changed. Check it and pay again.').waitFor();
    await shopper.frame.getByRole('button', { name: 'Pay €25.00' }).waitFor();
    await shopper.pay();
    await shopper.message('complete');
    expect(await paymentsOf('order-changed')).to.have.length(1);
    expect((await paymentsOf('order-changed'))[0]).to.include({ status: 'AUTHORIZED', amount: 2_500 });
    expect(shown).to.deep.equal([
      { amount: 1_000, currencyCode: 'EUR' },
      { amount: 2_500, currencyCode: 'EUR' },
    ]);
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'ready', 'paying', 'complete']);
  });

  it('may change twice, and each press is for the amount that it showed', async () => {
    const { shopper, shown } = await shopping('order-changed-twice', [2_500, 900]);
    for (const name of ['Pay €10.00', 'Pay €25.00', 'Pay €9.00'])
      await shopper.frame.getByRole('button', { name }).click();
    await shopper.message('complete');
    expect((await paymentsOf('order-changed-twice')).map(({ amount }) => amount)).to.deep.equal([900]);
    expect(shown.map((one) => z.looseObject({ amount: z.int() }).parse(one).amount)).to.deep.equal([1_000, 2_500, 900]);
  });
});
