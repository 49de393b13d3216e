// Connections to processors in the dashboard, in a browser over the twin of Stripe: from the URL that is shown once,
// over payments, a check and new references, to the end; axe in both themes.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Role } from '../../src/domain/user/roles.ts';
import { type ConnectedDashboard, openConnectedDashboard } from '../support/connected-dashboard.ts';
import { signedInUser } from '../support/dashboard.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { clicks, countClicks } from './support/clicks.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

describeInBrowser('processor accounts in the dashboard’s pages', () => {
  const browser = openBrowser();
  let dashboard: ConnectedDashboard;
  before(async () => {
    dashboard = await openConnectedDashboard();
  });
  after(() => dashboard.close());

  const open = async (role: Role, path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf(role).split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard${path}`);
    return page;
  };

  it('lead from the URL that is shown once over calls, a check and new references to the end', async () => {
    const { twin, secretIn, paidBy, service } = dashboard;
    const [account] = twin.accounts;
    const [key, hook] = [await secretIn('key', account.secretKey), await secretIn('hook', 'whsec_of_the_page')];
    const page = await open('owner', '/developers/connections');
    const troubles = troublesOf(page);
    const look = new Look(page);
    const dialog = page.getByRole('dialog');
    await page.getByText('Connect an account at a processor to take payments by it.').waitFor();
    await page.getByRole('cell', { name: 'Built in' }).waitFor();
    await look.atPage('connections-none');
    await page.getByRole('button', { name: 'Connect an account' }).first().click();
    await dialog.getByLabel('Name').fill('eu');
    expect(await dialog.getByLabel('Secret API key').inputValue()).to.equal('env:STRIPE_EU_KEY');
    await dialog.getByText('This node finds no secret API key of stripe there yet.').waitFor();
    await dialog.getByText('STRIPE_EU_KEY', { exact: true }).waitFor();
    await look.atOpen('connections-watch');
    await secretIn('key', '');
    await dialog.getByText('In a file').click();
    await dialog.getByLabel('Secret API key').fill(key);
    await dialog.getByText('Write the secret into this file.').waitFor();
    await dialog.getByText('This node finds no secret API key of stripe there yet.').waitFor();
    await secretIn('key', account.secretKey);
    await dialog.getByText('This node can use it.').waitFor(); // nobody pressed anything
    await look.atOpen('connections-watched');
    await dialog.getByLabel('Secret API key').fill(account.secretKey);
    await dialog.getByLabel('Publishable key').fill('pk_test_twin');
    await dialog.getByLabel('Server').fill(twin.url);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('Must be a reference: env:NAME or file:PATH.').waitFor();
    await look.atOpen('connections-add');
    await dialog.getByLabel('Secret API key').fill(key);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('You cannot see it again').waitFor();
    const url = (await dialog.getByText(`${dashboard.url}/webhooks/stripe/`).textContent()) ?? '';
    await look.atOpen('connections-url');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('cell', { name: 'Active' }).waitFor();
    await page.getByText('None since the start').first().waitFor();
    expect(await page.getByText(url).count()).to.equal(0);

    const [connection] = await service.connections.list({ accountId: dashboard.accountId });
    const id = connection?.id ?? '';
    await paidBy(id, 'pm_card_visa');
    await paidBy(id, 'pm_card_chargeDeclinedInsufficientFunds');
    await page.getByRole('cell', { name: 'Declined' }).waitFor(); // the page asks every few seconds
    await page.reload();
    await page.getByText('1 payment (100%)').waitFor();
    await look.atPage('connections');
    await page.getByRole('link', { name: 'eu' }).click();
    await page.getByRole('cell', { name: 'INSUFFICIENT_FUNDS' }).first().waitFor();
    await page.getByText('This node can read it.').waitFor();
    await page.getByText('Since this node started.').waitFor();
    await page.getByRole('button', { name: 'Check account' }).click();
    await page.getByText('Something needs attention:').waitFor();
    await look.atPage('connection-checked');

    await page.getByRole('button', { name: 'Change references' }).click();
    await dialog.getByLabel('Webhook secret').fill(hook);
    await look.atOpen('connection-rotate');
    await dialog.getByRole('button', { name: 'Change references' }).click();
    await page.getByText(hook).waitFor();
    account.addEndpoint({ url, secrets: ['whsec_of_the_page'] });
    await page.getByRole('button', { name: 'Check account' }).click();
    await page.getByText('Everything is in order.').waitFor();

    twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'none' });
    await paidBy(id, 'pm_card_visa');
    for (let call = 0; call < service.circuits.limits.minCalls; call += 1)
      service.circuits.ended({ accountId: dashboard.accountId, connectionId: id }, 'operation', 'unknown');
    await secretIn('hook', '');
    await page.getByText('New operations are refused before anything is written.').waitFor();
    await page.getByText('cannot be used. An operator sees the reason').waitFor();
    await page.getByText('Secret not usable').waitFor();
    await look.atPage('connection-troubled');
    for (const secret of [account.secretKey, 'whsec_of_the_page', url.split('/').at(-1) ?? ''])
      expect(await page.content()).not.to.contain(secret);

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByLabel('to confirm').fill('eu');
    await look.atOpen('connection-disable');
    await dialog.getByRole('button', { name: 'Disable account' }).click();
    await page.getByText('Disabled', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Change references' }).count()).to.equal(0);
    look.end();
    expect(troubles.filter((trouble) => !trouble.includes('422'))).to.deep.equal([]); // the key that was typed
  });

  it('are connected with four clicks', async () => {
    const { twin, secretIn } = dashboard;
    const key = await secretIn('key-of-four', twin.accounts[0].secretKey);
    const page = await open('owner', '/developers/connections');
    const dialog = page.getByRole('dialog');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await countClicks(page);
    await page.getByRole('button', { name: 'Connect an account' }).first().click();
    await dialog.getByText('In a file').click();
    for (const [label, text] of [
      ['Name', 'four'],
      ['Secret API key', key],
      ['Publishable key', 'pk_test_twin'],
      ['Server', twin.url],
    ] as const)
      await dialog.getByLabel(label).fill(text);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('link', { name: 'four' }).waitFor();
    expect(await clicks(page)).to.equal(4);
  });

  it('have a note in place of the buttons in an account that does not operate the store', async () => {
    const account = await dashboard.service.access.createAccount('Tenant');
    if (account.kind === 'rejected') throw new Error(account.description);
    const { cookie } = await signedInUser(dashboard.service, account.id, 'owner', 'owner@tenant.example');
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.context().addCookies([{ name: 'counterfoil_session', value: cookie, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard/developers/connections`);
    const look = new Look(page);
    await page.getByText('Shared with other accounts').waitFor();
    await page.getByText('The operators of this service can connect an account for you.').waitFor();
    expect(await page.getByRole('button', { name: 'Connect an account' }).count()).to.equal(0);
    await look.atPage('connections-tenant');
    look.end();
  });

  it('are not in the navigation of other roles', async () => {
    const page = await open('support', '/payments');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Payments' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Processor accounts' }).count()).to.equal(0);
    await page.close();
  });
});
