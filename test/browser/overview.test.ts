// The overview and the request log in a browser: a new account, figures and their links, the address, and what axe
// finds.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { until } from '../support/until.ts';
import { axeViolations } from './support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { screenshot, WIDE } from './support/screenshot.ts';

const Answer = z.looseObject({
  clientToken: z.string().default(''),
  token: z.string().default(''),
  id: z.string().default(''),
});
const DAY_MS = 86_400_000;
/** Pictures want more than tests. */
const DAYS = process.env['SCREENSHOTS'] === undefined ? 2 : 8;
const CARDS = [
  '4242424242424242',
  '5555555555554444',
  '4242424242424242',
  '4000000000000002',
  '4242424242424242',
  '4000009900004010',
];

describeInBrowser('the overview in a browser', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const signedIn = async (
    options: Parameters<typeof browser.newContext>[0] = {},
  ): Promise<{ page: Page; context: BrowserContext }> => {
    const context = await browser.newContext(options);
    const [name = '', value = ''] = dashboard.cookieOf('owner').split('=');
    await context.addCookies([{ name, value, url: dashboard.url, httpOnly: true, sameSite: 'Strict' }]);
    return { context, page: await context.newPage() };
  };
  const ask = async (
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = { 'X-Api-Key': dashboard.key },
  ) => {
    const answer = await fetch(`${dashboard.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (answer.status >= 500) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`);
    return Answer.parse(await answer.json());
  };
  const pay = async (number: string, amount: number, currencyCode: string): Promise<string> => {
    const { clientToken } = await ask('/client-session', { orderId: 'o-1', currencyCode, amount });
    const card = { number, expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const { token } = await ask('/checkout/payment-instruments', { card }, { 'X-Client-Token': clientToken });
    const { id } = await ask('/payments', { clientToken, paymentMethodToken: token });
    if (id !== '') await ask(`/payments/${id}/capture`, {});
    return id;
  };

  it('shows a new account how to make the first payment', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    const troubles = troublesOf(page);
    await page.goto(`${dashboard.url}/dashboard/`);
    await page.getByRole('heading', { name: 'Create your first payment' }).waitFor();
    expect(await page.getByText('npx counterfoil demo').isVisible()).to.equal(true);
    await screenshot(page, 'overview-first-use');
    expect(await axeViolations(page)).to.deep.equal([]);
    expect(troubles).to.deep.equal([]);
    await context.close();
  });

  it('shows figures automatically once there is a payment, each a link to its list', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    const troubles = troublesOf(page);
    const first = page.waitForRequest((request) => request.url().includes('/dashboard/api/live'));
    await page.goto(`${dashboard.url}/dashboard/`);
    await page.getByRole('heading', { name: 'Create your first payment' }).waitFor();
    await first; // the stream of the first tab, which tells them all
    const streams: string[] = [];
    context.on('request', (request) => request.url().includes('/dashboard/api/live') && streams.push(request.url()));
    const tabs = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${dashboard.url}/dashboard/`)));
    await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Create your first payment' }).waitFor()));
    for (let day = 0; day < DAYS; day += 1) {
      for (let n = 0; n < (DAYS > 2 ? 6 + ((day * 5) % 7) : 6); n += 1) {
        await pay(
          CARDS[(n + (day % 3)) % CARDS.length] ?? '',
          1_000 + ((day * 7 + n * 13) % 23) * 350,
          n === 5 ? 'USD' : 'EUR',
        );
      }
      if (day + 1 < DAYS) await dashboard.opened.clock?.advance({ events: dashboard.opened.events }, DAY_MS);
    }
    const declined = page.getByRole('link', { name: /^Declined/ });
    await declined.waitFor();
    expect(await declined.getAttribute('href')).to.match(
      /^\/dashboard\/payments\?status=DECLINED&from_date=\d{4}-\d\d-\d\dT00%3A00%3A00.000Z&to_date=.*&currency_code=EUR$/,
    );
    await page.getByRole('button', { name: 'Volume as a table' }).click();
    await page.getByText('7 days', { exact: true }).click();
    await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor();
    const days = page.getByRole('table').filter({ hasText: 'Day (UTC)' });
    expect(await days.locator('tbody tr').count()).to.equal(7);
    // Eight tabs, told by the stream that the first one holds; when it closes, one of the others goes on where it was.
    await Promise.all(tabs.map((tab) => tab.getByRole('link', { name: /^Declined/ }).waitFor()));
    expect(streams).to.deep.equal([]);
    expect(troubles).to.deep.equal([]);
    await page.close();
    await until(() => streams.length === 1);
    expect(streams[0]).to.match(/\?after=\d+$/);
    await context.close();
  });

  it('leads from a reason to the payments that were declined for it, and says the reason', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    await page.goto(`${dashboard.url}/dashboard/?days=7&currency=EUR`);
    await page.getByRole('region', { name: 'Declines by reason' }).getByRole('link').first().click();
    await page.waitForURL(/status=DECLINED&decline_code=GENERIC_DECLINE&/);
    await page.getByRole('columnheader', { name: 'Reason' }).waitFor();
    await page.getByRole('cell', { name: 'Issuer declined without giving a reason' }).first().waitFor();
    await page.getByRole('button', { name: 'Remove the filter Reason Generic decline' }).click();
    await page.waitForURL((url) => !url.search.includes('decline_code'));
    await context.close();
  });

  it('leads from the points of its charts to their payments, by key and by click', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    await page.goto(`${dashboard.url}/dashboard/?days=7&currency=EUR`);
    const points = page.getByRole('navigation', { name: 'Volume, by point' }).getByRole('link');
    await points.last().focus();
    await page.keyboard.press('ArrowLeft');
    const previous = await points.nth(-2).getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${dashboard.url}${previous}`);
    await page.goBack();
    await points.last().waitFor();
    const last = await points.last().getAttribute('href');
    await points.last().hover();
    await points
      .last()
      .getByText(/: captured .*, refunded /)
      .waitFor(); // what the point says before it is followed
    await points.last().click();
    await page.waitForURL(`${dashboard.url}${last}`);
    await context.close();
  });

  it('keeps period and currency in the address', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    await page.goto(`${dashboard.url}/dashboard/?days=30&currency=USD`);
    await page.getByRole('link', { name: /^Volume/ }).waitFor();
    expect(await page.getByLabel('Currency', { exact: true }).first().inputValue()).to.equal('USD');
    await page.getByText('90 days', { exact: true }).click();
    await page.waitForURL(/days=90&currency=USD/);
    await context.close();
  });

  it('has nothing that axe finds, in both themes, wide and narrow, with its calendar and its drawer', async () => {
    const { page, context } = await signedIn({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const look = new Look(page);
    await page.goto(`${dashboard.url}/dashboard/?days=${DAYS > 2 ? 30 : 7}`);
    await page.getByRole('img', { name: /^Captured volume/ }).waitFor();
    await look.atPage('overview');
    await page.getByTitle('Days of the period, in UTC').click();
    await page.getByRole('button', { name: 'Previous month' }).waitFor();
    await look.atOpen('overview-days');
    await page.goto(`${dashboard.url}/dashboard/developers/requests`);
    await page.getByRole('row').nth(3).waitFor();
    await look.atPage('requests');
    await page.locator('tbody tr').first().click();
    await page.getByRole('heading', { name: 'Send it again' }).waitFor();
    await look.atOpen('request');
    look.end();
    await context.close();
  });

  it('finds a request by the id that its error printed, and by time, and shows the service’s own events on request', async () => {
    const { page, context } = await signedIn({ viewport: WIDE });
    const troubles = troublesOf(page);
    const refused = await fetch(`${dashboard.url}/payments/pay_none`, { headers: { 'X-Api-Key': dashboard.key } });
    const id = refused.headers.get('X-Request-Id') ?? '';
    await dashboard.service.requestLog.write();
    await page.goto(`${dashboard.url}/dashboard/developers/requests`);
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    await page.getByLabel('Diagnostics id').fill(id);
    await page.keyboard.press('Enter');
    await until(async () => (await rows.count()) === 1);
    expect(await rows.textContent()).to.include('NotFound');
    expect(new URL(page.url()).searchParams.get('diagnostics_id')).to.equal(id);
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00');
    await page.getByText('No matching requests').waitFor();
    await page.goto(`${dashboard.url}/dashboard/developers/events`);
    await page.getByText('without the service’s own events').waitFor();
    const events = page.getByRole('table', { name: 'Newest events' });
    await events.getByText('PaymentCreated').first().waitFor();
    expect(await events.getByText('MessageQueued').or(events.getByText('InstrumentClaimed')).count()).to.equal(0);
    const look = new Look(page);
    await look.atPage('events');
    await page.getByRole('switch', { name: 'Show the service’s own events' }).click({ force: true });
    await events.getByText('InstrumentClaimed').first().waitFor();
    await page.waitForURL('**show=all');
    await page.getByText('Every recorded event of the account, newest first.').waitFor();
    await look.atPage('events-all');
    await page.reload();
    await events.getByText('InstrumentClaimed').first().waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
    await context.close();
  });
});
