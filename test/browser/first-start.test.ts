// A first start in a real browser: the printed link, the owner's sign-in, an API key that the API obeys at once; the
// shell's keys, menus and pages; and a page that loses its service, and has it again.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { firstKeyIn, Place, type Serving } from '../cli/processes.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { describeInBrowser, itInRest, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openRelay, type Relay } from './support/relay.ts';
import { NARROW, WIDE } from './support/screenshot.ts';

const PASSWORD = 'a long enough passphrase';

describeInBrowser('the dashboard of a first start', () => {
  const { newContext } = openBrowser();
  const place = new Place();
  let relay: Relay;
  let serving: Serving;
  let key: string;
  /** The owner's browser, signed in by the first test. */
  let context: BrowserContext;
  before(async () => {
    relay = await openRelay();
    serving = await start();
    relay.to(serving.url);
    key = firstKeyIn(serving.stdout());
    context = await newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
  });
  after(async () => {
    relay.close();
    await place.remove();
  });

  const start = (): Promise<Serving> =>
    place.serve(`--log-level warn --public-url ${relay.url}`, { COUNTERFOIL_RATE_LIMIT: '0' });
  async function open(page: Page, path: string, heading: string): Promise<void> {
    await page.goto(`${relay.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  }
  const called = async (text: string): Promise<number> =>
    (await fetch(`${relay.url}/payments`, { headers: { 'x-api-key': text } })).status;

  it('lets the owner in by the printed link; a key works, is refused when it is narrowed, and is unknown when it is revoked', async () => {
    const [, link = ''] = /^Dashboard: (\S+)$/m.exec(serving.stdout()) ?? [];
    expect(link.startsWith(`${relay.url}/dashboard/#/welcome/`)).to.equal(true);
    const page = await context.newPage();
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.goto(link);
    await page.getByText('You are the first user').waitFor();
    await page.getByLabel('Name of your shop').fill('Corner shop');
    await look.atPage('welcome');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('banner').getByText('Corner shop').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Warehouse');
    await dialog.getByRole('button', { name: 'Read only' }).click();
    expect(await dialog.getByRole('checkbox', { checked: true }).count()).to.equal(2);
    await dialog.getByLabel('payment_instrument:read').uncheck();
    await dialog.getByLabel('transactions:capture').check();
    await look.atOpen('key-create');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const text = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(text).to.match(/^cf_test_\w+$/);
    expect(await dialog.locator('pre').last().textContent())
      .to.include(text)
      .and.include(`${relay.url}/payments`);
    expect(await called(text)).to.equal(200);
    await look.atOpen('key-made');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();

    await page.getByRole('button', { name: 'Warehouse', exact: true }).click();
    await dialog.getByLabel('transactions:retrieve').uncheck();
    await look.atOpen('key-scopes');
    await dialog.getByRole('button', { name: 'Save scopes' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await called(text)).to.equal(403);

    await page.getByRole('button', { name: 'Actions for Warehouse' }).click();
    await page.getByRole('menuitem', { name: 'Edit scopes' }).and(page.locator(':focus')).waitFor();
    await look.atOpen('key-menu');
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const revoke = dialog.getByRole('button', { name: 'Revoke key' });
    expect(await revoke.isDisabled()).to.equal(true);
    await dialog.getByLabel('Type “Warehouse” to confirm').fill('Warehouse');
    await look.atOpen('key-revoke');
    await revoke.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await called(text)).to.equal(401);
    look.end();
    expect(troubles).to.deep.equal([]);
    await page.close();
  });

  itInRest('finds pages by `/`, lists the keys by `?`, and goes to a page by two of them', async () => {
    const page = await context.newPage();
    const look = new Look(page);
    await open(page, '/developers/keys', 'API keys');
    await look.atPage('keys');
    await page.keyboard.press('/');
    await page.keyboard.type('api ke');
    await page.getByRole('option', { name: 'API keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next row').waitFor();
    await look.atOpen('keyboard');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await look.atPage('events');
    for (const name of ['Colours', 'Signed in as']) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('menuitem').first().waitFor();
      await look.atOpen(`menu-${name}`);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
    await open(page, '/nowhere', 'Not found');
    await look.atPage('not-found');
    await page.setViewportSize(NARROW);
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'API keys' }).waitFor();
    await look.atOpen('drawer');
    await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    look.end();
    await page.close();
  });

  itInRest(
    'says in an open page that its service is gone, and later shows automatically what happened in the meantime',
    async () => {
      const page = await context.newPage();
      const opened = (): Promise<unknown> =>
        context.waitForEvent('response', (answer) => answer.url().includes('/dashboard/api/live') && answer.ok());
      const shown = (orderId: string): Promise<void> => page.getByRole('cell', { name: orderId }).waitFor();
      const pay = (orderId: string): Promise<unknown> =>
        shopOf({ url: serving.url, key }).paid({ session: { orderId } });
      const note = page.getByRole('banner').getByText(/^Reconnecting since \d\d:\d\d/);
      const look = new Look(page);
      const first = opened();
      await open(page, '/payments', 'Payments');
      await first;
      await pay('order-before');
      await shown('order-before');
      await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();

      const second = opened();
      relay.cut();
      await pay('order-while-cut');
      await second;
      await shown('order-while-cut');
      expect(await note.count()).to.equal(0);

      relay.toNowhere();
      await serving.end('SIGTERM');
      await note.waitFor();
      await shown('order-while-cut');
      await look.atPage('not-connected');
      serving = await start();
      await pay('order-after-restart');
      relay.to(serving.url);
      await shown('order-after-restart');
      await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
      expect(await note.count()).to.equal(0);
      look.end();
      await page.close();
    },
  );
});
