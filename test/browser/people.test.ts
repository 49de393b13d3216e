// The first owner's way in a real browser: one-time link, password, signed in, another user invited, signed out; and every page with axe.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Dashboard, openDashboard, PASSWORD } from '../support/dashboard.ts';
import { axeViolations } from './support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';

/** The browser itself reports each answer of 401, 403 and 422. */
const OF_REFUSALS = /the server responded with a status of 4(?:01|03|22)/;

describeInBrowser('people in the dashboard', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  /** In both colour schemes and widths: a picture, and nothing that axe finds. */
  async function look(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of [WIDE, NARROW]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await screenshot(page, `people-${name}-${viewport.width}-${colorScheme}`);
        expect(await axeViolations(page), `${name} at ${viewport.width}, ${colorScheme}`).to.deep.equal([]);
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(WIDE);
  }

  it('set a password by a one-time link, are signed in, and sign out', async () => {
    const invited = await dashboard.service.users.inviteUser(
      { accountId: dashboard.accountId, email: 'grace@example.org', role: 'owner' },
      'operator',
    );
    if (invited.kind === 'rejected') throw new Error(invited.description);
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const troubles = troublesOf(page);
    await page.goto(`${dashboard.url}/dashboard/#/welcome/${invited.token}`);
    await page.getByRole('heading', { name: 'Welcome to Counterfoil' }).waitFor();
    expect(page.url()).not.to.contain(invited.token); // neither the history nor a picture has it
    await look(page, 'welcome');
    await page.getByRole('textbox', { name: 'Password' }).fill('grace@example.org');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByText('The password must not be the e-mail.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Signed in as grace@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await look(page, 'sign-in');
    await page.getByLabel('E-mail').fill('grace@example.org');
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('The e-mail or the password is wrong.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(troubles.filter((one) => !OF_REFUSALS.test(one))).to.deep.equal([]);
    await page.context().close();
  });

  it('invite others by a link that is shown once, and see their own sessions', async () => {
    const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    await context.addCookies([{ name, value, url: dashboard.url, sameSite: 'Strict', httpOnly: true }]);
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/dashboard/users`);
    await page.getByRole('cell', { name: 'auditor@example.org', exact: true }).waitFor();
    await look(page, 'users');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('new@example.org');
    await page.getByRole('radio', { name: 'Support' }).check();
    await look(page, 'invite');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('/dashboard/#/welcome/').waitFor();
    await look(page, 'link');
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('cell', { name: 'new@example.org', exact: true }).waitFor();
    await page.goto(`${dashboard.url}/dashboard/account`);
    await page.getByText('this browser').waitFor();
    await look(page, 'account');
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    await look(page, 'two-factor');
    await context.close();
  });
});
