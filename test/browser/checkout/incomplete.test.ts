// Sessions that cannot be paid: the frame says so when it is loaded, and never as a decline (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { openPlaces, type Shopper, visit } from './merchant.ts';

const PAYMENTS = '**/checkout/payments';

/** Pictures of both widths, and what axe finds. */
async function isFine({ page }: Shopper, name: string): Promise<void> {
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await screenshot(page, `checkout-${name}-${viewport.width}`);
    expect(await axeViolations(page), `${name}, ${viewport.width}`).to.deep.equal([]);
  }
}

const errorsOf = async (shopper: Shopper): Promise<readonly (string | undefined)[]> =>
  (await shopper.news()).filter(({ kind }) => kind === 'error').map(({ code }) => code);

const appearance = { theme: 'light', variables: { colorBackground: '#ffffff' } };

describeInBrowser('a checkout that cannot be paid', () => {
  const browser = openBrowser();
  const places = openPlaces();
  const patch = async (clientToken: string, fields: object) =>
    bodyOf(await places.http.shop.ask('PATCH', '/client-session', { clientToken, ...fields }), z.looseObject({}));
  const open = async (fields: object, prepare?: (shopper: Shopper, clientToken: string) => Promise<void>) => {
    const clientToken = await places.http.shop.session(fields);
    const shopper = await visit(await browser.newPage(), places.shop);
    await prepare?.(shopper, clientToken);
    await shopper.start({ clientToken, appearance });
    await shopper.frame.locator('button.pay').waitFor();
    return { ...shopper, clientToken };
  };

  it('says at load that the session is not complete, and what it lacks, and takes the payment when it is', async () => {
    const shopper = await open({ orderId: undefined });
    await shopper.frame.getByText('The shop has not finished this order yet').waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'incomplete']);
    expect((await shopper.news()).at(-1)).to.include({ kind: 'error', code: 'session_incomplete' });
    expect(JSON.stringify((await shopper.news()).at(-1))).to.contain('orderId');
    expect(await shopper.frame.locator('button.pay').isDisabled()).to.equal(true);
    await isFine(shopper, 'incomplete');
    await shopper.fill(CARDS.approved);
    await patch(shopper.clientToken, { orderId: 'order-late' });
    await shopper.page.evaluate('checkout.refresh()');
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal(['loading', 'incomplete', 'ready', 'paying', 'complete']);
  });

  it('says the same, and no decline, of a session that lost its order while the shopper pressed', async () => {
    const shopper = await open({ orderId: 'order-lost' }, async ({ page }, clientToken) => {
      await page.route(PAYMENTS, async (route) => {
        await patch(clientToken, { orderId: null });
        await route.continue();
      });
    });
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('The shop has not finished this order yet').waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'incomplete']);
    expect(await errorsOf(shopper)).to.deep.equal(['session_incomplete']);
  });

  it('tells the shop of a payment that the service refused, and never that the issuer declined', async () => {
    const shopper = await open({ orderId: 'order-refused' }, async ({ page }) => {
      const error = { errorId: 'OperationNotSupported', description: 'No.', diagnosticsId: 'req_1' };
      await page.route(PAYMENTS, (route) => route.fulfill({ status: 422, json: { error } }), { times: 1 });
    });
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('The payment did not go through. You were not charged.').waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'ready']);
    expect(await errorsOf(shopper)).to.deep.equal(['payment_refused']);
  });

  it('calls a saved card that has gone no decline', async () => {
    const token = await places.http.shop.vaulted('customer-gone');
    const shopper = await open({ orderId: 'order-gone', customerId: 'customer-gone' });
    await places.http.shop.ask('DELETE', `/payment-instruments/${token}`);
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('This saved card can no longer be used.').waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'ready']);
  });
});

describeInBrowser('a checkout of a service without a processor', () => {
  const browser = openBrowser();
  const places = openPlaces({ processor: 'none' });

  it('is unavailable before anything is typed', async () => {
    const shopper = await visit(await browser.newPage(), places.shop);
    await shopper.start({ clientToken: await places.http.shop.session(), appearance });
    await shopper.frame.locator('[data-message=unavailable], [name=number]').first().waitFor();
    expect(await shopper.frame.locator('[name=number]').count()).to.equal(0);
    await shopper.frame.getByText('The seller cannot accept payments right now.').waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'unavailable']);
    expect(await errorsOf(shopper)).to.deep.equal(['no_payment_method']);
    await isFine(shopper, 'no-method');
    await shopper.frame.getByRole('button', { name: 'Try again' }).click();
    await shopper.message('unavailable');
  });
});
