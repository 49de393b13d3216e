// The stand-in of Stripe.js and the page of the challenge, in a real browser on a page of another origin.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, openBrowser } from '../../browser/support/browser.ts';
import { created } from './expectations/expectation.ts';
import { clientOf } from './outside-client.ts';
import { openStripeTwin, type StripeTwin } from './stripe-twin.ts';

const pageOf = ({ url, accounts: [{ publishableKey }] }: StripeTwin): string => `<!doctype html>
<html lang="en"><head><link rel="icon" href="data:,"><title>Shop</title></head><body>
<div id="fields"></div><button id="pay">Pay</button><output id="result"></output>
<script src="${url}/v3/"></script>
<script>
  const stripe = Stripe('${publishableKey}');
  const elements = stripe.elements({ mode: 'payment', amount: 2000, currency: 'usd', captureMethod: 'manual' });
  elements.create('payment').mount('#fields');
  document.querySelector('#pay').addEventListener('click', async () => {
    const submitted = await elements.submit();
    const { error, confirmationToken } = submitted.error ? submitted : await stripe.createConfirmationToken({ elements });
    document.querySelector('#result').textContent = error ? 'error ' + error.code : confirmationToken.id;
  });
</script></body></html>`;

describeInBrowser('the stand-in of Stripe.js', () => {
  const { newPage } = openBrowser();
  let twin: StripeTwin;
  let shop: Server;
  let shopUrl: string;
  beforeEach(async () => {
    twin = await openStripeTwin();
    shop = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(pageOf(twin)));
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const address = shop.address();
    if (address === null || typeof address === 'string') throw new Error('the shop does not listen');
    shopUrl = `http://localhost:${address.port}/`;
  });
  afterEach(async () => {
    shop.close();
    shop.closeAllConnections();
    await twin.close();
  });

  async function pressed(page: Page): Promise<string> {
    await page.locator('#result').evaluate((result) => result.replaceChildren());
    await page.click('#pay');
    const result = page.locator('#result:not(:empty)');
    return (await result.textContent()) ?? '';
  }
  async function entered(page: Page, number: string): Promise<string> {
    const fields = page.frameLocator('#fields iframe');
    await fields.locator('[name=number]').fill(number);
    await fields.locator('[name=expiry]').fill('12 / 30');
    await fields.locator('[name=cvc]').fill('123');
    return pressed(page);
  }

  it('makes a confirmation token of what its fields contain', async () => {
    const page = await newPage();
    await page.goto(shopUrl);
    expect(await pressed(page)).to.equal('error incomplete');
    expect(await entered(page, '4242 4242 4242 4241')).to.equal('error incorrect_number');
    const token = await clientOf(twin).confirmationTokens.retrieve(await entered(page, '4242 4242 4242 4242'));
    expect(token.payment_method_preview?.card).to.include({ last4: '4242', exp_month: 12, exp_year: 2030 });
  });
  it('leads a challenged card to its page and back', async () => {
    const page = await newPage();
    await page.goto(shopUrl);
    const stripe = clientOf(twin);
    const waiting = await stripe.paymentIntents.confirm(await created(stripe), {
      confirmation_token: await entered(page, '4000000000003220'),
      return_url: `${shopUrl}back`,
    });
    await page.goto(waiting.next_action?.redirect_to_url?.url ?? '');
    await page.click('#approve');
    await page.waitForURL(`${shopUrl}back?*`);
    expect(new URL(page.url()).searchParams.get('redirect_status')).to.equal('succeeded');
    expect((await stripe.paymentIntents.retrieve(waiting.id)).status).to.equal('requires_capture');
  });
});
