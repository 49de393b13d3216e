// Agreements in a browser: from an empty list to the page of one with its tries, paused and cancelled; on the page of
// their customer; as revenue at risk; and as the evidence of a dispute.
import { expect } from 'chai';
import { TERMS } from '../support/agreement-made.ts';
import { agreedIn, chargedIn } from '../support/dashboard-agreement.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DAY_MS = 86_400_000;
const DECLINED_LATER = '5100099900005059';
const EXPIRED = '4000009900005052';
const DISPUTED = '4000000000000259';
const BEGUN = { ...TERMS, startsAt: new Date(Date.now() - 100 * DAY_MS).toISOString() };

describeInBrowser('agreements in the dashboard’s pages', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  const advance = async (byMs: number): Promise<void> => {
    const { status, text } = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    expect(status, text).to.equal(200);
  };

  it('lead from an empty list to one whose periods, tries, terms and consent are shown', async () => {
    const page = await openSignedIn(browser, dashboard, '/agreements', 'owner');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByText('No agreements yet').waitFor();
    await look.atPage('agreements-none');
    const { id } = await agreedIn(shop, { customerId: 'customer-17', terms: BEGUN, retry: { policy: 'ADVISED' } });
    for (const periodKey of ['2026-09', '2026-10']) await chargedIn(shop, id, periodKey);
    const session = { customerId: 'customer-17', paymentMethod: { vaultOnSuccess: true } };
    const other = await shop.paid({ session, card: DECLINED_LATER });
    await shop.ask(`/agreements/${id}/instrument`, { paymentId: other.id });
    await chargedIn(shop, id, '2026-11');
    await advance(3_600_000 + DAY_MS);
    const list = page.getByRole('table', { name: 'Agreements' });
    await list.getByText('€19.00 every month').waitFor(); // the page learns of it automatically
    await look.atPage('agreements');
    await list.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'The magazine, each month' }).waitFor();
    const periods = page.getByRole('table', { name: 'Periods' });
    const declined = periods.getByRole('row', { name: /2026-11/ });
    await declined.getByRole('cell').nth(1).getByText('Declined').waitFor();
    expect(await declined.innerText())
      .to.include('insufficient funds')
      .and.include('as the card network says')
      .and.include('Planned by the service for');
    expect(await periods.getByRole('row', { name: /2026-09/ }).innerText()).to.include('Succeeded');
    await page.getByText('SHA-256 of the text').waitFor();
    await look.atPage('agreement');
    await periods.getByRole('link').first().click();
    await page.getByRole('link', { name: id }).waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('are paused, resumed and cancelled with a question before, by those who may', async () => {
    const { id } = await agreedIn(shop, { customerId: 'customer-18', terms: BEGUN });
    const developer = await openSignedIn(browser, dashboard, `/agreements/${id}`, 'developer');
    await developer.getByText('No period charged yet').waitFor();
    expect(await developer.getByRole('button', { name: 'Pause' }).count()).to.equal(0);
    const page = await openSignedIn(browser, dashboard, `/agreements/${id}`, 'support');
    const look = new Look(page);
    const answer = async (button: string, title: string, confirm: string, done: string): Promise<void> => {
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByRole('button', { name: confirm }).waitFor();
      await look.atOpen(`agreement-${confirm}`);
      await dialog.getByRole('button', { name: confirm }).click();
      await page.getByRole('status').getByText(done).waitFor();
    };
    await answer('Pause', 'Pause this agreement?', 'Pause', 'Agreement paused.');
    await page.getByText('Paused', { exact: true }).waitFor();
    await answer('Resume', 'Resume this agreement?', 'Resume', 'Agreement resumed.');
    await answer('Cancel agreement', 'Cancel this agreement?', 'Cancel for good', 'Agreement cancelled.');
    await page.getByText('Cancelled', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel agreement' }).count()).to.equal(0);
    await page.goto(`${dashboard.url}/dashboard/agreements/agr_none`);
    await page.getByText('Not found').waitFor();
    look.end();
  });

  it('that are suspended are revenue at risk on the overview, and say on their customer’s page what is needed', async () => {
    const { id } = await agreedIn(shop, { customerId: 'customer-19', card: EXPIRED, terms: BEGUN });
    await chargedIn(shop, id, '2026-11');
    const page = await openSignedIn(browser, dashboard, '/', 'auditor');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const risk = page.getByRole('table', { name: 'Revenue at risk' });
    await risk.getByText('The customer has to give another payment method').waitFor();
    expect(await risk.innerText()).to.include('€19.00');
    await look.atPage('revenue-at-risk');
    await risk.getByRole('link').click();
    await page.getByRole('table', { name: 'Agreements' }).getByRole('link').click();
    await page.getByRole('region', { name: 'Reason' }).getByText('The card has expired.').waitFor();
    await look.atPage('agreement-suspended');
    await page.goto(`${dashboard.url}/dashboard/customers?customer_id=customer-19`);
    await page
      .getByRole('table', { name: 'Agreements of this customer' })
      .getByText('The customer has to give another payment method')
      .waitFor();
    await look.atPage('customer-agreements');
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('fill in the evidence of a dispute with consent, first payment and earlier charges', async () => {
    const { id } = await agreedIn(shop, { customerId: 'customer-20', terms: BEGUN });
    await chargedIn(shop, id, '2026-10');
    const session = { customerId: 'customer-20', paymentMethod: { vaultOnSuccess: true } };
    const other = await shop.paid({ session, card: DISPUTED });
    await shop.ask(`/agreements/${id}/instrument`, { paymentId: other.id });
    const sentAt = new Date(Date.now() - 86_400_000).toISOString();
    await shop.ask(`/agreements/${id}/notices`, {
      kind: 'PRE_NOTIFICATION',
      sentAt,
      channel: 'EMAIL',
      dueOn: '2026-12-01',
      amount: 1_900,
    });
    const { id: paymentId } = await chargedIn(shop, id, '2026-11');
    await advance(6_000);
    const disputes = '/dashboard/api/disputes';
    await until(async () => (await dashboard.ask('support', 'GET', disputes)).text.includes(paymentId));
    const page = await openSignedIn(browser, dashboard, `/payments/${paymentId}`, 'support');
    const look = new Look(page);
    await page.getByRole('button', { name: 'Add evidence' }).click();
    const statement = page.getByRole('dialog').getByRole('textbox', { name: 'Statement to the issuer' });
    await statement.waitFor();
    const text = await statement.inputValue();
    expect(text)
      .to.include(`the period 2026-11 of the agreement ${id}`)
      .and.include(`SHA-256 ${'ab'.repeat(32)}`)
      .and.include(`The customer made the first payment, ${other.id}`)
      .and.include('- 2026-10: €19.00 on ');
    expect(text).to.include('Notice before a charge of the charge on 2026-12-01: sent ').and.include(', by e-mail;');
    expect(text.match(/event evt_/g)).to.have.length(4);
    await look.atOpen('agreement-evidence');
    await page.goto(`${dashboard.url}/dashboard/agreements/${id}`);
    await page.getByRole('region', { name: 'Notices' }).getByText('due on 2026-12-01, €19.00').waitFor();
    await look.atPage('agreement-notices');
    look.end();
  });
});
