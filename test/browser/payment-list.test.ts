// The list of payments in a browser: its totals, its order, saved views, and what is done with several at once.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

describeInBrowser('the list of payments', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  before(async () => {
    const amounts = { 'list-1': 4_490, 'list-2': 5_490, 'list-3': 6_490 };
    for (const [orderId, amount] of Object.entries(amounts)) await shop.paid({ session: { orderId, amount } });
    await shop.paid({ session: { orderId: 'list-yen', amount: 700, currencyCode: 'JPY' } });
  });

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

  it('is by amount in the currency of most payments, says why, and has no such order without a currency', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const look = new Look(page);
    await page.getByText('4 payments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Amount' }).click();
    await page.waitForURL('**/payments?currency_code=EUR&sort=largest');
    await page.getByText('By amount, in EUR only').waitFor();
    await page.getByRole('columnheader', { name: 'Amount' }).and(page.locator('[aria-sort=descending]')).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Date' }).getAttribute('aria-sort')).to.equal(null);
    await page.locator('tbody tr').first().getByText('list-3').waitFor();
    await look.atPage('payments-by-amount');
    await page.getByRole('button', { name: 'Amount' }).click();
    await page.waitForURL('**/payments?currency_code=EUR&sort=smallest');
    await page.locator('tbody tr').first().getByText('list-1').waitFor();
    await page.getByRole('button', { name: 'Remove the filter Currency EUR' }).click();
    await page.waitForURL('**/payments');
    await page.getByText('4 payments', { exact: true }).waitFor();
    look.end();
  });

  it('offers the known decline codes, and takes any other', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const look = new Look(page);
    await page.getByRole('button', { name: 'Filters' }).click();
    const field = page.getByRole('combobox', { name: 'Decline code' });
    await field.fill('insuff');
    await look.atOpen('payments-decline-codes');
    await page.getByRole('option', { name: 'INSUFFICIENT_FUNDS' }).click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/payments?decline_code=INSUFFICIENT_FUNDS');
    await page.getByRole('button', { name: 'Filters' }).click();
    await field.fill('code_of_a_bank');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/payments?decline_code=code_of_a_bank');
    look.end();
  });

  it('shows a view for everybody to colleagues, and only its author or an owner may remove it', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments?currency_code=JPY', 'support');
    const look = new Look(page);
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save this list as').fill('Yen of all');
    await page.getByLabel('For everybody of the account').check();
    await look.atOpen('payments-view-new');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Save this list as').waitFor({ state: 'detached' });
    const auditor = await openSignedIn(browser, dashboard, '/payments', 'auditor');
    await auditor.getByRole('button', { name: 'Views' }).click();
    const views = auditor.getByRole('list', { name: 'Views: For everybody' });
    await views.getByText('by support@example.org').waitFor();
    expect(await views.getByRole('button').count()).to.equal(0);
    await views.getByRole('link', { name: 'Yen of all' }).click();
    await auditor.waitForURL('**/payments?currency_code=JPY');
    await auditor.getByText('1 payment', { exact: true }).waitFor();
    const owner = await openSignedIn(browser, dashboard, '/payments', 'owner');
    await owner.getByRole('button', { name: 'Views' }).click();
    const ofOwner = new Look(owner);
    await owner.getByText('by support@example.org').waitFor();
    await ofOwner.atOpen('payments-views');
    await owner.getByRole('button', { name: 'Remove the view Yen of all' }).click();
    const dialog = owner.getByRole('dialog');
    await dialog.getByText('All users of the account lose it.').waitFor();
    await ofOwner.atOpen('payments-view-remove');
    await dialog.getByRole('button', { name: 'Remove view' }).click();
    await dialog.waitFor({ state: 'detached' });
    // the page of a colleague hears of it
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Yen of all' }).waitFor({ state: 'detached' });
    look.end();
    ofOwner.end();
  });

  it('keeps a view under a name, in this browser', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments?currency_code=JPY', 'support');
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save this list as').fill('Yen');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.goto(`${dashboard.url}/dashboard/payments`);
    await page.getByText('4 payments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('link', { name: 'Yen' }).click();
    await page.waitForURL('**/payments?currency_code=JPY');
    await page.getByText('1 payment', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Remove the view Yen' }).click();
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
    await dialog.getByText('Capture all that can be captured of 3 payments: ¥700 and €99.80.').waitFor();
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

  it('is chosen from, and sorted, where rows are cards', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments?order_id=list-3', 'support');
    await page.setViewportSize(NARROW);
    const look = new Look(page);
    await page.getByRole('list', { name: 'Payments' }).waitFor();
    await page.getByLabel('Choose list-3').check();
    const bar = page.getByRole('toolbar', { name: 'Chosen payments' });
    await bar.getByText('1 chosen').waitFor();
    await bar.getByRole('button', { name: 'Clear' }).click();
    await page.goto(`${dashboard.url}/dashboard/payments`);
    await page.getByLabel('Choose all', { exact: true }).check();
    await bar.getByRole('link', { name: 'CSV of these' }).waitFor();
    await look.atOpen('payments-chosen-narrow');
    await page.getByLabel('Sort').selectOption('Largest first');
    await page.waitForURL('**/payments?currency_code=EUR&sort=largest');
    await page.getByRole('list', { name: 'Payments' }).getByText('list-1').waitFor();
    // the link of a card is a finger's width from its box
    await page.getByRole('link').filter({ hasText: 'list-1' }).click();
    await page.waitForURL('**/payments/pay_*');
    look.end();
  });

  it('is searched with the same status', async () => {
    const page = await openSignedIn(browser, dashboard, '/', 'support');
    const troubles = troublesOf(page);
    const { id } = await shop.captured({ session: { orderId: 'list-refunded', currencyCode: 'CHF' } });
    await shop.ask(`/payments/${id}/refund`, { amount: 100, reason: 'late' });
    await page.getByLabel('Search by payment').fill('list-refunded');
    await page.getByRole('option').filter({ hasText: 'list-refunded' }).getByText('Partially refunded').waitFor();
    expect(troubles).to.deep.equal([]);
  });
});
