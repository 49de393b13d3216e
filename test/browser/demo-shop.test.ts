// The demo shop in a browser, from the first product to the order page, with the cards that a merchant tries first.
import { expect } from 'chai';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import { CARDS } from '../support/http-merchant.ts';
import type { HttpService } from '../support/http-service.ts';
import { openDemoShop } from '../support/open-demo-shop.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { axeViolations } from './support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { NARROW, screenshot, WIDE } from './support/screenshot.ts';

describeInBrowser('the demo shop', () => {
  const browser = openBrowser();
  let http: HttpService;
  let url: string;
  let close: () => Promise<void>;
  const ending = new AbortController();
  let notifying: Promise<void>;
  before(async () => {
    ({ http, url, close } = await openDemoShop());
    const { sandbox } = http.stores;
    await sandbox.connect({ accountId: http.shop.accountId, apiKey: http.shop.key });
    notifying = sandbox.run(`http://127.0.0.1:${http.port}`, ending.signal);
  });
  after(async () => {
    ending.abort();
    await notifying;
    await close();
  });

  const frameOf = (page: Page): FrameLocator => page.frameLocator('#checkout iframe');
  const order = async (page: Page, ...products: readonly string[]): Promise<void> => {
    for (const product of products) {
      await page.goto(url);
      await page.getByRole('button', { name: `Add to cart ${product}` }).click();
    }
    await page.getByRole('link', { name: 'Check out' }).click();
    await frameOf(page).locator('button.pay').waitFor();
  };
  const fill = async (page: Page, number: string): Promise<void> => {
    const frame = frameOf(page);
    await frame.locator('[name=number]').fill(number);
    await frame.locator('[name=expiry]').fill('12 / 39');
    await frame.locator('[name=cvc]').fill('123');
    await frame.locator('[name=name]').fill('Ada Lovelace');
  };
  const pay = (page: Page): Promise<void> => frameOf(page).locator('button.pay').click();
  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
  const charged = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

  it('sells with a plain card: the cart is paid once, and is empty afterwards', async () => {
    const page = await browser.newPage();
    const troubles = troublesOf(page);
    const before = await charged();
    await order(page, 'Ledger notebook', 'Bottle of ink', 'Bottle of ink');
    expect(await frameOf(page).locator('button.pay').innerText()).to.contain('49.20');
    await fill(page, CARDS.approved);
    await pay(page);
    await heading(page, 'Thank you for your payment');
    expect(await page.locator('main').innerText())
      .to.contain('€49.20')
      .and.contain('•••• 4242');
    await page.getByRole('link', { name: 'Cart 0 items' }).waitFor();
    expect((await charged()) - before).to.equal(1);
    expect(troubles).to.deep.equal([]);
  });

  it('takes another card after a declined one', async () => {
    const page = await browser.newPage();
    await order(page, 'Paper clips');
    await fill(page, CARDS.declined);
    await pay(page);
    await frameOf(page).getByRole('alert').waitFor();
    await fill(page, CARDS.approved);
    await pay(page);
    await heading(page, 'Thank you for your payment');
  });

  it('leads over a challenge of the bank to an order that is paid', async () => {
    const page = await browser.newPage();
    const troubles = troublesOf(page);
    await order(page, 'Desk lamp');
    await fill(page, CARDS.challenged);
    await pay(page);
    await page
      .frameLocator('[data-counterfoil=challenge] iframe')
      .frameLocator('iframe')
      .getByRole('button', { name: 'Approve' })
      .click();
    await heading(page, 'Thank you for your payment');
    expect(await page.locator('main').innerText()).to.contain('•••• 3220');
    expect(troubles).to.deep.equal([]);
  });

  it('waits with a pending card, and the order page shows the result automatically', async () => {
    const page = await browser.newPage();
    await order(page, 'Letter set');
    await fill(page, CARDS.pendingForEver);
    await pay(page);
    await page.getByRole('link', { name: 'View your order' }).click();
    await heading(page, 'Waiting for your bank');
    expect(await page.locator('main').innerText()).to.contain('do not pay again');
    http.world.advance(31_000);
    http.service.lookAtOnce();
    await heading(page, 'Thank you for your payment');
  });

  it('shows a refund automatically, and the outcome of a payment whose page was closed', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await order(page, 'Letter set');
    await fill(page, CARDS.pendingForEver);
    await pay(page);
    await page.getByRole('link', { name: 'View your order' }).click();
    await heading(page, 'Waiting for your bank');
    const orderUrl = page.url();
    const id = (await page.locator('.facts dd').allInnerTexts()).find((text) => text.startsWith('pay_')) ?? '';
    await page.close();
    http.world.advance(31_000);
    http.service.lookAtOnce();
    const again = await context.newPage();
    await again.goto(orderUrl);
    await heading(again, 'Thank you for your payment');
    expect((await http.shop.ask('POST', `/payments/${id}/refund`, { amount: 500 })).status).to.equal(200);
    await heading(again, 'Your order was partly refunded');
    await screenshot(again, 'shop-order-part-refunded');
    await http.shop.ask('POST', `/payments/${id}/refund`, {});
    await heading(again, 'Your order was refunded');
    await screenshot(again, 'shop-order-refunded');
    expect(await axeViolations(again)).to.deep.equal([]);
  });

  const DAY_MS = 86_400_000;
  const choose = (page: Page, method: string): Promise<void> => frameOf(page).locator(`[value=${method}]`).check();
  const laterBy = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };
  const debit = async (page: Page, iban: string): Promise<void> => {
    await order(page, 'Desk lamp');
    await choose(page, 'SEPA_DEBIT');
    await frameOf(page).locator('[name=iban]').fill(iban);
    await frameOf(page).locator('[name=holder]').fill('Ada Lovelace');
    await frameOf(page).locator('[name=consent]').check();
    await pay(page);
    await heading(page, 'Your direct debit is on its way');
  };
  const facts = (page: Page): Promise<string> => page.locator('.facts').innerText();

  it('sells by the page of a bank, and the order says so', async () => {
    const page = await browser.newPage();
    const troubles = troublesOf(page);
    await order(page, 'Paper clips');
    await choose(page, 'IDEAL');
    const [bank] = await Promise.all([page.waitForEvent('popup'), pay(page)]);
    await bank.getByRole('button', { name: 'Pay', exact: true }).click();
    await heading(page, 'Thank you for your payment');
    expect(await facts(page)).to.contain('iDEAL');
    expect(troubles).to.deep.equal([]);
  });

  it('leads a shopper who left the page of a bank there again, from the payment page and from the order', async () => {
    const page = await browser.newPage();
    await order(page, 'Paper clips');
    await choose(page, 'IDEAL');
    const [left] = await Promise.all([page.waitForEvent('popup'), pay(page)]);
    await left.close();
    await page.reload();
    const again = frameOf(page).getByRole('button', { name: /iDEAL/ });
    await again.waitFor();
    const orderId = (await wholeLedger(http.stores.sandbox)).at(-1)?.paymentId ?? '';
    const { body } = await http.request('GET', `/payments/${orderId}`, { key: http.shop.key });
    await page.goto(`${url}/orders/${z.looseObject({ orderId: z.string() }).parse(body).orderId}`);
    await heading(page, 'Your payment is not finished');
    await page.getByRole('link', { name: 'Back to the payment' }).click();
    await again.waitFor();
    const [bank] = await Promise.all([page.waitForEvent('popup'), again.click()]);
    await bank.getByRole('button', { name: 'Pay', exact: true }).click();
    await heading(page, 'Thank you for your payment');
  });

  it('waits for a debit, and the order page shows days later that the money came, and weeks later that it went', async () => {
    const page = await browser.newPage();
    await debit(page, 'DE35370400440532013002');
    expect(await facts(page)).to.contain('SEPA direct debit •••• 3002');
    await screenshot(page, 'shop-order-debit');
    laterBy(6 * DAY_MS);
    await heading(page, 'Thank you for your payment');
    laterBy(22 * DAY_MS);
    await heading(page, 'Your bank took the payment back');
    await screenshot(page, 'shop-order-returned');
    expect(await axeViolations(page)).to.deep.equal([]);
  });

  it('says that a debit was refused, and leads back to the payment', async () => {
    const page = await browser.newPage();
    await debit(page, 'DE62370400440532013001');
    laterBy(6 * DAY_MS);
    await heading(page, 'The payment did not go through');
    await page.getByRole('link', { name: 'Back to the payment' }).waitFor();
  });

  it('shows the numbers of a voucher on the order page, which updates when it is paid', async () => {
    const page = await browser.newPage();
    await order(page, 'Letter set');
    await choose(page, 'MULTIBANCO');
    await pay(page);
    const numbers = await frameOf(page).locator('.voucher').innerText();
    await frameOf(page).getByRole('button', { name: 'I have saved the numbers' }).click();
    await heading(page, 'Waiting for your payment');
    const [, reference = ''] = /Reference\n(\d+)/.exec(await facts(page)) ?? [];
    expect(numbers.replaceAll(' ', '')).to.contain(reference).and.to.match(/\d{9}/);
    await screenshot(page, 'shop-order-voucher');
    expect(await axeViolations(page)).to.deep.equal([]);
    const [machine] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Pay the voucher in the sandbox' }).click(),
    ]);
    await machine.getByRole('button', { name: 'Pay', exact: true }).click();
    await machine.getByRole('heading', { name: 'You have paid' }).waitFor();
    laterBy(6_000);
    await heading(page, 'Thank you for your payment');
  });

  it('saves a card, and takes it the next time', async () => {
    const page = await browser.newPage();
    await order(page, 'Fountain pen');
    await fill(page, CARDS.otherApproved);
    await frameOf(page).getByLabel('Save this card for next time').check();
    await pay(page);
    await heading(page, 'Thank you for your payment');
    await order(page, 'Bottle of ink');
    await frameOf(page).getByRole('radio', { name: /4444/ }).waitFor();
    await pay(page);
    await heading(page, 'Thank you for your payment');
    expect(await page.locator('main').innerText()).to.contain('•••• 4444');
  });

  it('charges once when the page is reloaded in mid-payment, and shows the order', async () => {
    const page = await browser.newPage();
    const before = await charged();
    await order(page, 'Desk lamp');
    await fill(page, CARDS.approved);
    const answered = new Promise<void>((resolve) => {
      // The service has the payment, and its answer never reaches the page.
      void page.route('**/checkout/payments', async (route) => {
        await route.fetch();
        resolve();
      });
    });
    await pay(page);
    await answered;
    await page.reload({ waitUntil: 'commit' });
    await heading(page, 'Thank you for your payment');
    expect((await charged()) - before).to.equal(1);
  });

  it('changes the amount in an open checkout after the cart changed in another tab', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await order(page, 'Paper clips');
    const other = await context.newPage();
    await other.goto(url);
    await other.getByRole('button', { name: 'Add to cart Bottle of ink' }).click();
    await other.getByRole('heading', { level: 1, name: 'Cart' }).waitFor();
    await page.reload();
    await frameOf(page)
      .getByRole('button', { name: /24\.30/ })
      .waitFor();
  });

  /** Both themes and both widths; all four where somebody wants pictures. */
  const VIEWS: { readonly [name: string]: BrowserContextOptions } = {
    'wide-light': { viewport: WIDE, colorScheme: 'light' },
    'narrow-dark': { viewport: NARROW, colorScheme: 'dark' },
    ...(process.env['SCREENSHOTS'] !== undefined && {
      'wide-dark': { viewport: WIDE, colorScheme: 'dark' },
      'narrow-light': { viewport: NARROW, colorScheme: 'light' },
    }),
  };
  for (const [name, options] of Object.entries(VIEWS)) {
    it(`has no fault that axe finds, and no page wider than its window: ${name}`, async () => {
      const page = await browser.newPage(options);
      const look = async (what: string): Promise<void> => {
        await screenshot(page, `shop-${what}-${name}`);
        expect(await axeViolations(page), what).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), what).to.equal(true);
      };
      await page.goto(url);
      await look('products');
      await page.goto(`${url}/cart`);
      await look('empty-cart');
      await order(page, 'Ledger notebook', 'Desk lamp');
      await page.locator('summary').click();
      await look('payment');
      await page.goto(`${url}/cart`);
      await look('cart');
      await page.getByRole('link', { name: 'Check out' }).click();
      await fill(page, CARDS.pendingForEver);
      await pay(page);
      await page.getByRole('link', { name: 'View your order' }).waitFor();
      await look('pending');
      await page.getByRole('link', { name: 'View your order' }).click();
      await heading(page, 'Waiting for your bank');
      await look('order-waiting');
      await order(page, 'Paper clips');
      await fill(page, CARDS.approved);
      await pay(page);
      await heading(page, 'Thank you for your payment');
      await look('order-paid');
    });
  }
});
