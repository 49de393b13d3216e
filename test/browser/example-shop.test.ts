// The example for Express in a browser: a shopper buys and pays with the checkout's fields, and the page says so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { EXAMPLE_SHOPS, type RunningShop, startShop } from '../examples/shops.ts';
import { calmWorld } from '../support/calm-world.ts';
import { freePort } from '../support/free-port.ts';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { axeViolations } from './support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';

describeInBrowser('the example for Express', () => {
  const browser = openBrowser();
  let receivers: Receivers;
  let http: HttpService;
  let folder: string;
  let shop: RunningShop;
  before(async () => {
    receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    http = await serveHttp({ sandboxInMemory: true, post: receivers.post });
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-example-'));
    const port = await freePort();
    const added = await http.service.webhooks.addWebhookEndpoint({
      accountId: http.shop.accountId,
      url: `http://127.0.0.1:${port}/webhooks`,
    });
    const [express] = EXAMPLE_SHOPS;
    if (added.kind === 'rejected' || express?.name !== 'Express') throw new Error('there is no shop to start');
    shop = await startShop(express, {
      folder,
      port,
      counterfoilUrl: `http://127.0.0.1:${http.port}`,
      apiKey: http.shop.key,
      webhookSecret: added.secret,
      staffToken: 'staff-token',
    });
  });
  after(async () => {
    await shop.end();
    await http.stop();
    receivers.close();
    rmSync(folder, { recursive: true });
  });

  it('sells a shirt: declined with one card, paid with another', async () => {
    const shopper = await browser.newPage();
    const troubles = troublesOf(shopper);
    await shopper.goto(shop.url);
    await shopper.getByRole('button', { name: 'Buy for €25.00' }).click();
    const frame = shopper.frameLocator('#pay iframe');
    const pay = async (number: string): Promise<void> => {
      await frame.locator('[name=number]').fill(number);
      await frame.locator('[name=expiry]').fill('12 / 39');
      await frame.locator('[name=cvc]').fill('123');
      await frame.locator('[name=name]').fill('Ada Lovelace');
      await frame.getByRole('button', { name: 'Pay €25.00' }).click();
    };
    await pay(CARDS.declined);
    await frame.getByText('declined').first().waitFor();
    expect(await axeViolations(shopper)).to.deep.equal([]);
    await pay(CARDS.approved);
    await shopper.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(await axeViolations(shopper)).to.deep.equal([]);
    await shopper.reload();
    await shopper.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(troubles).to.deep.equal([]);
  });
});
