// Disputes in the dashboard, in a browser: listed, a draft of evidence, a challenge that is won before one's eyes, an
// acceptance; axe.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { Role } from '../../src/domain/user/roles.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DISPUTED = '4000000000000259';
const DECIDED_BY_ITS_EVIDENCE = '4000009900004048';
/** The sandbox opens a dispute 5 s after a capture, and decides one 5 s after its evidence. */
const STEP_MS = 6_000;
const BUYER = {
  customer: {
    firstName: 'Ada',
    lastName: 'Lovelace',
    emailAddress: 'ada@example.com',
    billingAddress: { addressLine1: '1 Mill Lane', postalCode: 'CB2 1RX', city: 'Cambridge', countryCode: 'GB' },
  },
  order: { lineItems: [{ name: 'Notebook', amount: 2_745, quantity: 2 }] },
};
const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), paymentId: z.string() })) });

describeInBrowser('disputes in the dashboard’s pages', () => {
  const { browser, dashboard, shop } = openShopInBrowser();

  const open = (path: string, role: Role): Promise<Page> => openSignedIn(browser, dashboard, path, role);
  const later = async (): Promise<void> => {
    const move = { byMs: STEP_MS };
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', move);
    expect(moved.status, moved.text).to.equal(200);
  };
  const listed = async () => Listed.parse((await dashboard.ask('auditor', 'GET', '/dashboard/api/disputes')).body).data;

  it('lead from an empty list to a dispute that is challenged and won, and to one that is accepted', async () => {
    const page = await open('/disputes', 'support');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByText('No disputes').waitFor();
    await look.atPage('disputes-none');

    await shop.captured({
      session: { orderId: 'order-won', ...BUYER },
      card: DECIDED_BY_ITS_EVIDENCE,
    });
    await later();
    await until(async () => (await listed()).length === 1);
    const { id: second } = await shop.captured({
      session: { orderId: 'order-given-up', amount: 1_250 },
      card: DISPUTED,
    });
    await later();
    const rows = page.getByRole('table', { name: 'Disputes' }).locator('tbody tr');
    await rows.nth(1).waitFor(); // the page learns of both automatically
    expect(await rows.nth(0).textContent())
      .to.include('order-won')
      .and.include('Ada Lovelace')
      .and.match(/in \d+ (min|h|d)( \d+ (s|min|h))? · /)
      .and.include('Open'); // its time is over before the other's
    await look.atPage('disputes');

    await page.getByRole('link', { name: '€54.90' }).click();
    const dispute = page.getByRole('region', { name: 'Dispute' });
    await dispute.getByText('Open', { exact: true }).waitFor();
    await dispute.getByRole('button', { name: 'Add evidence' }).click();
    const dialog = page.getByRole('dialog');
    const statement = dialog.getByLabel('Statement to the issuer');
    expect(await statement.inputValue())
      .to.match(/^Order order-won of \d{4}-\d\d-\d\d, €54.90\.\n\nCustomer: Ada Lovelace, ada@example.com\n/)
      .and.include('Billing address: 1 Mill Lane, CB2 1RX Cambridge, GB')
      .and.include('Items:\n- 2 × Notebook, €54.90');
    expect(await dialog.getByLabel('E-mail address of the customer').inputValue()).to.equal('ada@example.com');
    await look.atOpen('dispute-prefilled');
    await statement.fill('Delivered on Monday.');
    await dialog.getByLabel('Tracking number').fill('RR123456785DE');
    await look.atOpen('dispute-evidence');
    await dialog.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft saved.').waitFor();
    await dispute.getByText('Delivered on Monday.').waitFor();

    await page.reload();
    await dispute.getByRole('button', { name: 'Edit or send evidence' }).click();
    expect(await dialog.getByLabel('Tracking number').inputValue()).to.equal('RR123456785DE');
    await dialog.getByLabel('Statement to the issuer').fill('Delivered on Monday, we win.');
    await dialog.getByRole('button', { name: 'Challenge dispute' }).click();
    const told = page.getByRole('status').getByText('Dispute challenged.');
    await told.waitFor();
    await dispute.getByText('Challenged', { exact: true }).waitFor();
    await look.atPage('dispute-challenged');
    expect(await dispute.getByRole('button').count()).to.equal(0);
    await later();
    await dispute.getByText('Won', { exact: true }).waitFor(); // without being asked again
    await told.waitFor({ state: 'detached' });
    await look.atPage('dispute-won');

    await page.goto(`${dashboard.url}/dashboard/payments/${second}`);
    await dispute.getByRole('button', { name: 'Accept dispute' }).click();
    await dialog.getByText('The customer keeps €12.50,').waitFor();
    await look.atOpen('dispute-accept');
    await dialog.getByRole('button', { name: 'Accept dispute' }).click();
    await dispute.getByText('Accepted', { exact: true }).waitFor();
    await page.goto(`${dashboard.url}/dashboard/disputes`);
    await rows.filter({ hasText: 'Accepted' }).waitFor();
    await rows.filter({ hasText: 'Won' }).waitFor();
    await look.atPage('disputes-answered');
    await page.getByLabel('Status').selectOption('WON');
    await rows.filter({ hasText: 'Accepted' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Won' }).waitFor(); // until it is read, rows are skeletons
    expect(await rows.count()).to.equal(1);
    await page.getByLabel('Status').selectOption('EXPIRED');
    await page.getByText('No dispute is expired').waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('say that the outcome of an answer is not known yet where the call is lost, and no longer once it is known', async () => {
    const { id } = await shop.captured({ card: DISPUTED });
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const lost = { match: { operation: 'dispute_answer' }, do: { phase: 'before_effect', fault: 'reset', times: 1 } };
    const faults = await dashboard.ask('developer', 'PUT', '/dashboard/api/sandbox/faults', { rules: [lost] });
    expect(faults.status).to.equal(200);
    const page = await open(`/payments/${id}`, 'support');
    const look = new Look(page);
    const dispute = page.getByRole('region', { name: 'Dispute' });
    await dispute.getByRole('button', { name: 'Accept dispute' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept dispute' }).click();
    const notKnown = page.getByText('The outcome of your response is not known yet.');
    await notKnown.waitFor();
    expect(await notKnown.getAttribute('data-tone')).to.equal('warn');
    const asked = page.getByRole('region', { name: 'Outcome of your acceptance unknown' });
    await asked.getByText('Counterfoil asks the processor again').waitFor();
    // another response would be refused
    expect(await dispute.getByRole('button', { name: /dispute|evidence/ }).count()).to.equal(0);
    expect(await asked.getByRole('button', { name: 'Resolve manually' }).count()).to.equal(0);
    await look.atPage('dispute-unknown');
    for (const byMs of [31_000, 300_000])
      await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    await dispute.getByText('The processor never received the request.').waitFor();
    await notKnown.waitFor({ state: 'detached' });
    await asked.waitFor({ state: 'detached' });
    await dispute.getByRole('button', { name: 'Accept dispute' }).waitFor();
    look.end();
  });

  it('let an owner settle an answer by hand whose outcome is not known', async () => {
    const { id } = await shop.captured({ card: DISPUTED });
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const silent = (operation: string) => ({ match: { operation }, do: { phase: 'before_effect', fault: '503' } });
    await dashboard.ask('developer', 'PUT', '/dashboard/api/sandbox/faults', {
      rules: [silent('dispute_answer'), silent('look_up')],
    });
    const page = await open(`/payments/${id}`, 'owner');
    const look = new Look(page);
    const dispute = page.getByRole('region', { name: 'Dispute' });
    await dispute.getByRole('button', { name: 'Accept dispute' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Accept dispute' }).click();
    await dispute.getByRole('button', { name: 'Resolve manually' }).click();
    await dialog.getByLabel('The acceptance never arrived').check();
    await dialog.getByLabel('Evidence').fill('Their support, ticket 4711.');
    await look.atOpen('dispute-settle');
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Resolved: the acceptance never arrived, by your confirmation.').waitFor();
    await dispute.getByRole('button', { name: 'Accept dispute' }).waitFor();
    await dashboard.ask('developer', 'PUT', '/dashboard/api/sandbox/faults', { rules: [] });
    look.end();
  });

  it('offer what the pay button showed as evidence, where the payment came from the checkout', async () => {
    const clientToken = await shop.session({ orderId: 'order-shown' });
    const pressed = {
      paymentMethodToken: await shop.tokenize(clientToken, DISPUTED),
      shown: { amount: 5_490, currencyCode: 'EUR' },
    };
    const made = await shop.ask('/checkout/payments', pressed, { 'x-client-token': clientToken });
    const { id } = z.looseObject({ id: z.string() }).parse(made);
    await shop.ask(`/payments/${id}/capture`, {});
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const page = await open(`/payments/${id}`, 'support');
    const look = new Look(page);
    await page.getByText('Shown on the pay button').waitFor();
    await page.getByText('The pay button showed €54.90.').waitFor();
    await look.atPage('payment-shown');
    await page.getByRole('region', { name: 'Dispute' }).getByRole('button', { name: 'Add evidence' }).click();
    const dialog = page.getByRole('dialog');
    const words = dialog.getByLabel('Statement to the issuer');
    await words.fill('Delivered on Monday.');
    await look.atOpen('dispute-evidence-shown');
    await page.setViewportSize(NARROW);
    await look.atOpen('dispute-evidence-shown');
    await dialog.getByRole('button', { name: 'Add to statement' }).click();
    expect(await words.inputValue()).to.match(
      /^Delivered on Monday\.\n\nThe pay button showed €54\.90 when the customer pressed it on \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d UTC, and that amount was requested\.$/,
    );
    expect(await dialog.getByText('On record:').count()).to.equal(0);
    look.end();
  });

  it('can be read by every role, and answered by owners and support only', async () => {
    const { id } = await shop.captured({ session: { orderId: 'order-roles' }, card: DISPUTED });
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const disputeId = (await listed()).find(({ paymentId }) => paymentId === id)?.id ?? '';
    const path = `/dashboard/api/payments/${id}/disputes/${disputeId}/evidence`;
    for (const [role, may] of [
      ['owner', true],
      ['support', true],
      ['developer', false],
      ['auditor', false],
    ] as const) {
      const answer = await dashboard.ask(role, 'POST', path, { text: `of ${role}`, submit: false });
      expect(answer.status, role).to.equal(may ? 200 : 403);
    }
    for (const [role, buttons] of [
      ['owner', 2],
      ['auditor', 0],
    ] as const) {
      const page = await open('/disputes', role);
      await page.getByRole('row').filter({ hasText: 'order-roles' }).getByRole('link').click();
      const dispute = page.getByRole('region', { name: 'Dispute' });
      await dispute.getByText('Open', { exact: true }).waitFor();
      expect(await dispute.getByRole('button').count(), role).to.equal(buttons);
    }
  });

  it('of a refunded payment say that the refund is the answer, and begin the evidence with it', async () => {
    const { id } = await shop.captured({ session: { orderId: 'order-refunded', ...BUYER }, card: DISPUTED });
    await shop.ask(`/payments/${id}/refund`, {});
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const page = await open(`/payments/${id}`, 'support');
    const look = new Look(page);
    const dispute = page.getByRole('region', { name: 'Dispute' });
    await dispute.getByText('You have refunded €54.90 of this payment. The refund is the answer').waitFor();
    await look.atPage('dispute-refunded');
    await dispute.getByRole('button', { name: 'Accept dispute' }).click();
    await page.getByRole('dialog').getByText('the customer gets the money twice').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await dispute.getByRole('button', { name: 'Add evidence' }).click();
    const statement = page.getByRole('dialog').getByLabel('Statement to the issuer');
    expect(await statement.inputValue()).to.match(/\n\nRefunded to the customer on \d{4}-\d\d-\d\d: €54\.90/);
    look.end();
  });

  it('are red on the day on which they are due', async () => {
    const { id } = await shop.captured({ session: { orderId: 'order-due', ...BUYER }, card: DISPUTED });
    await later();
    await until(async () => (await listed()).some(({ paymentId }) => paymentId === id));
    const page = await open('/disputes', 'support');
    const look = new Look(page);
    const due = page.getByRole('row').filter({ hasText: 'order-due' }).getByText('in 7 d').locator('..');
    await due.waitFor();
    expect(await due.getAttribute('data-urgent')).to.equal(null);
    const byMs = 7 * 86_400_000 - 30 * 60_000;
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    expect(moved.status).to.equal(200);
    await page.reload();
    const urgent = page
      .getByRole('row')
      .filter({ hasText: 'order-due' })
      .getByText(/in \d+ min/)
      .locator('..');
    await urgent.waitFor();
    expect(await urgent.getAttribute('data-urgent')).to.equal('true');
    await look.atPage('dispute-due');
    await page.goto(`${dashboard.url}/dashboard/payments/${id}`);
    const dispute = page.getByRole('region', { name: 'Dispute' });
    await dispute.getByText(/in \d+ min/).waitFor();
    await dispute.getByText('Ada Lovelace').waitFor();
    await look.atPage('dispute-due-page');
    look.end();
  });
});
