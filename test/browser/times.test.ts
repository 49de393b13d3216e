// Two clocks and one filter of time: a moved business clock shows in the top bar, and what goes by the machine's clock
// is marked; Payments, Events and the request log are asked for the last hour in one way.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { describeInBrowser } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const HOUR_MS = 3_600_000;
const AHEAD_MS = 5 * 24 * HOUR_MS + 2 * HOUR_MS;
const MARK = 'machine time';
const Keys = z.looseObject({ data: z.array(z.looseObject({ name: z.string(), prefix: z.string() })) });

describeInBrowser('times in the dashboard’s pages', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  const open = (path: string): Promise<Page> => openSignedIn(browser, dashboard, path, 'owner');

  it('are all of one clock until it is moved: nothing is marked', async () => {
    const page = await open('/users');
    await page.getByRole('table', { name: 'Users' }).getByText('owner@example.org').waitFor();
    expect(await page.getByText(MARK).count()).to.equal(0);
    expect(await page.getByText(/^Clock:/).count()).to.equal(0);
    await page.goto(`${dashboard.url}/dashboard/account`);
    await page.getByText('This browser', { exact: true }).waitFor();
    expect(await page.getByText(MARK).count()).to.equal(0);
  });

  describe('after the business clock was moved', () => {
    let first: string;
    let second: string;
    before(async () => {
      first = (await shop.paid({ session: { orderId: 'order-before' } })).id;
      await dashboard.service.requestLog.write();
      const moved = await dashboard.ask('owner', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: AHEAD_MS });
      expect(moved.status, moved.text).to.equal(200);
      second = (await shop.paid({ session: { orderId: 'order-after' } })).id;
      await dashboard.service.requestLog.write();
    });

    it('have the clock and its distance in the top bar, and marks at what goes by the machine', async () => {
      const page = await open('/users');
      const look = new Look(page);
      const clock = page.getByRole('link', { name: /^Clock: .+, \+5 d 2 h$/ });
      await clock.waitFor();
      await page.getByRole('columnheader', { name: 'Last sign-in' }).getByText(MARK).waitFor();
      await look.atPage('clock-users');
      await page.setViewportSize(NARROW);
      await clock.waitFor();
      await page.setViewportSize(WIDE);
      await page.goto(`${dashboard.url}/dashboard/account`);
      await page.getByText(MARK).first().waitFor();
      await look.atPage('clock-account');
      await page.goto(`${dashboard.url}/dashboard/`);
      await page.getByRole('region', { name: 'Projection lag' }).getByText(MARK).waitFor();
      await page.goto(`${dashboard.url}/dashboard/payments`); // its times are of the business clock
      await page.getByText('order-after').waitFor();
      expect(await page.locator('main').getByText(MARK).count()).to.equal(0);
      await clock.click();
      await page.getByText('5 d 2 h ahead of the machine’s time').waitFor();
      look.end();
    });

    for (const [name, path, old, recent] of [
      ['Payments', '/payments', 'order-before', 'order-after'],
      ['Newest events', '/developers/events', () => first, () => second],
      ['Requests', '/developers/requests', () => first, () => second],
    ] as const)
      it(`are asked for the last hour with two clicks, and stay in the URL: ${name}`, async () => {
        const page = await open(path);
        const look = new Look(page);
        const table = page.getByRole('table', { name });
        const cellOf = (text: string | (() => string)) =>
          typeof text === 'string' ? table.getByText(text) : table.getByRole('button', { name: text() });
        await cellOf(old).first().waitFor();
        await page.getByRole('button', { name: 'Any time' }).click();
        await look.atOpen(`time-range-${name}`);
        await page.getByRole('button', { name: 'Last hour' }).click();
        await cellOf(old).first().waitFor({ state: 'detached' });
        await cellOf(recent).first().waitFor();
        const from = Date.parse(new URL(page.url()).searchParams.get('from_date') ?? '');
        expect(Date.now() + AHEAD_MS - from).to.be.within(HOUR_MS - 5_000, HOUR_MS + 120_000);
        await look.atPage(`last-hour-${name}`);
        await page.reload();
        await cellOf(recent).first().waitFor();
        expect(await cellOf(old).count()).to.equal(0);
        await page.getByRole('button', { name: /^Since/ }).click();
        await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00');
        await page.getByText(/^No matching/).waitFor();
        await page.getByRole('button', { name: 'Any time' }).click();
        await cellOf(old).first().waitFor();
        await until(() => new URL(page.url()).searchParams.get('from_date') === null);
        look.end();
      });

    it('are beside the name of the caller that the page of API keys shows, and an id that can be copied', async () => {
      const { data } = Keys.parse((await dashboard.ask('owner', 'GET', '/dashboard/api/keys')).body);
      const key = data.find(({ name }) => name === 'First key') ?? expect.fail('no key');
      const page = await open('/developers/requests');
      const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
      await rows
        .filter({ hasText: `${key.name} ${key.prefix}…` })
        .first()
        .waitFor();
      await rows.filter({ hasText: 'Checkout cs_…' }).first().waitFor();
      await page
        .getByRole('button', { name: `Copy payment id ${second}` })
        .first()
        .click();
      expect(new URL(page.url()).searchParams.get('request')).to.equal(null); // the row was not opened
      await page.getByRole('combobox', { name: 'API key' }).click();
      await page.getByRole('option', { name: `${key.name} ${key.prefix}…` }).waitFor();
      await screenshot(page, 'requests-callers');
    });
  });
});
