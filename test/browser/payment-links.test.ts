// Payment links in the dashboard: the first payment by four clicks, the list, a link, and its cancellation.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { CARDS } from '../support/http-merchant.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openSignedIn } from './support/signed-in.ts';

describeInBrowser('payment links in the dashboard', function paymentLinks(this: Mocha.Suite) {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  it('lead from an empty account to its first payment by four clicks', async () => {
    const page = await openSignedIn(browser, dashboard, '/', 'owner');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByRole('link', { name: 'create a payment link' }).click(); // 1
    const dialog = page.getByRole('dialog', { name: 'Create payment link' });
    await dialog.getByLabel('Amount').waitFor();
    await look.atOpen('payment-link-create');
    await dialog.getByLabel('For').fill('Linen shirt');
    await dialog.getByRole('button', { name: 'Create link' }).click(); // 2
    const openPage = page.getByRole('link', { name: 'Open page' });
    await openPage.waitFor();
    await look.atOpen('payment-link-made');
    const opening = page.context().waitForEvent('page');
    await openPage.click(); // 3
    const customer: Page = await opening;
    const frame = customer.frameLocator('iframe');
    await frame.locator('[name=number]').fill(CARDS.approved);
    await frame.locator('[name=expiry]').fill('12 / 39');
    await frame.locator('[name=cvc]').fill('123');
    await frame.locator('[name=name]').fill('Ada Lovelace');
    await frame.locator('button.pay').click(); // 4
    await frame.locator('[data-message=complete]').waitFor();
    await page.bringToFront();
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Payment links' }).getByText('Paid').waitFor();
    await look.atPage('payment-links');
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('are copied, shown as a QR code, and cancelled', async () => {
    await dashboard.ask('owner', 'POST', '/dashboard/api/payment-links', {
      amount: 99_00,
      currencyCode: 'EUR',
      orderId: 'invoice-12',
    });
    const page = await openSignedIn(browser, dashboard, '/payment-links', 'owner');
    await page.getByRole('table', { name: 'Payment links' }).getByText('invoice-12').click();
    await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor();
    await page.getByRole('button', { name: 'Copy the payment link' }).waitFor();
    const look = new Look(page);
    await look.atOpen('payment-link');
    await page.setViewportSize({ width: 390, height: 844 });
    await look.atOpen('payment-link');
    look.end();
    await page.getByRole('button', { name: 'Cancel link…' }).click();
    await page
      .getByRole('dialog', { name: 'Cancel this payment link?' })
      .getByRole('button', { name: 'Cancel link' })
      .click();
    await page.getByRole('dialog', { name: 'Payment link' }).getByText('Cancelled').first().waitFor();
  });
});
