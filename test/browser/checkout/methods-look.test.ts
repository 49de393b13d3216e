// The look of the methods besides cards: accessible in both themes, on a phone and on a wide page, in each state.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { openShop, type Shop, type Shopper, visit } from './merchant.ts';

const DAY_MS = 86_400_000;

describeInBrowser('the look of methods in the checkout', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    shop = await openShop(`http://127.0.0.1:${http.port}`);
  });
  after(async () => {
    shop.close();
    await http.stop();
  });

  const choose = ({ frame }: Shopper, method: string): Promise<void> => frame.locator(`[value=${method}]`).check();
  let orders = 0;
  const shopping = async (page: Page, options: object = {}): Promise<Shopper> => {
    orders += 1;
    const session = { orderId: `look-${orders}`, paymentMethod: { captureMode: 'AUTOMATIC' } };
    const shopper = await visit(page, shop);
    await shopper.start({ clientToken: await http.shop.session(session), ...options });
    await shopper.frame.locator('button.pay').waitFor();
    return shopper;
  };

  for (const theme of ['light', 'dark'] as const) {
    it(`has no violation of WCAG 2.2 AA in any state, ${theme}, wide and narrow`, async () => {
      const page = await browser.newPage({ viewport: WIDE, colorScheme: theme, reducedMotion: 'reduce' });
      await page.clock.install();
      const isFine = async (state: string): Promise<void> => {
        for (const [width, viewport] of Object.entries({ narrow: NARROW, wide: WIDE })) {
          await page.setViewportSize(viewport);
          await screenshot(page, `methods-${state}-${width}-${theme}`);
          expect(await axeViolations(page), `${state}, ${width}`).to.deep.equal([]);
        }
      };
      // axe takes what is see-through for white, so the frame has the page's own ground.
      const options = { appearance: { variables: { colorBackground: theme === 'dark' ? '#0f1218' : '#ffffff' } } };
      const shopper = await shopping(page, options);
      for (const method of [
        'PAYMENT_CARD',
        'APPLE_PAY',
        'GOOGLE_PAY',
        'BANCONTACT',
        'KLARNA',
        'PAYPAL',
        'MULTIBANCO',
      ]) {
        await choose(shopper, method);
        await isFine(`list-${method.toLowerCase()}`);
      }
      await choose(shopper, 'SEPA_DEBIT');
      await shopper.pay();
      await isFine('debit-faults');
      await shopper.frame.locator('[name=iban]').fill('DE89370400440532013000');
      await shopper.frame.locator('[name=holder]').fill('Ada Lovelace');
      await shopper.frame.locator('[name=consent]').check();
      await isFine('debit-filled');
      await shopper.pay();
      await shopper.message('awaiting');
      await isFine('debit-awaiting');
      const { frame } = await shopping(page, options);
      await frame.locator('[value=IDEAL]').check();
      const [bank] = await Promise.all([page.waitForEvent('popup'), shopper.pay()]);
      await bank.waitForLoadState();
      await shopper.message('challenge');
      await isFine('page-open');
      await bank.getByRole('link', { name: 'Leave without paying' }).click();
      await frame.getByText('You have not paid yet.').waitFor();
      await isFine('page-left');
      await frame.locator('button.other').click();
      await frame.locator('.notice p').waitFor();
      await isFine('page-given-up');
      const [again] = await Promise.all([page.waitForEvent('popup'), shopper.pay()]);
      await again.getByRole('button', { name: 'Refuse to pay' }).click();
      await frame.getByText('The payment was declined.').waitFor();
      await isFine('page-declined');
      await shopping(page, options);
      await choose(shopper, 'MULTIBANCO');
      await shopper.pay();
      await shopper.message('voucher');
      await isFine('voucher');
      await frame.locator('button.pay').click();
      await shopper.message('awaiting');
      await isFine('voucher-saved');
      await frame.locator('button.other').click();
      await shopper.message('voucher');
      await page.clock.fastForward(3 * DAY_MS + 60_000);
      await shopper.message('expired');
      await isFine('voucher-expired');
    });
  }

  for (const locale of ['en', 'de', 'fr', 'es', 'it'])
    it(`fits a page of 320 pixels with every method: ${locale}`, async () => {
      const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
      const shopper = await shopping(page, { locale });
      const fits = async (what: string): Promise<void> => {
        await screenshot(page, `methods-320-${what}-${locale}`);
        expect(await shopper.inFrame('document.documentElement.scrollWidth - innerWidth'), what).to.equal(0);
      };
      await choose(shopper, 'SEPA_DEBIT');
      await shopper.pay();
      await fits('debit');
      await choose(shopper, 'MULTIBANCO');
      await shopper.pay();
      await shopper.message('voucher');
      await fits('voucher');
    });
});
