// The look of the checkout: accessible in both themes and in every state, narrow and wide, in the shop's colours and
// languages.
import { expect } from 'chai';
import { CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { openShop, type Shop, visit } from './merchant.ts';

const ORDER = {
  amount: undefined,
  order: {
    lineItems: [
      { name: 'Linen shirt, white', amount: 2500, quantity: 2 },
      { name: 'Wool socks', amount: 900 },
    ],
    shipping: { amount: 490 },
  },
};

describeInBrowser('the look of the checkout', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    shop = await openShop(`http://127.0.0.1:${http.port}`);
    for (const number of [CARDS.approved, CARDS.otherApproved, '378282246310005'])
      await http.shop.vaulted('customer-look', number);
  });
  after(async () => {
    shop.close();
    await http.stop();
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`has no violation of WCAG 2.2 AA in any state, ${theme}, wide and narrow`, async () => {
      const shopper = await visit(
        await browser.newPage({ viewport: WIDE, colorScheme: theme, reducedMotion: 'reduce' }),
        shop,
      );
      const { page, frame } = shopper;
      const isFine = async (state: string): Promise<void> => {
        for (const [width, viewport] of Object.entries({ narrow: NARROW, wide: WIDE })) {
          await page.setViewportSize(viewport);
          await screenshot(page, `checkout-${state}-${width}-${theme}`);
          expect(await axeViolations(page), `${state}, ${width}`).to.deep.equal([]);
        }
      };
      // axe takes what is see-through for white, so the frame has the page's own ground.
      const appearance = { variables: { colorBackground: theme === 'dark' ? '#0f1218' : '#ffffff' } };
      await shopper.start({
        clientToken: await http.shop.session({ ...ORDER, customerId: 'customer-look' }),
        appearance,
      });
      await frame.getByRole('radio').first().waitFor();
      await isFine('saved');
      await frame.getByRole('radio', { name: 'Another card' }).check();
      await shopper.pay();
      await isFine('faults');
      await shopper.fill('4000000000009995');
      await shopper.pay();
      await frame.locator('.notice p').waitFor();
      await isFine('declined');
      await shopper.fill(CARDS.pendingForEver);
      await shopper.pay();
      await shopper.message('pending');
      await isFine('pending');
      http.world.advance(31_000);
      http.service.lookAtOnce();
      await shopper.message('complete');
      await isFine('complete');
    });
  }

  it('fits a page of 320 pixels, and grows with what it shows', async () => {
    const shopper = await visit(await browser.newPage({ viewport: { width: 320, height: 640 } }), shop);
    await shopper.start({
      clientToken: await http.shop.session({ ...ORDER, customerId: 'customer-look' }),
      locale: 'de',
    });
    await shopper.frame.getByRole('radio').first().waitFor();
    const heightOf = async (): Promise<number> =>
      (await shopper.page.locator('#pay iframe').boundingBox())?.height ?? 0;
    const before = await heightOf();
    await shopper.frame.getByRole('radio', { name: 'Andere Karte' }).check();
    await shopper.page.waitForFunction(`document.querySelector('#pay iframe').offsetHeight > ${before}`);
    await screenshot(shopper.page, 'checkout-320');
    expect(await shopper.page.evaluate('document.documentElement.scrollWidth')).to.equal(320);
    expect(await shopper.inFrame('document.documentElement.scrollWidth - innerWidth')).to.equal(0);
    expect(
      await shopper.inFrame("document.querySelector('main').getBoundingClientRect().height - innerHeight"),
    ).to.be.below(1);
  });

  it("takes the shop's colours and language, and changes them while a card is typed", async () => {
    const shopper = await visit(await browser.newPage({ viewport: NARROW }), shop);
    const appearance = {
      theme: 'light',
      variables: { colorPrimary: '#ffd400', borderRadius: '0px', fontFamily: 'Georgia, serif', fontSize: '18px' },
    };
    await shopper.start({ clientToken: await http.shop.session(ORDER), locale: 'fr-FR', appearance });
    await shopper.fill(CARDS.approved);
    const button = shopper.frame.locator('button.pay');
    expect((await button.innerText()).replaceAll(/\s/g, ' ')).to.equal('Payer 63,90 €');
    const style =
      "((style) => [style.backgroundColor, style.color, style.borderRadius])(getComputedStyle(document.querySelector('button.pay')))";
    expect(await shopper.inFrame(style)).to.deep.equal(['rgb(255, 212, 0)', 'rgb(0, 0, 0)', '0px']);
    await screenshot(shopper.page, 'checkout-french');
    expect(await axeViolations(shopper.page)).to.deep.equal([]);
    await shopper.page.evaluate(
      "checkout.update({ locale: 'it', appearance: { theme: 'dark', variables: { colorPrimary: '#12724a' } } })",
    );
    await shopper.frame.getByLabel('Numero della carta').waitFor();
    expect(await shopper.frame.locator('[name=number]').inputValue()).to.equal('4242 4242 4242 4242');
    await shopper.inFrame(
      "Promise.all(document.querySelector('button.pay').getAnimations().map(({ finished }) => finished))",
    );
    expect(await shopper.inFrame(style)).to.deep.equal(['rgb(18, 114, 74)', 'rgb(255, 255, 255)', '8px']);
  });

  it('refuses styles that are not values, in the page of the shop', async () => {
    const shopper = await visit(await browser.newPage(), shop);
    const clientToken = await http.shop.session();
    const told = await shopper.page
      .evaluate(
        `start(${JSON.stringify({ clientToken, appearance: { variables: { colorText: 'url(//evil.example)' } } })})`,
      )
      .catch(String);
    expect(told).to.contain('TypeError: Counterfoil: not allowed: appearance.variables.colorText');
    expect(await shopper.page.locator('#pay iframe').count()).to.equal(0);
  });
});
