// People in a real browser: one-time links, passwords, codes and recovery codes, users who are invited or disabled,
// sessions that end while a page is open; and every page and dialog of theirs with axe.
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import type { BrowserContext, Page } from 'playwright-core';
import type { Role } from '../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard, PASSWORD, signedInUser } from '../support/dashboard.ts';
import { describeInBrowser, itInRest, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

/** The browser itself reports each answer of 401, 403 and 422. */
const OF_REFUSALS = /the server responded with a status of 4(?:01|03|22)/;

describeInBrowser('people in the dashboard', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const newContext = (): ReturnType<typeof browser.newContext> =>
    browser.newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
  const signedIn = async (role: Role, { url, cookieOf }: Dashboard = dashboard): Promise<BrowserContext> => {
    const context = await newContext();
    const [name = '', value = ''] = cookieOf(role).split('=');
    await context.addCookies([{ name, value, url, sameSite: 'Strict', httpOnly: true }]);
    return context;
  };
  const open = async (context: BrowserContext, path: string, heading: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    return page;
  };
  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
  const signIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
  };
  const signOut = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
  };

  itInRest('read that they are still signed in where the sign-out failed, and turn the single keys off', async () => {
    const context = await newContext();
    const [name = '', value = ''] = dashboard.cookieOf('auditor').split('=');
    await context.addCookies([{ name, value, url: dashboard.url }]);
    const page = await context.newPage();
    await page.goto(`${dashboard.url}/dashboard/account`);
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
    await page.keyboard.press('?');
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.route('**/dashboard/api/sign-out', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in.').waitFor();
    await page.unrouteAll();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await context.close();
  });

  it('set a password by a one-time link, are signed in, and sign out', async () => {
    const invited = await dashboard.service.users.inviteUser(
      { accountId: dashboard.accountId, email: 'grace@example.org', role: 'owner' },
      'operator',
    );
    if (invited.kind === 'rejected') throw new Error(invited.description);
    const page = await (await newContext()).newPage();
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.goto(`${dashboard.url}/dashboard/#/welcome/${invited.token}`);
    await page.getByRole('heading', { name: 'Welcome to Counterfoil' }).waitFor();
    expect(page.url()).not.to.contain(invited.token); // neither the history nor a picture has it
    await look.atPage('welcome');
    await page.getByRole('textbox', { name: 'Password' }).fill('grace@example.org');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByText('The password must not be the e-mail address.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await signOut(page);
    await look.atPage('sign-in');
    await signIn(page, 'grace@example.org', 'not the password');
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await signIn(page, 'grace@example.org');
    await heading(page, 'Overview');
    look.end();
    expect(troubles.filter((one) => !OF_REFUSALS.test(one))).to.deep.equal([]);
    await page.context().close();
  });

  itInRest('see the sign-in at the moment at which a session that nobody uses ends', async () => {
    const context = await browser.newContext({ viewport: WIDE });
    const [name = '', value = ''] = dashboard.cookieOf('support').split('=');
    await context.addCookies([{ name, value, url: dashboard.url, sameSite: 'Strict', httpOnly: true }]);
    const page = await context.newPage();
    const background: (string | undefined)[] = [];
    await page.route('**/dashboard/api/me', async (route) => {
      background.push(route.request().headers()['x-background']);
      if (background.length > 1)
        return route.fulfill({ status: 401, json: { error: { errorId: 'Unauthorized', description: '' } } });
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), endsInMs: 1_500 } });
    });
    await page.goto(`${dashboard.url}/dashboard/payments`);
    await page.getByRole('heading', { name: 'Payments' }).waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(background.slice(0, 2)).to.deep.equal([undefined, '1']);
    await context.close();
  });

  itInRest('invite others by a link that is shown once, and see their own sessions', async () => {
    const context = await signedIn('owner');
    const page = await open(context, '/users', 'Users');
    const look = new Look(page);
    await page.getByRole('cell', { name: 'auditor@example.org', exact: true }).waitFor();
    await look.atPage('users');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill('new@example.org');
    await page.getByRole('radio', { name: 'Support' }).check();
    await look.atOpen('invite');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText('/dashboard/#/welcome/').waitFor();
    await look.atOpen('link');
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('cell', { name: 'new@example.org', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for new@example.org' }).click();
    await page.getByRole('menuitem').first().waitFor();
    await look.atOpen('user-menu');
    await page.getByRole('menuitem', { name: 'Change role…' }).click();
    await page.getByRole('dialog').getByRole('radio', { name: 'Auditor' }).check();
    await look.atOpen('user-role');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('cell', { name: 'Auditor', exact: true }).nth(1).waitFor();
    await page.goto(`${dashboard.url}/dashboard/account`);
    await page.getByText('This browser', { exact: true }).waitFor();
    await look.atPage('account');
    look.end();
    await context.close();
  });

  it('sign in with a code of their app, or with a recovery code', async () => {
    const context = await signedIn('developer');
    const page = await open(context, '/account', 'Your account');
    const look = new Look(page);
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    const { secret, recoveryCodes } = await enrol(page, () => look.atOpen('two-factor'));
    await page.getByText('You have 10 recovery codes left.').waitFor();
    await signOut(page);
    await signIn(page, dashboard.emailOf('developer'));
    await heading(page, 'Two-factor sign-in');
    await look.atPage('code');
    await page.getByLabel('Code', { exact: true }).fill('no code');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong').waitFor();
    await comeBack(page); // from the app, on the same phone
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    await signOut(page);
    await signIn(page, dashboard.emailOf('developer'));
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    look.end();
    await context.close();
  });

  itInRest('choose the account after the password where it opens several, and give the code of that one', async () => {
    const { service, accountId } = dashboard;
    const made = await service.access.createAccount(
      'Another shop, whose name takes more room than a phone has in one line',
    );
    if (made.kind === 'rejected') throw new Error(made.description);
    const email = 'everywhere@example.org';
    await signedInUser(service, accountId, 'developer', email);
    const page = await (await newContext()).newPage();
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.goto(`${dashboard.url}/dashboard/account`);
    await heading(page, 'Sign in');
    await signIn(page, email);
    await heading(page, 'Your account'); // one account: no question
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    const { secret } = await enrol(page, async () => undefined);
    await page.getByText('You have 10 recovery codes left.').waitFor();
    await signOut(page);
    await signedInUser(service, made.id, 'auditor', email);
    await signIn(page, email);
    await heading(page, 'Choose an account');
    await look.atPage('choose-account');
    expect(await page.getByRole('list').getByRole('button').allInnerTexts()).to.have.length(2);
    await page.getByRole('button', { name: 'Sign in as another user' }).click();
    await signIn(page, email);
    await page.getByRole('button', { name: accountId }).click();
    await heading(page, 'Two-factor sign-in');
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    await signOut(page);
    await signIn(page, email);
    await heading(page, 'Choose an account');
    await page.keyboard.press('Enter'); // the first one has the focus
    await heading(page, 'Overview');
    await page.getByText('Another shop').first().waitFor();
    await signOut(page);
    await page.goto(`${dashboard.url}/dashboard/#/account/${made.id}`);
    await heading(page, 'Sign in');
    await signIn(page, email);
    await heading(page, 'Overview'); // the address names the account: no question
    look.end();
    expect(troubles.filter((one) => !OF_REFUSALS.test(one))).to.deep.equal([]);
    await page.context().close();
  });

  itInRest('have to set a code up in live mode before they see anything', async () => {
    const live = await openDashboard({ flags: { mode: 'live', secret: 'A'.repeat(43) } });
    const context = await signedIn('owner', live);
    const page = await context.newPage();
    const look = new Look(page);
    await page.goto(`${live.url}/dashboard/payments`);
    await heading(page, 'Set up two-factor sign-in');
    await page.getByText('In live mode, users with the role owner sign in with a password and a code.').waitFor();
    await enrol(page, () => look.atPage('enrol'));
    await heading(page, 'Payments');
    expect(await page.getByText('TEST MODE').count()).to.equal(0);
    look.end();
    await context.close();
    await live.close();
  });

  itInRest(
    'are led to the sign-in at once when they signed out in another tab, and back to where they were',
    async () => {
      const context = await signedIn('support');
      const live = context.waitForEvent(
        'response',
        (answer) => answer.url().includes('/dashboard/api/live') && answer.ok(),
      );
      const page = await open(context, '/payments?status=DECLINED', 'Payments');
      const troubles = troublesOf(page);
      await live;
      const other = await open(context, '/account', 'Your account');
      await signOut(other);
      await heading(page, 'Sign in');
      expect(new URL(page.url()).search).to.equal('?status=DECLINED');
      await page.getByLabel('E-mail').fill(dashboard.emailOf('support'));
      await comeBack(page);
      expect(await page.getByLabel('E-mail').inputValue()).to.equal(dashboard.emailOf('support'));
      await signIn(page, dashboard.emailOf('support'));
      await heading(page, 'Payments');
      expect(new URL(page.url()).search).to.equal('?status=DECLINED');
      expect(troubles.filter((one) => !OF_REFUSALS.test(one))).to.deep.equal([]);
      await context.close();
    },
  );

  it('are led to the sign-in at the next touch when an owner disabled them, also without the live stream', async () => {
    const context = await newContext();
    await context.route('**/dashboard/api/live*', (route) => route.abort());
    const page = await open(context, '/payments', 'Sign in');
    await signIn(page, dashboard.emailOf('auditor'));
    await heading(page, 'Payments');
    const id = dashboard.userIdOf('auditor');
    expect((await dashboard.ask('owner', 'POST', `/dashboard/api/users/${id}/disable`, {})).status).to.equal(200);
    // without the stream the page asks from time to time, and may have been led there before the touch
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Client sessions' });
    await Promise.race([link.click().catch(() => undefined), heading(page, 'Sign in')]);
    await heading(page, 'Sign in');
    await signIn(page, dashboard.emailOf('auditor'));
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await context.close();
  });
});

/** The code of an authenticator app, so many steps from now: each step is good once. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Scans, proves it by a code, and keeps the recovery codes; `shown`: called while the QR code is. */
async function enrol(
  page: Page,
  shown: () => Promise<void>,
): Promise<{ readonly secret: string; readonly recoveryCodes: readonly string[] }> {
  await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
  await shown();
  const secret = await page.getByRole('button', { name: /^Copy [A-Z2-7]{32}$/ }).innerText();
  await page.getByLabel('Code from the app').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await page.getByText('Keep these recovery codes').waitFor();
  const recoveryCodes = await page
    .getByRole('listitem')
    .filter({ hasText: /^[a-z2-9]{5}-[a-z2-9]{5}$/ })
    .allInnerTexts();
  expect(recoveryCodes).to.have.length(10);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  return { secret, recoveryCodes };
}

/**
 * Sends the events of a browser to a page that was hidden and is shown again; resolves when the requested responses
 * have arrived.
 */
async function comeBack(page: Page): Promise<void> {
  const asked = page.waitForResponse('**/dashboard/api/me');
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await asked;
}
