// Customers in a browser: from their list, a payment and the search to the page of a customer, and their names in
// lists.
import { expect } from 'chai';
import { accept } from '../../src/domain/decider.ts';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { CARDS } from '../support/http-merchant.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW, WIDE } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const CUSTOMER = { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@shop.example' };

describeInBrowser('customers in the dashboard', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  let paymentId: string;
  before(async () => {
    const session = { customerId: 'cus_10815', customer: CUSTOMER };
    const first = await shop.captured({ session: { ...session, orderId: 'SHOE-1041' } });
    await shop.captured({ session: { ...session, orderId: 'SHOE-1042', currencyCode: 'USD', amount: 12_000 } });
    await shop.paid({ session: { ...session, orderId: 'SHOE-1043' }, card: CARDS.declined });
    await shop.ask(`/payments/${first.id}/refund`, { amount: 490 });
    await disputed(first.id);
    await shop.captured({ session: { orderId: 'HAT-7', customerId: 'cus_10816' } });
    const clientToken = await shop.session({ ...session, orderId: 'SHOE-1044' });
    const paymentMethodToken = await shop.tokenize(clientToken, CARDS.otherApproved);
    const paymentMethod = { vaultOnSuccess: true };
    await shop.ask('/payments', { clientToken, paymentMethodToken, paymentMethod });
    paymentId = first.id;
    const customer = '/dashboard/api/customer?customer_id=cus_10815';
    await until(async () => (await dashboard.ask('support', 'GET', customer)).text.includes('"lost":500'));
  });

  async function disputed(id: string): Promise<void> {
    const { service, accountId } = dashboard;
    const record = (fact: PaymentEvent) =>
      service.payments.recordFact(id, operatorContext(service.world, accountId), () => () => accept(fact));
    const evidence = { source: 'notification' as const };
    const money = { amount: 500, currencyCode: 'EUR', connectionId: 'sandbox', network: 'VISA' };
    const told = { disputeId: 'dsp_1', reason: 'FRAUDULENT', reasonCode: '10.4', openedAt: service.world.now() };
    await record({
      type: 'DisputeOpened',
      data: { round: 1, type: 'DISPUTE', ...told, processorDisputeId: 'dp_1', ...money, evidence },
    });
    await record({ type: 'DisputeLost', data: { disputeId: 'dsp_1', evidence } });
  }

  it('have a page with totals, payments, cards and disputes, which a payment leads to', async () => {
    const page = await openSignedIn(browser, dashboard, `/payments/${paymentId}`, 'support');
    const troubles = troublesOf(page);
    await page.getByRole('link', { name: 'cus_10815' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?customer_id=cus_10815');
    const rowsOf = async (table: string): Promise<readonly string[]> => {
      const rows = page.getByRole('table', { name: table }).locator('tbody tr');
      await rows.first().waitFor();
      return (await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*|\n+/).join(' '));
    };
    expect(await rowsOf('Totals by currency')).to.deep.equal(['EUR €54.90 €4.90 €5.00', 'USD $120.00 – –']);
    const payments = await rowsOf('Payments of this customer');
    expect(payments.map((text) => /SHOE-\d+/.exec(text)?.[0])).to.deep.equal([
      'SHOE-1044',
      'SHOE-1043',
      'SHOE-1042',
      'SHOE-1041',
    ]);
    const cards = await rowsOf('Saved cards of this customer');
    expect([cards.length, cards[0]?.includes('4444'), cards[0]?.includes('Default')]).to.deep.equal([1, true, true]);
    expect((await rowsOf('Disputes of this customer'))[0])
      .to.include('€5.00')
      .and.include('Fraudulent · 10.4');
    await page.getByText(CUSTOMER.emailAddress).waitFor();
    const look = new Look(page);
    await look.atPage('customer');
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('have a list by their last payment, which the navigation leads to, and which finds an e-mail address', async () => {
    const page = await openSignedIn(browser, dashboard, '/', 'support');
    const troubles = troublesOf(page);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Customers' }).click();
    const rows = page.getByRole('table', { name: 'Customers' }).locator('tbody tr');
    await rows.getByText('cus_10816').waitFor();
    const texts = (await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*|\n+/).join(' '));
    expect(texts[0]).to.match(/^Ada Lovelace ada@shop\.example 4 €54\.90, \$120\.00 €4\.90 €5\.00 /);
    expect(texts[1]).to.match(/^cus_10816 – 1 €54\.90 – – /);
    const look = new Look(page);
    await look.atPage('customers');
    const search = page.getByRole('textbox', { name: 'Customer id or e-mail address' });
    await search.fill('nobody@shop.example');
    await search.press('Enter');
    await page.getByText('No customer found').waitFor();
    await look.atPage('customers-none');
    await search.fill('ADA@shop.example');
    await search.press('Enter');
    await page.getByRole('table', { name: 'Customers' }).getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Customers' }).click();
    await rows.getByText('cus_10816').waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('are found by their e-mail address, and orders by their beginning', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const look = new Look(page);
    const search = page.getByRole('searchbox', { name: /^Search/ }).or(page.getByRole('combobox', { name: /^Search/ }));
    await search.fill('SHOE');
    const begun = page.getByRole('group', { name: 'Orders that begin with SHOE' });
    await begun.getByRole('option', { name: 'SHOE-1042' }).waitFor();
    await look.atOpen('search-orders');
    await search.fill('Ada@Shop.example');
    await page.getByRole('group', { name: 'E-mail' }).getByRole('option', { name: 'SHOE-1042' }).waitFor();
    await look.atOpen('search-email');
    await search.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    look.end();
  });

  it('have their names in the lists of payments and sessions, and their ids where no name is known', async () => {
    const page = await openSignedIn(browser, dashboard, '/payments', 'support');
    const look = new Look(page);
    await page.getByRole('cell', { name: 'Ada Lovelace' }).first().waitFor();
    await page.getByRole('cell', { name: 'cus_10816' }).waitFor();
    await look.atPage('payments-names');
    await page.goto(`${dashboard.url}/dashboard/client-sessions`);
    await page.getByRole('cell', { name: 'Ada Lovelace' }).first().waitFor();
    await look.atPage('sessions-names');
    await page.goto(`${dashboard.url}/dashboard/customers?customer_id=nobody`);
    await page.getByText('Not found').waitFor();
    look.end();
  });

  it('are erased by an owner, who types the id, unless a payment is open; nobody else has the button', async () => {
    const customer = { firstName: 'Zerlina', lastName: 'Quuxington', emailAddress: 'zerlina@shop.example' };
    await shop.captured({ session: { orderId: 'SHOE-2001', customerId: 'cus_20000', customer } });
    const place = (id: string): string => `/customers?customer_id=${id}`;
    const support = await openSignedIn(browser, dashboard, place('cus_20000'), 'support');
    await support.getByRole('heading', { level: 1, name: 'Zerlina Quuxington' }).waitFor();
    expect(await support.getByRole('button', { name: 'Erase personal data' }).count()).to.equal(0);

    const page = await openSignedIn(browser, dashboard, place('cus_10815'), 'owner');
    const look = new Look(page);
    const dialog = page.getByRole('dialog', { name: 'Erase this customer’s personal data?' });
    const ask = async (id: string): Promise<void> => {
      await page.getByRole('button', { name: 'Erase personal data' }).click();
      await dialog.getByRole('textbox').fill(id);
    };
    await ask('cus_10815');
    await look.atOpen('customer-erase');
    await page.setViewportSize(NARROW);
    await look.atOpen('customer-erase-narrow');
    await page.setViewportSize(WIDE);
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await dialog.getByRole('alert').getByText('is open').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.goto(`${dashboard.url}/dashboard${place('cus_20000')}`);
    await page.getByRole('heading', { level: 1, name: 'Zerlina Quuxington' }).waitFor();
    await ask('cus_20000');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await dialog.waitFor({ state: 'detached', timeout: 60_000 });
    await page.getByRole('heading', { level: 1, name: 'cus_20000' }).waitFor();
    expect(await page.locator('main').innerText())
      .to.include('SHOE-2001')
      .and.not.include('zerlina');
    look.end();
  });
});
