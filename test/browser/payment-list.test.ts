// The list of payments in a browser: its totals, its order, saved views, and what is done with several at once.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { type Shop, shopOf } from '../support/dashboard-shop.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW } from './support/screenshot.ts';
import { openSignedIn } from './support/signed-in.ts';

describeInBrowser('the list of payments', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
    for (const orderId of ['list-1', 'list-2', 'list-3']) await shop.paid({ session: { orderId } });
    await shop.paid({ session: { orderId: 'list-yen', amount: 700, currencyCode: 'JPY' } });
  });
  after(() => dashboard.close());

  it('says how many there are and how much that is, and turns its order', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const troubles = troublesOf(page);
    await page.getByText('4 payments', { exact: true }).waitFor();
    await page.getByText('€164.70', { exact: true }).waitFor();
    await page.getByText('¥700').first().waitFor();
    await page.getByRole('button', { name: 'Date' }).click();
    await page.waitForURL('**/payments?sort=oldest');
    await page.locator('tbody tr').first().getByText('list-1').waitFor();
    await page.getByRole('columnheader', { name: 'Date' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await page.getByRole('button', { name: 'Date' }).click();
    await page.locator('tbody tr').first().getByText('list-yen').waitFor();
    expect(troubles).to.deep.equal([]);
  });

  it('keeps a view under a name, in this browser', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments?currency_code=JPY', 'support');
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save these filters as').fill('Yen');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.goto(`${dashboard.url}/dashboard/payments`);
    await page.getByText('4 payments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Yen' }).click();
    await page.waitForURL('**/payments?currency_code=JPY');
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Delete the view Yen' }).click();
    await page.getByRole('link', { name: 'Yen' }).waitFor({ state: 'detached' });
  });

  it('exports, captures and cancels several at once, each on its own, and says which were refused', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const look = new Look(page);
    for (const order of ['list-1', 'list-2', 'list-yen']) await page.getByLabel(`Choose ${order}`).check();
    await look.atPage('payments-chosen');
    const bar = page.getByRole('toolbar', { name: 'Chosen payments' });
    await bar.getByText('3 chosen').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar.getByRole('link', { name: 'CSV of these' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).to.have.length(4);
    await bar.getByRole('button', { name: 'Capture' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Capture all that can be captured of 3 payments: ¥700 and €109.80.').waitFor();
    await look.atOpen('payments-capture-several');
    // one of them changes meanwhile, in another window
    const listed = await dashboard.ask('support', 'GET', '/dashboard/api/payments?order_id=list-2');
    const [, id = ''] = /"id":"(pay_\w+)"/.exec(listed.text) ?? [];
    await shop.ask(`/payments/${id}/capture`, { amount: 100, final: false });
    await dialog.getByRole('button', { name: 'Capture' }).click();
    await dialog.getByText('2 payments captured.').waitFor();
    await dialog.getByText('Not captured: one payment').waitFor();
    await dialog.getByText('list-2: It has changed since this dialog was opened. Nothing was done.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Try again' }).count()).to.equal(0);
    await look.atOpen('payments-captured-several');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await bar.getByRole('button', { name: 'Clear' }).click();
    await bar.waitFor({ state: 'detached' });
    await page.getByLabel('Choose list-3').check();
    await page.getByLabel('Choose list-1').check();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('One payment of those that you chose is left out').waitFor();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog.getByText('One payment cancelled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'list-3' }).getByText('Cancelled').waitFor();
    look.end();
  });

  it('has no boxes where rows are cards, and nothing is cut off', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    await page.setViewportSize(NARROW);
    await page.getByRole('list', { name: 'Payments' }).waitFor();
    expect(await page.getByLabel('Choose list-1').count()).to.equal(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true);
  });
});
