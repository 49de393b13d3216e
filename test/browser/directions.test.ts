// Names and numbers of merchants and customers with U+202E: on no page they turn what is drawn beside or after them.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { challenged } from '../support/challenged.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type Shop, shopOf } from '../support/dashboard-shop.ts';
import { openDemoShop } from '../support/open-demo-shop.ts';
import { openPlaces, visit } from './checkout/merchant.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';
import { TURNED, turnsOf } from './support/directions.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';
import { openSignedIn } from './support/signed-in.ts';

const SESSION = {
  orderId: TURNED,
  customerId: TURNED,
  amount: null,
  metadata: { [TURNED]: TURNED, list: [TURNED] },
  customer: {
    firstName: TURNED,
    lastName: TURNED,
    billingAddress: { addressLine1: TURNED, city: TURNED, postalCode: TURNED, countryCode: 'FR' },
  },
  order: {
    lineItems: [{ name: TURNED, description: TURNED, itemId: TURNED, amount: 2_500, quantity: 2 }],
    fees: [{ amount: 100, type: TURNED, description: TURNED }],
    shipping: { amount: 490, methodName: TURNED },
  },
  paymentMethod: { descriptor: TURNED },
};

/** Every such text is alone in its node, and nothing moves when it is turned no more. */
async function expectIsolated(page: Page, name: string): Promise<void> {
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    await page.locator(`text=${TURNED}`).first().waitFor({ state: 'attached' });
    await screenshot(page, `directions-${name}-${viewport.width}`);
  }
  await page.setViewportSize(WIDE);
  const { turned, moved } = await turnsOf(page);
  expect(turned.length, name).to.be.above(0);
  expect(
    turned.filter((text) => !text.startsWith(TURNED)),
    `${name}: texts that share a node with our own words`,
  ).to.deep.equal([]);
  expect(moved, `${name}: texts that are drawn elsewhere`).to.deep.equal([]);
}

describeInBrowser('a text that turns the direction of writing', () => {
  const browser = openBrowser();

  describe('on the dashboard', () => {
    let dashboard: Dashboard;
    let shop: Shop;
    let paymentId: string;
    before(async () => {
      dashboard = await openDashboard();
      shop = shopOf(dashboard);
      const clientToken = await shop.session(SESSION);
      const paymentMethodToken = await shop.tokenize(clientToken);
      await shop.ask(`/payment-instruments/${paymentMethodToken}/vault`, { customerId: TURNED, description: TURNED });
      const made = await shop.ask('/payments', { clientToken, paymentMethodToken });
      paymentId = typeof made === 'object' && made !== null && 'id' in made ? String(made.id) : '';
      await shop.ask(`/payments/${paymentId}/capture`, {});
      await shop.ask(`/payments/${paymentId}/refund`, { amount: 100, orderId: TURNED, reason: TURNED });
      const named = await dashboard.service.access.createApiKey({
        accountId: dashboard.accountId,
        name: TURNED,
        scopes: [],
      });
      expect(named.kind).not.to.equal('rejected');
    });
    after(() => dashboard.close());

    const named = encodeURIComponent(TURNED);
    for (const [name, path] of [
      ['payments', () => '/payments'],
      ['filtered-payments', () => `/payments?customer_id=${named}`],
      ['payment', () => `/payments/${paymentId}`],
      ['client-sessions', () => '/client-sessions'],
      ['instruments', () => `/instruments?customer_id=${named}`],
      ['no-instruments', () => `/instruments?customer_id=${named}2`],
      ['keys', () => '/developers/keys'],
    ] as const)
      it(`turns nothing beside it: ${name}`, async () => {
        const page = await openSignedIn(browser, dashboard, path(), 'owner');
        await expectIsolated(page, name);
      });

    it('turns nothing beside it: a client session', async () => {
      const page = await openSignedIn(browser, dashboard, '/client-sessions', 'owner');
      await page.getByRole('main').getByRole('row').nth(1).getByRole('link').first().click();
      await page.getByText('All fields').waitFor();
      expect(await page.locator('pre').innerText()).to.contain(String.raw`"orderId": "\u202eoooooooo"`);
      await expectIsolated(page, 'client-session');
    });

    it('turns nothing beside it: the search, and the dialogs of a key', async () => {
      const page = await openSignedIn(browser, dashboard, '/developers/keys', 'owner');
      for (const what of ['Rotate', 'Revoke', 'Edit scopes']) {
        await page.getByRole('button', { name: `Actions for ${TURNED}` }).click();
        await page.getByRole('menuitem', { name: new RegExp(what) }).click();
        await page.getByRole('dialog').waitFor();
        await expectIsolated(page, `key-${what}`);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.reload(); // the texts are without the character by now
      }
      await page.getByPlaceholder('Id, order, customer, e-mail, card').fill(`${TURNED}x`);
      await page.getByText('No results for').waitFor();
      await expectIsolated(page, 'search');
    });
  });

  describe('in the checkout', () => {
    const places = openPlaces();

    it('turns nothing beside it: the order in the card frame', async () => {
      const page = await browser.newPage({ viewport: WIDE });
      const shopper = await visit(page, places.shop);
      await shopper.start({ clientToken: await places.http.shop.session({ ...SESSION, customerId: undefined }) });
      await shopper.frame.locator('.order').waitFor();
      await screenshot(page, 'directions-frame');
      const frame = page.frames().find((one) => one.url().includes('/checkout/frame'));
      if (frame === undefined) throw new Error('the page has no card frame');
      const { turned, moved } = await turnsOf(frame);
      expect(turned).to.deep.equal([TURNED, TURNED, TURNED]);
      expect(moved).to.deep.equal([]);
    });

    it('turns nothing beside it: the page of the bank, in an element of the line', async () => {
      const { page: path } = await challenged(places.http);
      const page = await browser.newPage({ viewport: WIDE });
      await page.goto(`${places.service}${path}`);
      await page.evaluate(
        "document.querySelector('p.soft').innerHTML = '<span>name</span> is asked for <strong>€54.90</strong>'",
      );
      const { turned, moved } = await turnsOf(page, 'dd bdi, p.soft span');
      expect(turned).to.deep.equal([TURNED, TURNED]);
      expect(moved).to.deep.equal([]);
    });
  });

  it('turns nothing beside it in the demo shop', async () => {
    const { url, close } = await openDemoShop();
    try {
      const page = await browser.newPage({ viewport: WIDE });
      await page.goto(url);
      await page.getByRole('button', { name: 'Add to cart' }).first().click();
      await page.getByRole('link', { name: 'Check out' }).click();
      await page.locator('.summary bdi').first().waitFor();
      const { turned, moved } = await turnsOf(page, '.summary bdi, .brand span');
      expect(turned.length).to.equal(2);
      expect(moved).to.deep.equal([]);
    } finally {
      await close();
    }
  });
});
