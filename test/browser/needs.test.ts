// What needs a user, in a browser: first on the overview and as counts in the navigation, each leading to a list with
// as many rows, up to date without a touch; axe.
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { Role } from '../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { workOfEachKind } from '../support/work-of-each-kind.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openSignedIn } from './support/signed-in.ts';

describeInBrowser('what needs a user', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const open = (role: Role = 'owner', path = '/'): Promise<Page> => openSignedIn(browser, dashboard, path, role);
  const needs = (page: Page): Locator => page.getByRole('region', { name: 'Needs you' }).getByRole('link');
  const navigation = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' });
  const rowsOf = (page: Page, table: string): Locator => page.getByRole('table', { name: table }).locator('tbody tr');

  it('is nothing at first, in one line, and appears on an open overview with a count for each kind', async () => {
    await shopOf(dashboard).captured();
    const page = await open();
    const troubles = troublesOf(page);
    await page.getByText('Nothing needs you').waitFor();
    expect(await needs(page).count()).to.equal(0);
    const look = new Look(page);
    await look.atPage('needs-nothing');
    await workOfEachKind(dashboard);
    await needs(page).nth(4).waitFor();
    expect((await needs(page).allTextContents()).map((text) => text.replace(/ by .*/, ''))).to.deep.equal([
      '1dispute needs a response',
      '1webhook endpoint fails',
      '1payment has an unknown outcome or needs manual action',
      '1stream is parked',
      '1notification is parked',
    ]);
    const parked = navigation(page).getByTitle('2: 1 stream is parked, 1 notification is parked');
    expect(await parked.textContent()).to.equal('2');
    await look.atPage('needs-you');
    look.end();
    expect(troubles).to.deep.equal([]);
  });

  it('leads to lists with as many rows, from the overview and from the navigation', async () => {
    const page = await open();
    for (const [words, table] of [
      ['dispute needs a response', 'Disputes'],
      ['webhook endpoint fails', 'Webhook endpoints'],
      ['payment has an unknown outcome', 'Payments'],
      ['stream is parked', 'Parked streams'],
      ['notification is parked', 'Parked notifications'],
    ] as const)
      for (const from of [needs(page).filter({ hasText: words }), navigation(page).getByTitle(words)]) {
        await navigation(page).getByRole('link', { name: 'Overview' }).click();
        await from.click();
        await rowsOf(page, table).getByRole('link').or(rowsOf(page, table).getByRole('button')).first().waitFor();
        expect(await rowsOf(page, table).count(), words).to.equal(1);
      }
  });

  it('leaves the count when it is done, and an auditor has only the lists that the role may open', async () => {
    const page = await open('owner', '/operations?tab=parked');
    await rowsOf(page, 'Parked notifications').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Discard notification' }).click();
    await navigation(page).getByLabel('1 stream is parked', { exact: true }).waitFor();
    const auditor = await open('auditor');
    await needs(auditor).nth(1).waitFor();
    expect(await needs(auditor).count()).to.equal(2);
  });
});
