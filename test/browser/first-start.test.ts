// API keys in a real browser: made, used, narrowed, revoked, while the API obeys at once; and axe on the shell's own pages.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';

describeInBrowser('the dashboard in a browser', () => {
  const { newContext } = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  async function signedIn(options: Parameters<typeof newContext>[0] = {}): Promise<BrowserContext> {
    const context = await newContext({ viewport: WIDE, ...options });
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    await context.addCookies([{ name, value, url: dashboard.url, httpOnly: true, sameSite: 'Strict' }]);
    return context;
  }
  async function open(page: Page, path: string, heading: string): Promise<void> {
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  }
  const called = async (key: string): Promise<number> =>
    (await fetch(`${dashboard.url}/payments`, { headers: { 'x-api-key': key } })).status;

  it('makes a key that works, narrows it so that it is refused, and revokes it', async () => {
    const page = await (await signedIn()).newPage();
    const troubles = troublesOf(page);
    await open(page, '/developers/keys', 'API keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Warehouse');
    await dialog.getByLabel('transactions:retrieve').check();
    await dialog.getByLabel('transactions:capture').check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(key).to.match(/^cf_test_\w+$/);
    expect(await dialog.locator('pre').last().textContent())
      .to.include(key)
      .and.include(`${dashboard.url}/payments`);
    expect(await called(key)).to.equal(200);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();

    await page.getByRole('button', { name: 'Warehouse', exact: true }).click();
    await dialog.getByLabel('transactions:retrieve').uncheck();
    await dialog.getByRole('button', { name: 'Save scopes' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await called(key)).to.equal(403);

    await page.getByRole('button', { name: 'What to do with Warehouse' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const revoke = dialog.getByRole('button', { name: 'Revoke key' });
    expect(await revoke.isDisabled()).to.equal(true);
    await dialog.getByLabel('Type “Warehouse” to confirm').fill('Warehouse');
    await revoke.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await called(key)).to.equal(401);
    expect(troubles).to.deep.equal([]);
  });

  it('finds pages by `/`, lists the keys by `?`, and goes to a page by two of them', async () => {
    const page = await (await signedIn()).newPage();
    await open(page, '/developers/keys', 'API keys');
    await page.keyboard.press('/');
    await page.keyboard.type('api ke');
    await page.getByRole('option', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('The next row').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const viewport of [WIDE, NARROW])
      it(`has no violation of WCAG, ${colorScheme} at ${viewport.width} px`, async () => {
        const context = await signedIn({ colorScheme, viewport });
        for (const [path, heading] of [
          ['/developers/keys', 'API keys'],
          ['/developers/events', 'Events'],
          ['/nowhere', 'Not found'],
        ] as const) {
          const page = await context.newPage();
          await open(page, path, heading);
          await screenshot(page, `${heading.toLowerCase().replace(' ', '-')}-${colorScheme}-${viewport.width}`);
          expect(await axeViolations(page), path).to.deep.equal([]);
          await page.close();
        }
      });
});
