// The checkout on a page that is loaded again, loses its connection, goes back, or is hostile (contract §3).
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { openPlaces, openShop, type Shopper, visit } from './merchant.ts';

const List = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });
const PAYMENTS = '**/checkout/payments';

/**
 * Lets a payment reach the service, and keeps its answer from the page: `reached` resolves when the service has
 * answered.
 */
function heldAnswer(): { readonly prepare: (page: Page) => Promise<void>; readonly reached: Promise<void> } {
  let tell: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const prepare = async (page: Page): Promise<void> => {
    await page.route(
      PAYMENTS,
      async (route) => {
        await route.fetch();
        tell();
      },
      { times: 1 },
    );
  };
  return { prepare, reached };
}

describeInBrowser('the checkout under misfortune and attack', () => {
  const browser = openBrowser();
  const places = openPlaces();

  const paymentsOf = async (orderId: string) =>
    bodyOf(await places.http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data;
  /** `prepare`: before the page is loaded; Chromium takes a request that outlives its page past later routes. */
  const ready = async (
    orderId: string,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<Shopper & { readonly clientToken: string }> => {
    const clientToken = await places.http.shop.session({ orderId });
    const page = await browser.newPage();
    await prepare?.(page);
    const shopper = await visit(page, places.shop);
    await shopper.start({ clientToken });
    return { ...shopper, clientToken };
  };

  it('finds its payment after a reload in mid-payment, and pays no second time', async () => {
    const held = heldAnswer();
    const shopper = await ready('order-reload', held.prepare);
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await held.reached;
    await shopper.page.reload();
    await shopper.start({ clientToken: shopper.clientToken });
    await shopper.message('complete');
    expect((await shopper.news()).at(-1)).to.include({ kind: 'complete', resumed: true });
    expect(await paymentsOf('order-reload')).to.have.length(1);
  });

  it('goes on waiting after a reload while the outcome is not known', async () => {
    const shopper = await ready('order-reload-pending');
    await shopper.fill(CARDS.pendingForEver);
    await shopper.pay();
    await shopper.message('pending');
    await shopper.page.reload();
    await shopper.start({ clientToken: shopper.clientToken });
    await shopper.message('pending');
    expect((await paymentsOf('order-reload-pending')).map(({ status }) => status)).to.deep.equal(['PENDING']);
  });

  it('says that the connection is lost while it waits, and not that the bank is slow', async () => {
    const shopper = await ready('order-offline');
    await shopper.fill(CARDS.pendingForEver);
    await shopper.pay();
    await shopper.message('pending');
    await shopper.page.context().setOffline(true);
    await shopper.message('offline');
    await shopper.page.context().setOffline(false);
    await shopper.message('pending');
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'pending']);
    expect((await paymentsOf('order-offline')).map(({ status }) => status)).to.deep.equal(['PENDING']);
  });

  it('shows the payment after the shopper went on and came back', async () => {
    const held = heldAnswer();
    const shopper = await ready('order-back', held.prepare);
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await held.reached;
    await shopper.page.getByRole('link', { name: 'Elsewhere' }).click();
    await shopper.page.waitForURL('**/elsewhere');
    await shopper.page.goBack();
    await shopper.page.waitForURL(`${places.shop.url}/`);
    await shopper.page.waitForFunction('window.isReady');
    if ((await shopper.page.evaluate('typeof window.checkout')) === 'undefined')
      await shopper.start({ clientToken: shopper.clientToken });
    await shopper.message('complete');
    expect(await paymentsOf('order-back')).to.have.length(1);
  });

  it('sends the same payment again under the same key when its answer was lost, and it is one payment', async () => {
    const keys: (string | undefined)[] = [];
    const bodies: (string | null)[] = [];
    const loseFirst = async (page: Page): Promise<void> => {
      await page.route(PAYMENTS, async (route) => {
        keys.push(route.request().headers()['x-idempotency-key']);
        bodies.push(route.request().postData());
        await route.fetch();
        if (keys.length < 2) await route.abort('connectionreset');
        else await route.continue();
      });
    };
    const shopper = await ready('order-lost-answer', loseFirst);
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(keys.length).to.be.above(1);
    expect(new Set(keys)).to.have.property('size', 1);
    expect(new Set(bodies)).to.have.property('size', 1);
    expect(bodies[0]).to.contain('"shown":{"amount":1000,"currencyCode":"EUR"}');
    expect(keys[0]).to.match(/^[\w-]{36}$/);
    expect(await paymentsOf('order-lost-answer')).to.have.length(1);
  });

  it('pays once from two tabs, and the second one shows the payment of the first', async () => {
    const one = await ready('order-tabs');
    const two = await visit(await browser.newPage(), places.shop);
    await two.start({ clientToken: one.clientToken });
    await Promise.all([one.fill(CARDS.approved), two.fill(CARDS.otherApproved)]);
    await Promise.all([one.pay(), two.pay()]);
    await Promise.all([one.message('complete'), two.message('complete')]);
    const ids = await Promise.all(
      [one, two].map(async ({ news }) => (await news()).find(({ kind }) => kind === 'complete')?.paymentId),
    );
    expect(ids[0]).to.equal(ids[1]);
    expect(await paymentsOf('order-tabs')).to.have.length(1);
  });

  it('keeps the card out of the page around it, its requests and every URL', async () => {
    const clientToken = await places.http.shop.session({ orderId: 'order-secret' });
    const page = await browser.newPage();
    const troubles = troublesOf(page);
    const withCard: string[] = [];
    const urls: string[] = [];
    page.on('request', (request) => {
      urls.push(request.url());
      if (/4242.?4242/.test(request.postData() ?? ''))
        withCard.push(`${request.method()} ${request.url()} from ${new URL(request.frame().url()).pathname}`);
    });
    const shopper = await visit(page, places.shop);
    await page.evaluate(
      "window.heard = []; addEventListener('message', (event) => heard.push(JSON.stringify(event.data)))",
    );
    await shopper.start({ clientToken });
    await shopper.fill('4242 4242 4242 4242');
    await shopper.pay();
    await shopper.message('complete');
    expect(withCard).to.deep.equal([`POST ${places.service}/checkout/payment-instruments from /checkout/frame`]);
    const around = await page.evaluate(
      'JSON.stringify([document.documentElement.outerHTML, heard, news, {...localStorage}, {...sessionStorage}, document.cookie])',
    );
    expect(around)
      .to.be.a('string')
      .that.does.not.match(/4242|"123"/);
    const kept = await shopper.inFrame('JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])');
    // The name of the method, and nothing of the card.
    expect(kept).to.equal('[{"counterfoil:method":"PAYMENT_CARD"},{},""]');
    expect(urls.filter((url) => url.includes(clientToken) || url.includes(clientToken.slice(-20)))).to.deep.equal([]);
    expect(troubles).to.deep.equal([]);
  });

  it('cannot be read by the page around it', async () => {
    const shopper = await ready('order-unreadable');
    await shopper.frame.locator('button.pay').waitFor();
    const seen = await shopper.page.evaluate(`(() => {
      const frame = document.querySelector('#pay iframe');
      try { return [frame.contentDocument, String(frame.contentWindow.document)]; } catch (error) { return [frame.contentDocument, error.name]; }
    })()`);
    expect(seen).to.deep.equal([null, 'SecurityError']);
    expect(await shopper.page.locator('#pay iframe').getAttribute('sandbox')).to.equal(
      'allow-scripts allow-same-origin allow-forms',
    );
  });

  it('listens to the page around it alone, and the page to the frame alone', async () => {
    const stranger = await openShop(places.service);
    const clientToken = await places.http.shop.session({ orderId: 'order-hostile' });
    const account = JSON.parse(Buffer.from(clientToken.split('.')[1] ?? '', 'base64url').toString()).acc;
    const page = await browser.newPage();
    await page.goto(places.shop.url);
    // The card frame without the SDK, and a frame of a stranger beside it, which tries to connect first.
    await page.evaluate(`new Promise((loaded) => {
      addEventListener('message', ({ data }) => data.counterfoil === 'counterfoil-frame-1' && loaded());
      document.querySelector('#pay').innerHTML = '<iframe id="card" src="${places.service}/checkout/frame?account=${account}"></iframe><iframe id="stranger" src="${stranger.url}"></iframe>';
    })`);
    await page.frameLocator('#stranger').locator('h1').waitFor();
    const connect = (locale: string): string =>
      `postMessage({ counterfoil: 'counterfoil-sdk-1', configuration: { clientToken: '${clientToken}', locale: '${locale}', appearance: {}, orderSummary: true } }, '*', [new MessageChannel().port2])`;
    const strange = page.frames().find((frame) => frame.url().startsWith(stranger.url));
    await strange?.evaluate(`parent.frames[0].${connect('fr')}`);
    await page.evaluate(`frames[0].${connect('de')}`);
    await page.frameLocator('#card').getByText('Kartennummer').waitFor();

    // The page of a shop with the SDK: a stranger's hello gets no token, and a stranger's words change nothing.
    const shopper = await ready('order-hostile-2');
    await shopper.frame.locator('button.pay').waitFor();
    await shopper.page.evaluate(`new Promise((loaded) => {
      const frame = document.createElement('iframe');
      frame.src = '${stranger.url}';
      frame.onload = loaded;
      document.body.append(frame);
    })`);
    const other = shopper.page.frames().find((frame) => frame.url().startsWith(stranger.url));
    const heard = await other?.evaluate(`(async () => {
      const heard = [];
      addEventListener('message', ({ data }) => heard.push(data));
      parent.postMessage({ counterfoil: 'counterfoil-frame-1' }, '*');
      parent.postMessage({ kind: 'complete', payment: { paymentId: 'pay_x', status: 'SETTLED', amount: 1, currencyCode: 'EUR' } }, '*');
      await new Promise((done) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(0); });
      return heard;
    })()`);
    await shopper.page.evaluate('checkout.refresh()');
    expect(heard).to.deep.equal([]);
    expect((await shopper.news()).map(({ kind }) => kind)).to.deep.equal(['state', 'state']);
    stranger.close();
  });

  it('shows a button in place of a frame that cannot load, tells the shop, and pays after it', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.clock.install();
    await page.route('**/checkout/frame?*', (route) => route.abort('connectionrefused'));
    const shopper = await visit(page, places.shop);
    await shopper.start({ clientToken: await places.http.shop.session({ orderId: 'order-no-frame' }) });
    expect(await page.locator('#pay iframe').isVisible()).to.equal(false);
    await page.clock.runFor(70_000); // Three attempts of 20 s at most, with two pauses.
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await shopper.states()).to.deep.equal(['loading', 'unavailable']);
    expect((await shopper.news()).find(({ kind }) => kind === 'error')).to.include({ code: 'frame_unreachable' });
    await page.unroute('**/checkout/frame?*');
    await again.click();
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal(['loading', 'unavailable', 'loading', 'ready', 'paying', 'complete']);
    await page.context().close();
  });

  it('takes no token of an account that its address does not name', async () => {
    const clientToken = await places.http.other.session();
    const page = await browser.newPage();
    await page.goto(places.shop.url);
    await page.evaluate(
      `document.querySelector('#pay').innerHTML = '<iframe src="${places.service}/checkout/frame?account=acc_another"></iframe>'`,
    );
    await page.frameLocator('#pay iframe').locator('main').waitFor({ state: 'attached' });
    await page.waitForFunction('frames.length === 1');
    await page.frames()[1]?.waitForLoadState('load');
    await page.evaluate(
      `frames[0].postMessage({ counterfoil: 'counterfoil-sdk-1', configuration: { clientToken: '${clientToken}', locale: 'en' } }, '*', [new MessageChannel().port2])`,
    );
    await page.frameLocator('#pay iframe').locator('[data-message=expired]').waitFor();
  });
});
