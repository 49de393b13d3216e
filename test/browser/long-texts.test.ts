// Texts of 64 and 255 characters in every table of the dashboard: no table is wider than its box, and no page scrolls
// to the side, on a wide and on a narrow screen.
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { agreedIn, chargedIn } from '../support/dashboard-agreement.ts';
import { until } from '../support/until.ts';
import { describeInBrowser } from './support/browser.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

/** Members that merchants, customers, processors and receivers fill; the page must bear any text in them. */
const FREE = new Set([
  ...['orderId', 'customerId', 'firstName', 'lastName', 'emailAddress', 'email', 'cardholderName', 'description'],
  ...['name', 'keyName', 'message', 'reason', 'detail', 'fault', 'why', 'route', 'stream', 'eventType', 'type'],
  ...['processor', 'processorTransactionId', 'code', 'errorId', 'textUrl', 'userAgent'],
]);
const LONG = 'long-text';

/** Each text is another one: 64 and 255 characters in turn. */
function textsIn(answer: unknown): unknown {
  let count = 0;
  const long = (start: string): string => {
    count += 1;
    return `${start}${count}-${LONG}`.padEnd(count % 2 === 0 ? 64 : 255, 'abcdefgh');
  };
  const changed = (value: unknown, name: string): unknown => {
    if (typeof value === 'string')
      return FREE.has(name) ? long('') : name === 'url' ? long('https://a.example/') : value;
    if (Array.isArray(value)) return value.map((one) => changed(one, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, changed(its, member)]));
  };
  return changed(answer, '');
}

async function withLongTexts(route: Route): Promise<void> {
  const { pathname } = new URL(route.request().url());
  if (/\/(me|live|needs|overview)$/.test(pathname)) return route.continue();
  const answer = await route.fetch();
  if (answer.headers()['content-type']?.startsWith('application/json') !== true)
    return route.fulfill({ response: answer });
  return route.fulfill({ response: answer, body: JSON.stringify(textsIn(await answer.json())) });
}

/** The tables and cards that are wider than their boxes, and the page if it is. */
const TOO_WIDE = `[
  ...[...document.querySelectorAll('table')]
    .filter((table) => table.offsetWidth > table.parentElement.clientWidth)
    .map((table) => (table.ariaLabel ?? 'a table') + ': ' + table.offsetWidth + ' in ' + table.parentElement.clientWidth),
  ...[...document.querySelectorAll('main ul[aria-label] > li')]
    .filter((card) => card.scrollWidth > card.clientWidth)
    .map((card) => 'a card: ' + card.scrollWidth + ' in ' + card.clientWidth),
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []),
]`;

describeInBrowser('a long text in the tables of the dashboard', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  const customerId = 'customer-long';
  let paymentId: string;
  let sessionId: string;
  let endpointId: string;
  let agreementId: string;
  before(async () => {
    const { accountId, service } = dashboard;
    const made = await dashboard.ask('owner', 'POST', '/dashboard/api/webhook-endpoints', {
      url: 'http://127.0.0.1:9/webhooks',
    });
    endpointId = idIn(made.body);
    await service.access.createApiKey({ accountId, name: 'Acquirer', scopes: ['third_party:webhook_trigger'] });
    const session = {
      customerId,
      amount: undefined,
      customer: { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.com' },
      order: { lineItems: [{ name: 'Ledger', amount: 2_745, quantity: 2 }] },
    };
    const clientToken = await shop.session(session);
    const paymentMethodToken = await shop.tokenize(clientToken);
    const paymentMethod = { vaultOnSuccess: true };
    paymentId = idIn(await shop.ask('/payments', { clientToken, paymentMethodToken, paymentMethod }));
    await shop.ask(`/payments/${paymentId}/capture`, {});
    await shop.ask(`/payments/${paymentId}/refund`, { amount: 1_000, reason: 'one came back' });
    await shop.paid({ session, card: '4000000000000002' });
    await shop.captured({ session, card: '4000000000000259' });
    ({ id: agreementId } = await agreedIn(shop, { customerId, card: '4000009900005045' }));
    await chargedIn(shop, agreementId, LONG.padEnd(255, 'abcdefgh'), { orderId: 'o-1' });
    await shop.ask('/payment-links', { currencyCode: 'EUR', order: session.order });
    await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 10_000 });
    await until(async () => (await dashboard.ask('auditor', 'GET', '/dashboard/api/disputes')).text.includes('"id"'));
    await service.requestLog.write();
    const sessions = await dashboard.ask('owner', 'GET', '/dashboard/api/client-sessions');
    sessionId = /"id":"(cs_[^"]+)"/.exec(sessions.text)?.[1] ?? '';
  });

  const idIn = (answer: unknown): string =>
    typeof answer === 'object' && answer !== null && 'id' in answer ? String(answer.id) : '';

  const open = async (path: string): Promise<Page> => {
    const page = await openSignedIn(browser, dashboard, '/account', 'owner');
    await page.route('**/dashboard/api/**', withLongTexts);
    await page.goto(`${dashboard.url}/dashboard${path}`);
    await page.locator('main table[aria-busy=false] tbody tr').first().waitFor();
    return page;
  };

  for (const [name, path] of [
    ['payments', () => '/payments'],
    ['declined', () => '/payments?status=DECLINED,FAILED'],
    ['payment', () => `/payments/${paymentId}`],
    ['customers', () => '/customers'],
    ['customer', () => `/customers?customer_id=${customerId}`],
    ['client-sessions', () => '/client-sessions'],
    ['client-session', () => `/client-sessions/${sessionId}`],
    ['instruments', () => '/instruments'],
    ['agreements', () => '/agreements'],
    ['agreement', () => `/agreements/${agreementId}`],
    ['disputes', () => '/disputes'],
    ['payment-links', () => '/payment-links'],
    ['webhooks', () => '/developers/webhooks'],
    ['endpoint', () => `/developers/webhooks/${endpointId}`],
    ['keys', () => '/developers/keys'],
    ['requests', () => '/developers/requests'],
    ['events', () => '/developers/events?show=all'],
    ['ledger', () => '/developers/sandbox?tab=ledger'],
    ['cards', () => '/developers/sandbox'],
    ['users', () => '/users'],
    ['operations', () => '/operations'],
    ['nodes', () => '/operations?tab=nodes'],
  ] as const)
    it(`pushes no column out: ${name}`, async () => {
      const page = await open(path());
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport);
        await until(async () => (await page.evaluate<readonly string[]>(TOO_WIDE)).length === 0).catch(() => undefined);
        await screenshot(page, `long-${name}-${viewport.width}`);
        expect(await page.evaluate(TOO_WIDE), `${name} at ${viewport.width}`).to.deep.equal([]);
      }
    });

  it('is its title, and is shown whole while the keyboard is in its row', async () => {
    const page = await open('/payments');
    const row = page.getByRole('table', { name: 'Payments' }).locator('tbody tr').first();
    const text = row.locator('[data-cut]').first();
    const whole = (await text.textContent()) ?? '';
    await until(async () => (await text.getAttribute('title')) === whole);
    const height = async (): Promise<number> => (await text.boundingBox())?.height ?? 0;
    const before = await height();
    await page.keyboard.press('j');
    await until(async () => (await height()) > 2 * before);
    await page.keyboard.press('Tab'); // on into the same row, or the next one
    await page.goto(`${dashboard.url}/dashboard/payments/${paymentId}`);
    const item = page.getByRole('table', { name: 'Items' }).locator('[data-cut]').first();
    await until(async () => (await item.getAttribute('tabindex')) === '0'); // its row has no link
  });
});
