// A payment's page in a browser: the order in its title, items, addresses, notes, names of actors, and its endpoints.
// And the overview with its currency beside others.
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { describeInBrowser, itInRest, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const ADDRESS = { addressLine1: '12 St James’s Square', city: 'London', postalCode: 'SW1Y 4JH', countryCode: 'GB' };
const SESSION = {
  orderId: 'order-ada-1815',
  customerId: 'customer-ada',
  amount: undefined,
  customer: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    emailAddress: 'ada@example.com',
    billingAddress: ADDRESS,
    shippingAddress: { ...ADDRESS, firstName: 'Annabella', lastName: 'Byron' },
  },
  order: {
    lineItems: [
      { name: 'Ledger notebook', amount: 2_400, quantity: 2, discountAmount: 300 },
      { name: 'Bottle of ink', amount: 1_240 },
    ],
    shipping: { methodName: 'Parcel', amount: 490 },
  },
  metadata: { channel: 'web' },
};

describeInBrowser('the page of a payment', () => {
  const { browser, dashboard, shop } = openShopInBrowser();

  it('has the order in its title, items, addresses, the endpoint of each delivery, and names in place of ids', async () => {
    const url = 'http://127.0.0.1:9/webhooks';
    await dashboard.ask('owner', 'POST', '/dashboard/api/webhook-endpoints', { url });
    const { id } = await shop.captured({ session: SESSION });
    const refunded = await dashboard.ask('support', 'POST', `/dashboard/api/payments/${id}/refund`, { amount: 1_000 });
    expect(refunded.status).to.equal(200);
    const page = await openSignedIn(browser, dashboard, `/payments/${id}`, 'owner');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByRole('heading', { level: 1, name: '€62.30 · order-ada-1815' }).waitFor();
    expect(await page.title()).to.equal('€62.30 · order-ada-1815 · Counterfoil');
    const items = page.getByRole('region', { name: 'Items' }).locator('tbody tr');
    expect(await items.allTextContents()).to.deep.equal([
      'Ledger notebook2€24.00€45.00',
      'Bottle of ink1€12.40€12.40',
      'Parcel1€4.90€4.90',
    ]);
    const facts = page.getByRole('complementary', { name: 'About this payment' });
    expect(await facts.locator('dl > div', { hasText: 'Shipping address' }).locator('dd').innerText()).to.equal(
      'Annabella Byron\n12 St James’s Square\nSW1Y 4JH London\nGB',
    );
    await facts.locator('dl > div', { hasText: 'channel' }).getByText('web').waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('support@example.org').first().waitFor();
    await timeline.getByText('by API key First key').first().waitFor();
    const deliveries = page.getByRole('region', { name: 'Webhooks' }).getByRole('table');
    await deliveries.getByText('127.0.0.1:9/webhooks').first().waitFor();
    await look.atPage('payment-page');
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  itInRest('keeps notes: one is added, seen at once by a colleague, and withdrawn', async () => {
    const { id, version } = await shop.captured();
    const page = await openSignedIn(browser, dashboard, `/payments/${id}`, 'support');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const colleague = await openSignedIn(browser, dashboard, `/payments/${id}`, 'owner');
    const notes = page.getByRole('region', { name: 'Notes' });
    const add = notes.getByRole('button', { name: 'Add note' });
    await notes.getByLabel('New note').fill('Called the customer:\nthe parcel is at the neighbour’s.');
    await add.click();
    const own = notes.getByRole('listitem');
    await own.getByText('by you').waitFor();
    expect(await notes.getByLabel('New note').inputValue()).to.equal('');
    expect(await add.isDisabled()).to.equal(true);
    const seen = colleague.getByRole('region', { name: 'Notes' }).getByRole('listitem');
    await seen.getByText('by support@example.org').waitFor(); // the page learns of it automatically
    await notes.getByLabel('New note').fill('Paid with 4242 4242 4242 4242.');
    await add.click();
    await notes.getByRole('alert').waitFor();
    await look.atPage('payment-notes');
    await own.getByRole('button', { name: 'Withdraw' }).click();
    await look.atOpen('payment-note-withdraw');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw note' }).click();
    await own.waitFor({ state: 'detached' });
    await seen.waitFor({ state: 'detached' });
    const { body } = await dashboard.ask('support', 'GET', `/dashboard/api/payments/${id}`);
    expect(body).to.have.nested.property('payment.version', version);
    look.end();
    expect(troubles.filter((one) => !one.includes('422'))).to.deep.equal([]);
    const auditor = await openSignedIn(browser, dashboard, `/payments/${id}`, 'auditor');
    await auditor.getByRole('region', { name: 'Timeline' }).getByText('Captured').waitFor();
    expect(await auditor.getByRole('region', { name: 'Notes' }).count()).to.equal(0);
  });

  itInRest('counts in the overview beside payments of other currencies', async () => {
    await shop.captured({ session: { currencyCode: 'JPY', amount: 4_000 } });
    const { id } = await shop.captured({ session: { currencyCode: 'USD', amount: 7_500 }, card: '4000000000000259' });
    const move = { byMs: 6_000 };
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', move);
    expect(moved.status, moved.text).to.equal(200);
    await until(async () => {
      const { text } = await dashboard.ask('support', 'GET', '/dashboard/api/overview?days=1');
      return text.includes('"disputed":{"count":1,"amount":7500}');
    });
    const page = await openSignedIn(browser, dashboard, '/?days=1', 'support');
    const look = new Look(page);
    const rows = page.getByRole('table', { name: 'All currencies' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    const usd = rows.filter({ hasText: 'USD' });
    expect(await usd.textContent())
      .to.include('$75.00')
      .and.include('$75.00 (1)');
    expect(await rows.filter({ hasText: 'JPY' }).textContent()).to.include('¥4,000');
    await look.atPage('overview-currencies');
    await usd.getByRole('link', { name: /75/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Disputes' }).waitFor();
    await page.getByRole('table', { name: 'Disputes' }).getByRole('link', { name: '$75.00' }).click();
    await page.waitForURL(`**/payments/${id}`);
    look.end();
  });
});
