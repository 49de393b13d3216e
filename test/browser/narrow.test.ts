// What tells one row from another on a narrow screen: the last digits of a test card, and the reason of a refusal.
import { expect } from 'chai';
import { describeInBrowser } from './support/browser.ts';
import { NARROW, screenshot } from './support/screenshot.ts';
import { openShopInBrowser, openSignedIn } from './support/signed-in.ts';

const DECLINED = '4000000000000002';

/** The numbers of test cards that the edge of their cell cuts. */
const CUT = `[...document.querySelectorAll('button[aria-label^="Copy card number"] > span')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

describeInBrowser('lists on a narrow screen', () => {
  const { browser, dashboard, shop } = openShopInBrowser();

  it('show the last digits of each test card, none of them cut', async () => {
    const page = await openSignedIn(browser, dashboard, '/developers/sandbox', 'developer');
    const number = page
      .getByRole('button', { name: /^Copy card number 4242/ })
      .locator('span')
      .first();
    await number.waitFor();
    expect(await number.innerText()).to.equal('4242 4242 4242 4242');
    await page.setViewportSize(NARROW);
    expect(await number.innerText()).to.equal('… 4242');
    expect(await page.evaluate(CUT)).to.deep.equal([]);
    await screenshot(page, 'sandbox-cards-390');
  });

  it('give the reason of a refusal a line of its own, without the article that all reasons begin with', async () => {
    await shop.paid({ session: { orderId: 'order-declined' }, card: DECLINED });
    const page = await openSignedIn(browser, dashboard, '/payments?status=DECLINED,FAILED', 'support');
    await page.getByRole('cell', { name: /^Issuer declined/ }).waitFor();
    await page.setViewportSize(NARROW);
    const reason = page.getByRole('list', { name: 'Payments' }).getByText(/^Issuer declined/);
    await reason.waitFor();
    expect(await reason.textContent()).to.not.include('·');
    await screenshot(page, 'declined-390');
  });
});
