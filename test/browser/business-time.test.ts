// The dashboard's pages by business time, in a browser: on a service whose clock was moved by more than a year.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { describeInBrowser } from './support/browser.ts';
import { Look } from './support/look.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DISPUTED = '4000000000000259';
const DAY_MS = 86_400_000;
const Disputes = z.looseObject({ data: z.array(z.unknown()) });
const Moved = z.looseObject({ now: z.string() });

describeInBrowser('business time in the dashboard’s pages', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  let noon: number;
  before(async () => {
    await shop.paid({ session: { orderId: 'order-before' } });
    await advance(200 * DAY_MS);
    const now = await advance(200 * DAY_MS);
    // At noon neither the day nor the month nor the year ends during the tests.
    noon = now - (now % DAY_MS) + 1.5 * DAY_MS;
    await advance(noon - now);
    await shop.paid({ session: { orderId: 'order-after' } });
  });

  const open = (path: string): Promise<Page> => openSignedIn(browser, dashboard, path, 'developer');
  const advance = async (byMs: number): Promise<number> => {
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    return Date.parse(Moved.parse(moved.body).now);
  };

  for (const [path, list] of [
    ['/payments', 'Payments'],
    ['/client-sessions', 'Client sessions'],
  ] as const)
    it(`decides which day is today for the list ${list}`, async () => {
      const page = await open(path);
      const rows = page.getByRole('table', { name: list }).locator('tbody tr');
      await rows.nth(1).waitFor();
      await page.getByRole('button', { name: 'Any time' }).click();
      await page.getByRole('button', { name: 'Today' }).click();
      await rows.nth(1).waitFor({ state: 'detached' });
      expect(await rows.first().textContent()).to.include('order-after');
    });

  it('decides which year needs no number, and which month the calendar shows first', async () => {
    const page = await open('/payments');
    const rows = page.getByRole('table', { name: 'Payments' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    const times = await rows.locator('time').allTextContents();
    expect(times.map((text) => /\b20\d\d\b/.test(text))).to.deep.equal([false, true]); // the newest first
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByText(new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' }).format(noon)).waitFor();
  });

  it('decides when it is too late to respond to a dispute', async () => {
    const { id } = await shop.captured({ card: DISPUTED });
    const now = await advance(6_000);
    await until(async () => {
      const listed = await dashboard.ask('auditor', 'GET', '/dashboard/api/disputes');
      return Disputes.parse(listed.body).data.length === 1;
    });
    const page = await open('/payments');
    // The service reads a dispute whose deadline is over within a second, so the deadline is changed on its way here.
    await page.route(`**/dashboard/api/payments/${id}`, async (route) => {
      const answer = await route.fetch();
      const overdue = `"challengeRequiredBy":"${new Date(now - 3_600_000).toISOString()}"`;
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace(/"challengeRequiredBy":"[^"]*"/, overdue),
      });
    });
    await page.goto(`${dashboard.url}/dashboard/payments/${id}`);
    await page.getByText('You can no longer respond to this dispute.').waitFor();
    await page.getByText('The deadline passed').waitFor();
  });

  it('may have begun its day an hour ago: no link of a chart is wider than its plot', async () => {
    const now = await advance(1_000);
    await advance(DAY_MS - (now % DAY_MS) + 5_400_000);
    await shop.captured();
    const page = await open('/?days=1');
    await page.getByRole('navigation', { name: 'Volume, by point' }).getByRole('link').nth(1).waitFor();
    const look = new Look(page);
    await look.atPage('overview-early');
    look.end();
  });
});
