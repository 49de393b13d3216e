// How many clicks a person needs for the work of every day; keys that are typed do not count.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { describeInBrowser } from './support/browser.ts';
import { clicks, countClicks } from './support/clicks.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DISPUTED = '4000000000000259';
/** The sandbox opens a dispute 5 s after a capture. */
const STEP_MS = 6_000;
describeInBrowser('a person needs few clicks', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  let receiver: Receiver;
  let other: Receiver;
  before(async () => {
    receiver = await openReceiver();
    other = await openReceiver();
  });
  after(() => Promise.all([receiver.close(), other.close()]));

  const opened = async (path: string, role: 'support' | 'developer'): Promise<Page> => {
    const page = await openSignedIn(browser, dashboard, path, role);
    await countClicks(page);
    return page;
  };

  it('to give back half of an order: two', async () => {
    await shop.captured({ session: { orderId: 'order-half' } });
    const page = await opened('/', 'support');
    const search = page.getByRole('searchbox', { name: /^Search/ }).or(page.getByRole('combobox', { name: /^Search/ }));
    await search.fill('order-half');
    await search.press('Enter');
    await page.getByRole('button', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount', { exact: true }).fill('27.45');
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await page.getByText('€27.45 is refunded.').waitFor();
    expect(await clicks(page)).to.equal(2);
  });

  it('to resend all webhooks that the receivers of all endpoints refused today: three', async () => {
    const refusing: Receiver['answering'] = (_message, response) => void response.writeHead(503).end();
    receiver.answering = refusing;
    other.answering = refusing;
    for (const { url } of [receiver, other])
      await dashboard.ask('developer', 'POST', '/dashboard/api/webhook-endpoints', { url });
    await shop.paid({ session: { orderId: 'order-hook' } });
    // refused for the second time: the next call is minutes away
    await until(() => receiver.received.length === 2 && other.received.length === 2);
    const page = await opened('/', 'developer');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Resend all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 messages at 2 endpoints since').waitFor();
    receiver.answering = undefined;
    other.answering = undefined;
    await dialog.getByRole('button', { name: 'Resend', exact: true }).click();
    await dialog.getByText('2 messages will be delivered again within seconds.').waitFor();
    expect(await clicks(page)).to.equal(3);
    await until(() => receiver.received.length === 3 && other.received.length === 3);
  });

  it('to change a rule of routing and test it, without JSON: four', async () => {
    const { service, accountId } = dashboard;
    const added = await service.connections.add({ accountId, processor: 'sandbox', name: 'second' });
    if (added.kind === 'rejected') throw new Error(added.description);
    await until(() => service.connections.known.activeOf(accountId).length === 1);
    const use = [
      { connection: 'sandbox', weight: 90 },
      { connection: 'second', weight: 10 },
    ];
    const set = await service.routing.set({ accountId, sent: { rules: [], default: { use } } });
    if (set.kind === 'rejected') throw new Error(set.description);
    const page = await opened('/', 'developer');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Routing' }).click();
    await page.getByRole('button', { name: 'Change rules' }).click();
    const dialog = page.getByRole('dialog');
    const weight = dialog.getByLabel('Weight of second in default');
    await weight.click();
    await weight.fill('90');
    await dialog.getByText('50%').first().waitFor();
    await dialog.getByRole('button', { name: 'Test rules' }).click();
    await dialog.getByText(/would go to another account than before/).waitFor();
    expect(await clicks(page)).to.equal(4);
  });

  it('to answer a dispute with what is known of the order: four', async () => {
    await shop.captured({
      session: { orderId: 'order-claim', customer: { emailAddress: 'ada@example.com' } },
      card: DISPUTED,
    });
    await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: STEP_MS });
    const page = await opened('/', 'support');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Disputes', exact: true }).click();
    await page.getByRole('table', { name: 'Disputes' }).locator('tbody tr').filter({ hasText: 'order-claim' }).click();
    await page.getByRole('button', { name: 'Add evidence' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Challenge dispute' }).click();
    await page.getByRole('status').getByText('Dispute challenged.').waitFor();
    expect(await clicks(page)).to.equal(4);
  });
});
