// An event that nobody can read, in a browser: the overview says what its figures are without, Operations what does not move.
import type { Page } from 'playwright-core';
import { dailyTotals } from '../../src/projections/models/daily-totals.ts';
import { eventsIn } from '../contract/store-under-test.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { paidOver } from '../support/paid-over.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

describeInBrowser('a payment that nobody can read, in a browser', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  let stream: string;
  let revision: number;
  before(async () => {
    dashboard = await openDashboard();
    stream = `payment-${await paidOver(dashboard)}`;
    const { events, service } = dashboard.opened;
    const last = (await eventsIn(events, stream, -1)).at(-1)?.revision ?? -1;
    revision = last + 1;
    await events.append(stream, last, [
      { id: '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11', type: 'Foreign', data: 'nonsense', metadata: 'nonsense' },
    ]);
    await until(() => service.projections.holesIn([dailyTotals.name]).length === 1 && service.projections.notMoving().length === 1);
  });
  after(() => dashboard.close());

  const openPage = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf('developer').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}${path}`);
    return page;
  };

  it('is named on the overview, with the revision from which its figures are without it', async () => {
    const page = await openPage('/dashboard/?days=7');
    const link = page.getByRole('link', { name: `Figures are without ${stream} from revision ${revision} on` });
    await link.waitFor();
    const look = new Look(page);
    await page.getByRole('img', { name: /^Captured volume/ }).waitFor();
    await look.atPage('overview-hole');
    look.end();
    await link.click();
    await page.waitForURL('**/operations?tab=parked');
  });

  it('is not moving on the page of nodes, since when, with how many events', async () => {
    const page = await openPage('/dashboard/operations?tab=nodes');
    await page.getByText(new RegExp(`^every answer about ${stream} since .*\\d\\d:\\d\\d, 1 event$`)).waitFor();
    const look = new Look(page);
    await look.atPage('nodes-not-moving');
    look.end();
  });
});
