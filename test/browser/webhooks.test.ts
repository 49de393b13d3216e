// Webhooks in the dashboard, in a browser: an endpoint from its secret to its end, a delivery that fails and is resent;
// axe in both themes.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/until.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { describeInBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { NARROW, WIDE } from './support/screenshot.ts';
import { openShopInBrowser } from './support/signed-in.ts';

describeInBrowser('webhooks in the dashboard’s pages', () => {
  const { browser, dashboard, shop } = openShopInBrowser();
  let receiver: Receiver;
  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf('developer').split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard${path}`);
    return page;
  };

  it('lead from a new incoming URL to its end, and show the URL once', async () => {
    const page = await open('/developers/webhooks');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByRole('tab', { name: 'Incoming URLs' }).click();
    await page.waitForURL('**tab=incoming');
    await page.getByText('No incoming URLs yet').waitFor();
    await look.atPage('incoming-none');
    const { accountId, service } = dashboard;
    await service.access.createApiKey({ accountId, name: 'Acquirer', scopes: ['third_party:webhook_trigger'] });
    await service.access.createApiKey({ accountId, name: 'Backend', scopes: ['transactions:retrieve'] });
    await page.getByRole('button', { name: 'Create URL' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'API key' }).click();
    await page.getByRole('option', { name: /^Acquirer/ }).waitFor();
    expect(await page.getByRole('option', { name: /^Backend/ }).count()).to.equal(0); // it may send no notifications
    await page.getByRole('option', { name: /^Acquirer/ }).click();
    await look.atOpen('incoming-make');
    await dialog.getByRole('button', { name: 'Create URL' }).click();
    await dialog.getByText('You cannot see it again').waitFor();
    const url = (await dialog.getByText(`${dashboard.url}/webhooks/sandbox/`).textContent()) ?? '';
    await look.atOpen('incoming-url');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('cell', { name: 'Active' }).waitFor();
    expect(await page.getByText(url).count()).to.equal(0);
    await look.atPage('incoming');
    await page.getByRole('button', { name: 'Revoke the URL of Acquirer' }).click();
    await look.atOpen('incoming-revoke');
    await dialog.getByRole('button', { name: 'Revoke URL' }).click();
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    look.end();
    expect(troubles).to.deep.equal([]);
    await page.close();
  });

  it('lead from a new endpoint’s secret to a delivery that fails, is resent, and to the endpoint’s end', async () => {
    receiver.answering = (_message, response) =>
      void response.writeHead(500, { 'Content-Type': 'text/plain' }).end('out of order');
    const page = await open('/developers/webhooks');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByText('No endpoints yet').waitFor();
    await look.atPage('webhooks-none');
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('ftp://shop.example');
    await dialog.getByLabel('Only these types:').check();
    await dialog.getByLabel('PAYMENT.STATUS').check();
    await look.atOpen('webhooks-add');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.getByText('The URL must begin with https:// or http://.').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.getByText('You cannot see it again').waitFor();
    const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
    await look.atOpen('webhooks-secret');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('Not called yet').waitFor();
    expect(await page.getByText(secret).count()).to.equal(0);

    const { id } = await shop.paid();
    await page.getByText('Failing').waitFor(); // the page learns of the delivery automatically
    await look.atPage('webhooks-failing');
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('Last delivery failed:').waitFor();
    await page.getByRole('cell', { name: 'Retrying' }).waitFor();
    await page
      .getByText(/1 message will be tried again; the next call (in \d+ s|at .+|follows within seconds)\./i)
      .waitFor();
    await page.getByRole('tab', { name: 'Retrying' }).click();
    await page.waitForURL('**status=retrying');
    await look.atPage('webhooks-endpoint-failing');
    await page.locator('tr[data-row]').first().waitFor(); // the window has just become wide again
    await page.getByRole('tab', { name: 'Retrying' }).focus();
    // both keys before the next frame: the second one is for the row, and not for the tab
    await page.evaluate(`for (const key of ['j', 'Enter']) {
      const one = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      if (document.activeElement.dispatchEvent(one) && key === 'Enter') document.activeElement.click();
    }`);
    await page.getByText('out of order').first().waitFor(); // the second call may be there already
    await page.getByText('webhook-signature').first().waitFor();
    await page.getByText('Call 2').waitFor(); // after 5 s; the next one is five minutes away
    await look.atOpen('webhooks-delivery');
    receiver.answering = undefined;
    await page.getByRole('dialog').getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('Call 3').waitFor();
    await page.getByText('A user asked for a resend').waitFor();
    await look.atOpen('webhooks-delivery-resent');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Delivered' }).click();
    await page.getByRole('cell', { name: 'Delivered' }).waitFor();
    await page.waitForURL('**status=delivered');
    await page.getByRole('tab', { name: 'Failed' }).click();
    await page.getByText('No matching deliveries').waitFor();
    await page.getByRole('tab', { name: 'All' }).click();
    await page.getByText('1 of 3 calls of the last hour were taken.').waitFor();

    receiver.answering = (_message, response) => void response.writeHead(503).end();
    await shop.paid();
    await page.getByRole('cell', { name: 'Retrying' }).waitFor();
    await until(() => receiver.received.length === 5); // refused for the second time: the next call is minutes away
    await page.getByText('1 of 5 calls of the last hour were taken.').waitFor();
    await look.atPage('webhooks-endpoint-in-part');
    await page.getByRole('button', { name: 'Resend…' }).click();
    await dialog.getByText('1 message since').waitFor();
    await look.atOpen('webhooks-resend-untaken');
    receiver.answering = undefined;
    await dialog.getByRole('button', { name: 'Resend', exact: true }).click();
    await dialog.getByText('1 message will be delivered again within seconds.').waitFor();
    await look.atOpen('webhooks-resent-untaken');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('2 of 6 calls were taken').waitFor();
    await page.getByText('2 delivered, 0 given up').waitFor();
    await look.atPage('webhooks-endpoint-healthy');

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('PAYMENT.REFUND', { exact: true }).check();
    expect(await dialog.getByLabel('PAYMENT.STATUS').isChecked()).to.equal(true);
    await look.atOpen('webhooks-change');
    await page.setViewportSize(NARROW);
    await look.atOpen('webhooks-change');
    await page.setViewportSize(WIDE);
    await dialog.getByLabel('URL').fill('ftp://shop.example');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByText('The URL must begin with https:// or http://.').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('PAYMENT.STATUS, PAYMENT.REFUND').waitFor();

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('each message has both signatures').waitFor();
    await look.atOpen('webhooks-rotate');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const next =
      (await page
        .getByRole('dialog')
        .getByText(/^whsec_/)
        .textContent()) ?? '';
    expect(next).not.to.equal(secret);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('The old secret is valid until').waitFor();
    const { id: second } = await shop.paid();
    await until(() => receiver.received.some(({ body }) => body.payment.id === second));
    const told = receiver.received.find(({ body }) => body.payment.id === second);
    for (const one of [secret, next])
      expect(new Webhook(one).verify(told?.text ?? '', told?.headers ?? {})).to.be.an('object');

    receiver.answering = (_message, response) => void response.writeHead(503).end();
    await shop.paid();
    await page.getByRole('cell', { name: 'Retrying' }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await look.atOpen('webhooks-disable');
    await page.getByRole('button', { name: 'Disable endpoint' }).click();
    await page.getByText('It was disabled here.').waitFor();
    await page.getByRole('cell', { name: 'Discarded' }).waitFor();
    await look.atPage('webhooks-endpoint-disabled');
    await page.getByRole('button', { name: 'Delete' }).click();
    await look.atOpen('webhooks-delete');
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('It was deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(0);
    await look.atPage('webhooks-endpoint-deleted');
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByText('No endpoints yet').waitFor();
    await page.goto(`${dashboard.url}/dashboard/payments/${id}`);
    await page.getByRole('region', { name: 'Webhooks' }).getByRole('button', { name: 'PAYMENT.STATUS' }).click();
    await page.getByText('Call 3').waitFor();
    await page.getByText('The endpoint is deleted. Nothing is sent to it.').waitFor();
    expect(await page.getByRole('button', { name: 'Resend' }).count()).to.equal(0);
    await look.atOpen('webhooks-delivery-deleted');
    look.end();
    expect(troubles.filter((trouble) => !trouble.includes('422'))).to.deep.equal([]); // the URL that was refused
  });
});
