// An event that nobody can read, in a browser: the overview says what its figures are without, Operations what does not
// move.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { breakIn } from '../../src/journal/chain.ts';
import { dailyTotals } from '../../src/projections/models/daily-totals.ts';
import { eventsIn } from '../contract/store-under-test.ts';
import { putRelease } from '../projections/engine/parked/releasing.ts';
import { takeOut } from '../support/altered-log.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { paidOver } from '../support/paid-over.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser } from './support/browser.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

describeInBrowser('a payment that nobody can read, in a browser', () => {
  const browser = openBrowser();
  let dir: string;
  let dashboard: Dashboard;
  let stream: string;
  let revision: number;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'counterfoil-not-moving-'));
    dashboard = await openDashboard({ dir });
    stream = `payment-${await paidOver(dashboard)}`;
    const { events, service } = dashboard.opened;
    const last = (await eventsIn(events, stream, -1)).at(-1)?.revision ?? -1;
    revision = last + 1;
    await events.append(stream, last, [
      { id: '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11', type: 'Foreign', data: 'nonsense', metadata: 'nonsense' },
    ]);
    await until(
      () =>
        service.projections.holesIn([dailyTotals.name]).length === 1 && service.projections.notMoving().length === 1,
    );
  });
  after(async () => {
    await dashboard.close();
    await rm(dir, { recursive: true });
  });

  const openPage = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf('developer').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}${path}`);
    return page;
  };

  it('is named on the overview, with the revision from which its figures are without it', async () => {
    const page = await openPage('/dashboard/?days=7');
    const link = page.getByRole('link', { name: `Figures leave out ${stream} from revision ${revision} on` });
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

  it('makes other holes of totals that had counted it, once it is released: the proof of a rebuild says so, without a warning', async () => {
    const { events, service } = dashboard.opened;
    const counted = `payment-${await paidOver(dashboard)}`;
    await until(async () => (await service.projections.lags(new AbortController().signal)).get(dailyTotals.name) === 0);
    await takeOut(join(dir, 'events.db'), counted, 1);
    const broken = await breakIn(events, counted);
    if (broken === undefined) throw new Error('the stream is whole');
    service.projections.broken.found(broken);
    await until(() => service.readiness().degraded.includes(counted));
    await putRelease(events, counted, broken.revision);
    await service.projections.release(counted);
    const page = await openPage('/dashboard/operations?rebuild=daily-totals');
    await page.getByRole('button', { name: 'Rebuild', exact: true }).click();
    await page.getByRole('heading', { name: 'Different streams left out' }).waitFor();
    await page
      .getByText('It leaves out other streams than the live generation did. The generation from the log is live now.')
      .waitFor();
    const look = new Look(page);
    await look.atOpen('rebuild-other-holes');
    look.end();
  });
});
