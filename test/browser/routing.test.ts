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
import { NARROW, WIDE } from './support/screenshot.ts';

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
    await dialog.getByRole('region', { name: 'Default' }).waitFor();
    await look.atOpen('routing-rows-first');
    await dialog.getByRole('tab', { name: 'JSON' }).click();
    const file = dialog.getByLabel('Rules as JSON');
    await file.fill(JSON.stringify({ ...RULES, default: { use: [{ connection: 'third', weight: 1 }] } }));
    await dialog.getByRole('button', { name: 'Set rules' }).click();
    await dialog.getByText('The account has no active connection named "third".').waitFor();
    await look.atOpen('routing-mistake');
    await file.fill(JSON.stringify(RULES, null, 2));
    await dialog.getByRole('button', { name: 'Test rules' }).click();
    const outcome = dialog.getByText('2 payments; 0 would go to another account than before.');
    await outcome.waitFor();
    await look.atOpen('routing-tested');
    await dialog.getByLabel('payments of the last').selectOption('30');
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
    await page.getByText('Never after: suspected fraud, insufficient funds.').waitFor();
    await page.getByText('Network Visa or Mastercard').waitFor();

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

  it('are edited as rows, which JSON repeats, and a rule that rows cannot show stays as it is', async () => {
    const { service, accountId } = dashboard;
    const odd = { name: 'for members', when: { metadata: { member: [true] } }, use: RULES.default.use, then: [] };
    const set = await service.routing.set({ accountId, sent: { ...RULES, rules: [...RULES.rules, odd] } });
    if (set.kind === 'rejected') throw new Error(set.description);
    const page = await open('/developers/routing');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const dialog = page.getByRole('dialog');
    const text = async (): Promise<unknown> => {
      await dialog.getByRole('tab', { name: 'JSON' }).click();
      const value = await dialog.getByLabel('Rules as JSON').inputValue();
      await dialog.getByRole('tab', { name: 'Rules' }).click();
      return JSON.parse(value);
    };
    await page.getByText('for members').waitFor();
    await page.getByRole('button', { name: 'Change rules' }).click();
    await dialog.getByText('A rule that rows cannot show').waitFor();
    await look.atOpen('routing-rows');
    const saved = await text();
    expect(saved, 'nothing is lost in switching').to.deep.equal(await text());
    await dialog.getByLabel('Amount from of large in euro, EUR').fill('2500');
    await dialog.getByLabel('Weight of second in large in euro').fill('30');
    await dialog.getByRole('button', { name: 'Move large in euro down' }).click();
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByLabel('Name of rule 3').fill('cards from abroad');
    await dialog.getByRole('button', { name: 'Add condition to cards from abroad' }).click();
    await page.getByRole('menuitem', { name: 'Method' }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    await dialog.getByLabel('Method of cards from abroad', { exact: true }).click();
    await page.getByRole('option', { name: 'Card', exact: true }).click();
    await page.keyboard.press('Tab'); // the list of methods closes
    await dialog.getByLabel('Account 1 of cards from abroad').selectOption('second');
    await dialog.getByLabel('a soft decline').uncheck();
    const large = {
      ...RULES.rules[0],
      when: { ...RULES.rules[0]?.when, amount: { gte: 250_000 } },
      use: [
        { connection: 'second', weight: 30 },
        { connection: 'sandbox', weight: 10 },
      ],
    };
    const abroad = {
      name: 'cards from abroad',
      when: { methodType: ['PAYMENT_CARD'] },
      use: [{ connection: 'second', weight: 1 }],
      then: [],
    };
    expect(await text()).to.deep.equal({ ...RULES, rules: [odd, large, abroad], fallbackOn: ['NOT_SENT'] });
    await look.atOpen('routing-rows-edited');
    await page.setViewportSize(NARROW);
    await look.atOpen('routing-rows-edited');
    await page.setViewportSize(WIDE);
    await dialog.getByRole('button', { name: 'Test rules' }).click();
    await dialog.getByText(/would go to another account than before/).waitFor();
    await dialog.getByRole('button', { name: 'Set rules' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Method Card').waitFor();
    await page.getByRole('button', { name: 'Change rules' }).click();
    await dialog.getByRole('tab', { name: 'JSON' }).click();
    await dialog.getByLabel('Rules as JSON').fill('{"rules": [');
    await dialog.getByRole('tab', { name: 'Rules' }).click();
    await dialog.getByText('Rows cannot show these rules').waitFor();
    await look.atOpen('routing-rows-not-json');
    look.end();
    expect(troubles).to.deep.equal([]);
    await page.context().close();
  });
});
