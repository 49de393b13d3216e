// The lists of disputes and of client sessions in a browser: totals, order, views, the choice of several and CSV, as
// payments have them.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { describeInBrowser } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DISPUTED = '4000000000000259';

/** The lines of the file that a click on a link downloads. */
async function downloaded(page: Page, click: () => Promise<void>): Promise<readonly string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
}

describeInBrowser('the lists of disputes and of client sessions', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  before(async () => {
    const made = [
      { orderId: 'dispute-small', amount: 900, currencyCode: 'EUR' },
      { orderId: 'dispute-large', amount: 8_900, currencyCode: 'EUR' },
      { orderId: 'dispute-yen', amount: 700, currencyCode: 'JPY' },
    ];
    for (const session of made) await shop.captured({ session, card: DISPUTED });
    await shop.session({ orderId: 'session-open', amount: 1_000 });
    const move = { byMs: 10_000 };
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', move);
    expect(moved.status, moved.text).to.equal(200);
    await until(async () => {
      const { text } = await dashboard.ask('support', 'GET', '/dashboard/api/dispute-totals');
      return text.includes('"count":3');
    });
  });

  it('count disputes, sort them by amount in one currency, and export the chosen ones', async () => {
    const page = await openSignedIn(browser, dashboard, '/disputes', 'support');
    const look = new Look(page);
    await page.getByText('3 disputes', { exact: true }).waitFor();
    await page.getByText('€98.00', { exact: true }).waitFor();
    await page.getByRole('columnheader', { name: 'Respond' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.getByRole('button', { name: 'Amount' }).click();
    await page.waitForURL('**/disputes?currency_code=EUR&sort=largest');
    await page.locator('tbody tr').first().getByText('dispute-large').waitFor();
    await page.getByText('By amount, in EUR only').waitFor();
    await page.getByLabel('Choose dispute-small').check();
    await look.atPage('disputes-chosen');
    const bar = page.getByRole('toolbar', { name: 'Chosen disputes' });
    const chosen = await downloaded(page, () => bar.getByRole('link', { name: 'CSV of these' }).click());
    expect(chosen).to.have.length(2);
    expect(chosen[1]).to.include('dispute-small');
    const all = await downloaded(page, () => page.getByRole('link', { name: 'Export CSV' }).click());
    expect(all.slice(1).map((line) => line.split(',')[5])).to.deep.equal(['dispute-large', 'dispute-small']);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save this list as').fill('Large first');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the filter Currency EUR' }).click();
    await page.waitForURL('**/disputes');
    await page.getByText('3 disputes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Large first' }).click();
    await page.waitForURL('**/disputes?currency_code=EUR&sort=largest');
    look.end();
  });

  it('count client sessions, turn their order, and export the chosen ones', async () => {
    const page = await openSignedIn(browser, dashboard, '/client-sessions', 'support');
    const look = new Look(page);
    await page.getByText('4 client sessions', { exact: true }).waitFor();
    await page.getByText('€108.00', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Created' }).click();
    await page.waitForURL('**/client-sessions?sort=oldest');
    await page.locator('tbody tr').first().getByText('dispute-small').waitFor();
    await page.getByLabel('Choose session-open').check();
    await look.atPage('sessions-chosen');
    const bar = page.getByRole('toolbar', { name: 'Chosen client sessions' });
    const chosen = await downloaded(page, () => bar.getByRole('link', { name: 'CSV of these' }).click());
    expect(chosen.slice(1).map((line) => line.split(',')[4])).to.deep.equal(['session-open']);
    await page.setViewportSize(NARROW);
    await page.getByLabel('Sort').selectOption('Newest first');
    await page.waitForURL('**/client-sessions');
    look.end();
  });

  it('say of a client session that its payment is disputed, and lead to those alone', async () => {
    const page = await openSignedIn(browser, dashboard, '/client-sessions', 'support');
    const look = new Look(page);
    const disputed = page.getByRole('row', { name: 'dispute-small' }).getByText('Disputed', { exact: true });
    await disputed.waitFor();
    await page.getByRole('link', { name: 'Disputed', exact: true }).click();
    await page.waitForURL('**/client-sessions?derived_status=DISPUTED');
    await page.getByText('3 client sessions', { exact: true }).waitFor();
    await disputed.waitFor();
    await look.atPage('sessions-disputed');
    await page.getByRole('row', { name: 'dispute-small' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'dispute-small' }).waitFor();
    expect(await page.getByRole('main').getByText('Disputed', { exact: true }).count()).to.equal(2);
    await look.atPage('session-disputed');
    look.end();
  });
});
