// A payment's page along its timeline, in a browser: each event a stop, the amounts and the status of then, why, and
// back to now.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

describeInBrowser('a payment of the past in the dashboard', () => {
  const { browser, dashboard, shop } = openShopInBrowser();

  /** The captured amount on the page. */
  const captured = (page: Page) =>
    page
      .getByRole('region', { name: 'Amounts' })
      .locator('dl > div', { hasText: /^Captured/ })
      .locator('dd');

  it('is shown as of each event by the arrow keys, with its reason beside it, and nothing can be asked of it', async () => {
    const { id } = await shop.captured({ session: { orderId: 'order-then' } });
    await shop.ask(`/payments/${id}/refund`, { amount: 1_000, reason: 'one shirt came back' });
    const page = await openSignedIn(browser, dashboard, `/payments/${id}`, 'owner');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const moment = page.getByRole('slider', { name: 'Event of the payment' });
    await page.getByText('Refunded', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Refund', exact: true }).waitFor();
    expect(await moment.getAttribute('aria-valuetext')).to.match(/^Refunded, .*, now$/);
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('asked to refund €10.00').waitFor();
    await look.atPage('payment-now');

    await moment.focus();
    for (const [title, status, amount] of [
      ['Refund requested', 'Settled', '€54.90'],
      ['Captured', 'Settled', '€54.90'],
      ['Capture requested', 'Authorized', '€0.00'],
      ['Authorized', 'Authorized', '€0.00'],
      ['Authorization requested', 'Pending', '€0.00'],
    ] as const) {
      await page.keyboard.press('ArrowLeft');
      await page.getByText(`right after “${title}”`).waitFor();
      await page.getByRole('heading', { level: 1 }).locator('xpath=..').getByText(status, { exact: true }).waitFor();
      await captured(page).filter({ hasText: amount }).waitFor();
    }
    expect(await page.getByRole('button', { name: 'Previous event' }).isDisabled()).to.equal(true);
    for (let forth = 0; forth < 3; forth += 1) await page.keyboard.press('ArrowRight');
    await page.waitForURL('**after=4');
    await why.getByText('asked to capture €54.90').waitFor();
    await why.getByText('Sent to sandbox').waitFor();
    expect(await why.getByRole('listitem').count()).to.equal(2);
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).isDisabled()).to.equal(true);
    await look.atPage('payment-past');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await why.getByText('asked to refund €10.00').waitFor(); // why it is as it is now
    expect(new URL(page.url()).search).to.equal('');
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).isEnabled()).to.equal(true);

    await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: 'Refund requested' }).click();
    await why.getByText('one shirt came back').waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
  });
});
