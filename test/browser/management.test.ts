// Management keys and the account's name in a real browser: an owner creates a key, which works; a developer sees it
// and cannot change it; and every dialog with axe.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import type { Role } from '../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW, WIDE } from './support/screenshot.ts';

describeInBrowser('the management of an account in the dashboard', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const signedIn = async (role: Role): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf(role).split('=');
    await context.addCookies([{ name, value, url: dashboard.url, sameSite: 'Strict', httpOnly: true }]);
    return context;
  };
  const open = async (context: BrowserContext, path: string, heading: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    return page;
  };
  const asked = async (key: string, path: string): Promise<number> =>
    (await fetch(`${dashboard.url}${path}`, { headers: { 'x-api-key': key } })).status;

  it('lets an owner create, rotate and revoke a management key, which opens /management and no payment', async () => {
    const context = await signedIn('owner');
    const page = await open(context, '/developers/keys', 'API keys');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Create API key' }).waitFor();
    await dialog.getByText('Management key', { exact: true }).click();
    await dialog.getByRole('heading', { name: 'Create management key' }).waitFor();
    await dialog.getByLabel('Name').fill('Terraform');
    await dialog.getByLabel('transactions:retrieve').check();
    await look.atOpen('management-key-create');
    await page.setViewportSize(NARROW);
    await look.atOpen('management-key-create');
    await page.setViewportSize(WIDE);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const text = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(await dialog.locator('pre').last().textContent()).to.include('/management/keys');
    expect(await dialog.getByRole('heading').first().textContent()).to.equal('Management key “Terraform”');
    await look.atOpen('management-key-made');
    expect(await Promise.all(['/management/keys', '/payments'].map((path) => asked(text, path)))).to.deep.equal([
      200, 403,
    ]);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('May grant: transactions:retrieve').waitFor();
    await look.atPage('management-key-listed');

    await page.getByRole('button', { name: 'Actions for Terraform' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Edit scopes' }).count()).to.equal(0);
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const rotated = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(await asked(rotated, '/management/keys')).to.equal(200);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();

    await page.getByRole('button', { name: 'Actions for Terraform' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog.getByLabel('Type “Terraform” to confirm').fill('Terraform');
    await look.atOpen('management-key-revoke');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await asked(rotated, '/management/keys')).to.equal(401);
    look.end();
    expect(troubles).to.deep.equal([]);
    await context.close();
  });

  it('shows a developer a management key without actions, and offers none to create', async () => {
    const { service, accountId } = dashboard;
    await service.access.createManagementKey({ accountId, name: 'Pulumi', grants: [] });
    const context = await signedIn('developer');
    const page = await open(context, '/developers/keys', 'API keys');
    await page.getByText('May grant: No scope').waitFor();
    expect(await page.getByRole('button', { name: 'Actions for Pulumi' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await page.getByText('Management key', { exact: true }).count()).to.equal(0);
    await context.close();
  });

  it('lets an owner rename the account, and shows the new name at once', async () => {
    const context = await signedIn('owner');
    const page = await open(context, '/users', 'Users');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await look.atPage('users-with-rename');
    await page.getByRole('button', { name: 'Rename account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Corner shop');
    await look.atOpen('account-rename');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('banner').getByText('Corner shop').waitFor();
    expect(await dashboard.service.queries.readAccount(dashboard.accountId)).to.include({ name: 'Corner shop' });
    look.end();
    expect(troubles).to.deep.equal([]);
    await context.close();
  });
});
