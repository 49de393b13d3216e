// Operations and the sandbox in a real browser: a rebuild that is watched to its proof, a stream's story, the clock;
// axe in both themes.
import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { paidOver } from '../support/paid-over.ts';
import { type SlowedLog, slowedLog } from '../support/slowed-log.ts';
import { describeInBrowser, itInRest, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { screenshot, WIDE } from './support/screenshot.ts';

describeInBrowser('operations in a browser', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  let log: SlowedLog;
  let paymentId: string;
  before(async () => {
    dashboard = await openDashboard();
    log = slowedLog(dashboard.opened.events);
    paymentId = await paidOver(dashboard);
  });
  after(() => dashboard.close());

  const openPage = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, ...options });
    const [name = '', value = ''] = dashboard.cookieOf('developer').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}${path}`);
    return page;
  };

  it('watch a rebuild as it goes, even after the page was left, to the proof that both are equal', async () => {
    log.hold();
    const page = await openPage('/dashboard/operations');
    await page.getByRole('button', { name: 'Rebuild payments' }).click();
    await page.getByRole('button', { name: 'Rebuild', exact: true }).click();
    const bar = page.getByRole('dialog').getByRole('progressbar', { name: 'The rebuild of payments' });
    await page.locator('li[aria-current="step"]', { hasText: 'Read the log' }).waitFor();
    await page.getByText(/\d+ of about \d+ events/).waitFor();
    expect(Number(await bar.getAttribute('aria-valuenow'))).to.be.within(2, 71);
    await page.goto('about:blank');
    await page.goto(`${dashboard.url}/dashboard/operations?rebuild=payments`);
    await page.getByText(/\d+ of about \d+ events/).waitFor();
    await screenshot(page, 'operations-rebuild');
    log.letGo();
    await page.getByText('Equal, and swapped').waitFor();
    const digests = await page.locator('dd button > span:first-child').allTextContents();
    expect(digests).to.have.length(2);
    expect(digests[0])
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.equal(digests[1]);
    await screenshot(page, 'operations-proof');
  });

  itInRest('show what each event of a stream changed, the state then, and the chain', async () => {
    const page = await openPage(`/dashboard/operations?tab=streams&stream=${paymentId}`);
    await page.getByRole('heading', { name: 'PaymentCaptured' }).waitFor();
    await page.getByRole('slider', { name: 'Revision' }).press('Home');
    await page.getByRole('heading', { name: 'PaymentCreated' }).waitFor();
    await page.waitForURL('**&revision=0');
    await page.getByRole('tab', { name: 'State then' }).click();
    await page.getByRole('region', { name: 'State at revision 0' }).getByText('"status"').waitFor();
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await page.getByText(/^Intact: \d+ events/).waitFor();
  });

  itInRest('move the business clock by an hour, and turn a fault on and off', async () => {
    const page = await openPage('/dashboard/developers/sandbox?tab=clock');
    await page.getByText('The machine’s time').waitFor();
    await page.getByRole('button', { name: '+1 hour' }).click();
    await page.getByText('1 h ahead of the machine’s time').waitFor();
    await page.getByRole('status').filter({ hasText: 'The clock moved forward by 1 h.' }).waitFor();
    await page.getByRole('tab', { name: 'Faults' }).click();
    const fault = page.getByRole('switch', { name: 'Response breaks off' });
    await fault.click({ force: true }); // it is on when the sandbox has said so
    await page.getByText('1 rule is on.').waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('No faults are injected').waitFor();
    await page.getByRole('tab', { name: 'Ledger against payments' }).click();
    await page.getByText('Equal: 2 lines, 1 payment').waitFor();
  });

  const pages = (): readonly (readonly [path: string, shown: string])[] => [
    ['operations', 'daily-totals'],
    ['operations?rebuild=payments', 'Dry run'],
    ['operations?tab=parked', 'No parked streams'],
    [`operations?tab=streams&stream=${paymentId}`, 'PaymentCreated'],
    ['operations?tab=nodes', 'Tokenizations'],
    ['developers/events', 'PaymentCaptured'],
    ['developers/sandbox', '4000 0000 0000 0002'],
    ['developers/sandbox?tab=faults', 'Response breaks off'],
    ['developers/sandbox?tab=clock', 'Business time'],
    ['developers/sandbox?tab=ledger', 'Authorization'],
    ['developers/sandbox?tab=diff', 'Equal:'],
  ];
  itInRest('have no violation, no trouble and no scroll to the side, in both themes, wide and narrow', async () => {
    const page = await openPage('/dashboard/operations', { colorScheme: 'light', reducedMotion: 'reduce' });
    const troubles = troublesOf(page);
    const look = new Look(page);
    for (const [path, shown] of pages()) {
      await page.goto(`${dashboard.url}/dashboard/${path}`);
      await page.getByText(shown).first().waitFor();
      const name = path.replaceAll(/[/?=&]/g, '-');
      await (path.includes('rebuild=') ? look.atOpen(name) : look.atPage(name));
    }
    look.end();
    expect(troubles).to.deep.equal([]);
  });
});
