// Rules of routing in the dashboard's pages, in a browser: tested on past payments, set, read, compared, and seen on a
// payment that fell back; axe in both themes.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { card } from '../support/node.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.string() });

const RULES = {
  rules: [
    {
      name: 'large in euro',
      when: {
        currencyCode: ['EUR'],
        amount: { gte: 100_000 },
        network: ['VISA', 'MASTERCARD'],
        metadata: { tier: ['gold'] },
      },
      use: [
        { connection: 'second', weight: 90 },
        { connection: 'sandbox', weight: 10 },
      ],
      then: ['sandbox'],
    },
  ],
  default: { use: [{ connection: 'sandbox', weight: 1 }], then: ['second'] },
  fallbackOn: ['NOT_SENT', 'SOFT'],
  never: ['SUSPECTED_FRAUD', 'INSUFFICIENT_FUNDS'],
  mostAttempts: 2,
};

describeInBrowser('routing in the dashboard’s pages', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard${path}`);
    return page;
  };

  const paid = async (): Promise<z.infer<typeof Payment>> => {
    const shop = shopOf(dashboard);
    const clientToken = await shop.session();
    const { token } = Token.parse(
      await shop.ask('/checkout/payment-instruments', card(), { 'x-client-token': clientToken }),
    );
    return Payment.parse(await shop.ask('/payments', { clientToken, paymentMethodToken: token }));
  };

  it('lead from the first rules over a test and a mistake to a payment that fell back', async () => {
    const { service, accountId } = dashboard;
    const added = await service.connections.add({ accountId, processor: 'sandbox', name: 'second' });
    if (added.kind === 'rejected') throw new Error(added.description);
    await until(() => service.connections.known.activeOf(accountId).length === 1);
    await paid();
    await paid();

    const page = await open('/developers/routing');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const dialog = page.getByRole('dialog');
    await page.getByText('No rules yet').waitFor();
    await look.atPage('routing-none');
    await page.getByRole('button', { name: 'Change rules' }).click();
    const file = dialog.getByLabel('Rules', { exact: true });
    await file.fill(JSON.stringify({ ...RULES, default: { use: [{ connection: 'third', weight: 1 }] } }));
    await dialog.getByRole('button', { name: 'Set rules' }).click();
    await dialog.getByText('The account has no active connection named "third".').waitFor();
    await look.atOpen('routing-mistake');
    await file.fill(JSON.stringify(RULES, null, 2));
    await dialog.getByRole('button', { name: 'Test rules' }).click();
    const outcome = dialog.getByText('2 payments; 0 would go to another account than before.');
    await outcome.waitFor();
    await look.atOpen('routing-tested');
    await dialog.getByLabel('Payments of the last').selectOption('30');
    expect(await outcome.count()).to.equal(0);

    let answer = (): void => undefined;
    const edited = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/dashboard/api/routing/test', async (route) => {
      await edited;
      await route.continue();
    });
    const button = dialog.getByRole('button', { name: 'Test rules' });
    await button.click();
    await file.fill(`${JSON.stringify(RULES, null, 2)}\n`);
    answer();
    await dialog.locator('button[data-loading]').waitFor({ state: 'detached' });
    expect(await outcome.count()).to.equal(0);
    await button.click();
    await outcome.waitFor();
    await dialog.getByRole('button', { name: 'Set rules' }).click();
    await page.getByText('Rules, version 1').waitFor();

    const next = await service.routing.set({ accountId, sent: { ...RULES, never: ['SUSPECTED_FRAUD'] } });
    if (next.kind === 'rejected') throw new Error(next.description);
    await page.getByText('Rules, version 2').waitFor();
    await page.getByRole('button', { name: 'Show changes' }).first().click();
    await page.getByRole('region', { name: 'Changes' }).waitFor();
    await look.atPage('routing');

    const rules = [{ match: { operation: 'authorization' }, do: { phase: 'before_send', fault: 'reset' } }];
    await dashboard.opened.sandbox?.setFaults(accountId, { rules });
    const { id, status } = await paid();
    expect(status).to.equal('AUTHORIZED');
    await page.goto(`${dashboard.url}/dashboard/payments/${id}`);
    await page.getByText('Rule “default” of version 2').waitFor();
    await page.getByText('version 2 chose second.').first().waitFor();
    await look.atPage('routing-payment');

    await page.goto(`${dashboard.url}/dashboard/developers/sandbox?tab=ledger`);
    await page.getByRole('row').nth(2).waitFor();
    await page.getByLabel('Sandbox', { exact: true }).selectOption('second');
    await page.getByRole('row').nth(1).waitFor();
    await until(async () => (await page.getByRole('row').count()) === 2);
    await look.atPage('routing-second-sandbox');
    await page.goto(`${dashboard.url}/dashboard/developers/routing`);
    await page.getByRole('button', { name: 'Remove rules' }).click();
    await page.getByRole('dialog').getByText('New payments will go').waitFor();
    await look.atOpen('routing-remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove rules' }).click();
    await page.getByText('Version 3 removed the rules').waitFor();
    await look.atPage('routing-removed');
    await page.getByRole('button', { name: 'Change rules' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set rules' }).click();
    await page.getByText('Rules, version 4').waitFor();
    look.end();
    expect(troubles.filter((one) => !one.includes('422'))).to.deep.equal([]); // the file with a mistake
    await page.context().close();
  });
});
