// 3-D Secure in the checkout: the bank's page over the shop's page, and the ways back from it (contract §4).
import { expect } from 'chai';
import type { FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import { answered, challenged } from '../../support/challenged.ts';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser, itInRest, openBrowser, troublesOf } from '../support/browser.ts';
import { openShop, type Shop, type Shopper, visit } from './merchant.ts';

const List = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });

/** The bank's page over the page of the shop. */
const bankOn = (page: Page): FrameLocator =>
  page.frameLocator('[data-counterfoil=challenge] iframe').frameLocator('iframe');
/** Its path. */
const pathOfBank = async (page: Page): Promise<string> =>
  new URL((await page.frameLocator('[data-counterfoil=challenge] iframe').locator('iframe').getAttribute('src')) ?? '')
    .pathname;

describeInBrowser('a challenge in the checkout', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  const ending = new AbortController();
  let notifying: Promise<unknown> = Promise.resolve();
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    const service = `http://127.0.0.1:${http.port}`;
    shop = await openShop(service);
    const { key } = await http.shop.newKey(['third_party:webhook_trigger']);
    await http.stores.sandbox.connect({ accountId: http.shop.accountId, apiKey: key });
    notifying = http.stores.sandbox.run(service, ending.signal);
  });
  after(async () => {
    ending.abort();
    await notifying;
    shop.close();
    await http.stop();
  });

  let orders = 0;
  /** A shopper who has pressed the button with this card. */
  const paying = async (
    number: string,
  ): Promise<Shopper & { readonly orderId: string; readonly clientToken: string }> => {
    orders += 1;
    const orderId = `order-${orders}`;
    const clientToken = await http.shop.session({ orderId });
    const shopper = await visit(await browser.newPage(), shop);
    await shopper.start({ clientToken });
    await shopper.fill(number);
    await shopper.pay();
    return { ...shopper, orderId, clientToken };
  };
  const approve = (page: Page): Promise<void> => bankOn(page).getByRole('button', { name: 'Approve' }).click();
  const paymentsOf = async (orderId: string) =>
    bodyOf(await http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data;

  it('is shown over the shop, and the payment is paid once the shopper has approved', async () => {
    const shopper = await paying(CARDS.challenged);
    const troubles = troublesOf(shopper.page);
    const dialog = shopper.page.getByRole('dialog', { name: 'Confirm with your bank' });
    await dialog.waitFor();
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['PENDING']);
    await approve(shopper.page);
    await shopper.message('complete');
    expect(await dialog.count()).to.equal(0);
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'paying', 'complete']);
    expect((await shopper.news()).at(-1)).to.include({ kind: 'complete', status: 'AUTHORIZED', resumed: false });
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED']);
    expect(troubles).to.deep.equal([]);
  });

  it('that fails leaves the form, which says so and takes another card', async () => {
    const shopper = await paying(CARDS.challenged);
    await bankOn(shopper.page).getByRole('button', { name: 'Fail the authentication' }).click();
    await shopper.frame.getByRole('alert').getByText('Your bank could not confirm your identity.').waitFor();
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal([
      'loading',
      'ready',
      'paying',
      'challenge',
      'paying',
      'declined',
      'paying',
      'complete',
    ]);
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED', 'DECLINED']);
  });

  itInRest('may be passed, and the card declined all the same', async () => {
    const shopper = await paying(CARDS.challengedThenDeclined);
    await approve(shopper.page);
    await shopper.frame.getByRole('alert').getByText('Your bank declined this card.').waitFor();
    expect((await shopper.states()).at(-1)).to.equal('declined');
  });

  it('comes after a decline that asks for it, as one payment', async () => {
    const shopper = await paying(CARDS.demandsAuthentication);
    await approve(shopper.page);
    await shopper.message('complete');
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED']);
  });

  for (const [title, number] of [
    ['a card that is authenticated without a challenge', CARDS.frictionless],
    ['a card that is authenticated without a challenge after a soft decline', CARDS.demandsAuthenticationThenLate],
  ] as const) {
    it(`is spared the shopper with ${title}`, async () => {
      const shopper = await paying(number);
      await shopper.message('complete');
      expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'complete']);
    });
  }

  itInRest('can be closed and opened again: the payment waits, and the shop is told so', async () => {
    const shopper = await paying(CARDS.challenged);
    const { page } = shopper;
    await bankOn(page).getByRole('button', { name: 'Approve' }).waitFor();
    const focused = 'document.activeElement.shadowRoot?.activeElement?.textContent ?? document.activeElement.tagName';
    expect(await page.evaluate(focused)).to.equal('Confirm with your bank');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(async () => (await page.evaluate(focused)) === 'IFRAME');
    await until(async () => (await shopper.news()).at(-1)?.code === 'challenge_closed');
    const [payment] = await paymentsOf(shopper.orderId);
    expect((await shopper.news()).at(-1)).to.include({ kind: 'error', paymentId: payment?.id });
    expect([payment?.status, (await shopper.states()).at(-1)]).to.deep.equal(['PENDING', 'challenge']);
    await shopper.frame.getByRole('button', { name: 'Go to your bank' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await shopper.frame.getByRole('button', { name: 'Go to your bank' }).click();
    await approve(page);
    await shopper.message('complete');
  });

  it('can be given up for another card, which pays in the same session', async () => {
    const shopper = await paying(CARDS.challenged);
    await bankOn(shopper.page).getByRole('button', { name: 'Approve' }).waitFor();
    await shopper.page.keyboard.press('Escape');
    await shopper.frame.getByRole('button', { name: 'Use another card' }).click();
    await shopper.frame.getByRole('alert').getByText('Nothing was charged. Enter another card.').waitFor();
    expect(await shopper.inFrame("document.querySelector('[name=number]').value")).to.equal('');
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal([
      'loading',
      'ready',
      'paying',
      'challenge',
      'pending',
      'ready',
      'paying',
      'complete',
    ]);
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED', 'CANCELLED']);
  });

  itInRest('can be given up after a reload, and is paid where the bank was faster', async () => {
    const shopper = await paying(CARDS.challenged);
    const bank = await pathOfBank(shopper.page);
    await shopper.page.reload();
    await shopper.start({ clientToken: shopper.clientToken });
    await shopper.message('challenge');
    await answered(http, bank);
    await shopper.frame.getByRole('button', { name: 'Use another card' }).click();
    await shopper.message('complete');
    expect((await paymentsOf(shopper.orderId)).map(({ status }) => status)).to.deep.equal(['AUTHORIZED']);
  });

  itInRest('is not given up, and the form does not come back, while the service cannot be reached', async () => {
    const shopper = await paying(CARDS.challenged);
    await bankOn(shopper.page).getByRole('button', { name: 'Approve' }).waitFor();
    await shopper.page.keyboard.press('Escape');
    await shopper.page.route('**/cancel', (route) => route.abort('connectionrefused'));
    await shopper.frame.getByRole('button', { name: 'Use another card' }).click();
    await shopper.message('unavailable');
    await shopper.page.unroute('**/cancel');
    await shopper.frame.getByRole('button', { name: 'Try again' }).click();
    await shopper.frame.getByRole('alert').getByText('Nothing was charged.').waitFor();
  });

  itInRest('is offered again after a reload, and leads on when it was passed meanwhile', async () => {
    const shopper = await paying(CARDS.challenged);
    const bank = await pathOfBank(shopper.page);
    await shopper.page.reload();
    await shopper.start({ clientToken: shopper.clientToken });
    await shopper.message('challenge');
    expect(await shopper.page.getByRole('dialog').count()).to.equal(0);
    expect(await shopper.states()).to.deep.equal(['loading', 'challenge']);
    // In another tab, which was closed before the bank could lead back.
    await answered(http, bank);
    await shopper.frame.getByRole('button', { name: 'Go to your bank' }).click();
    await bankOn(shopper.page).getByRole('link', { name: 'Back to the shop' }).click();
    await shopper.message('complete');
    expect((await shopper.news()).at(-1)).to.include({ kind: 'complete', resumed: true });
  });

  it('ends by the notification when the shopper never comes back', async () => {
    const shopper = await paying(CARDS.challenged);
    const bank = await pathOfBank(shopper.page);
    await answered(http, bank);
    http.world.advance(5_000);
    await shopper.message('complete');
    expect(await shopper.page.getByRole('dialog').count()).to.equal(0);
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'complete']);
  });

  it('that the notification has ended stays so when the shopper comes back a moment later', async () => {
    const shopper = await paying(CARDS.challenged);
    const { searchParams } = await answered(http, await pathOfBank(shopper.page));
    http.world.advance(5_000);
    await shopper.message('complete');
    // The way back had been told to the frame before the window was closed.
    const returned = { paymentId: searchParams.get('paymentId'), resumeToken: searchParams.get('resumeToken') };
    expect(returned.paymentId).to.match(/^pay_/);
    await shopper.page.evaluate(`
      const { postMessage } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (message) {
        postMessage.call(this, ${JSON.stringify({ kind: 'challengeReturned', returned })});
        postMessage.call(this, message);
      };
      checkout.refresh();`);
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'complete']);
    expect((await shopper.news()).filter(({ kind }) => kind === 'complete')).to.have.length(1);
  });

  it('is never called declined because the service did not answer on the way back', async () => {
    const shopper = await paying(CARDS.challenged);
    await shopper.page.route('**/resume', (route) => route.abort('connectionrefused'));
    await approve(shopper.page);
    await shopper.message('unavailable');
    expect((await shopper.news()).at(-1)).to.include({ kind: 'error', code: 'service_unavailable' });
    await shopper.page.unroute('**/resume');
    await shopper.frame.getByRole('button', { name: 'Try again' }).click();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal([
      'loading',
      'ready',
      'paying',
      'challenge',
      'paying',
      'unavailable',
      'paying',
      'complete',
    ]);
  });

  itInRest('is over when the bank says so, and no other window', async () => {
    const shopper = await paying(CARDS.challenged);
    const { page } = shopper;
    await bankOn(page).getByRole('button', { name: 'Approve' }).waitFor();
    const resumes: string[] = [];
    page.on('request', (request) => request.url().endsWith('/resume') && resumes.push(request.url()));
    const [payment] = await paymentsOf(shopper.orderId);
    const told = { type: 'counterfoil.3ds.return', paymentId: payment?.id, resumeToken: 'res_guessed' };
    await page.evaluate(`new Promise((heard) => {
      addEventListener('message', heard);
      postMessage(${JSON.stringify(told)}, '*');
    })`);
    await page.evaluate('checkout.refresh()');
    expect(resumes).to.deep.equal([]);
    expect(await page.getByRole('dialog').count()).to.equal(1);
    await approve(page);
    await shopper.message('complete');
    expect(resumes).to.have.length(1);
  });

  itInRest('works without script on a page of its own', async () => {
    const { page: path } = await challenged(http);
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`http://127.0.0.1:${http.port}${path}`);
    await page.getByText('10.00 EUR').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'You are back from your bank' }).waitFor();
    expect(new URL(page.url()).searchParams.get('resumeToken')).to.match(/^res_/);
  });
});
