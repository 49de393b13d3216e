// A bank of an origin of its own: the checkout shows the pages of the origins that a processor has named, and of no
// other (contract §3).
import { expect } from 'chai';
import { CARDS } from '../../support/http-merchant.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { openPlaces, visit } from './merchant.ts';

describeInBrowser('a bank of another origin than the service', () => {
  const browser = openBrowser();
  const places = openPlaces({ bankAt: (url) => url.replace('127.0.0.1', 'localhost') });

  it('is shown in the checkout, and leads back to it', async () => {
    const shopper = await visit(await browser.newPage(), places.shop);
    await shopper.start({ clientToken: await places.http.shop.session() });
    await shopper.fill(CARDS.challenged);
    await shopper.pay();
    const window = shopper.page.frameLocator('[data-counterfoil=challenge] iframe');
    const bank = (await window.locator('iframe').getAttribute('src')) ?? '';
    expect(new URL(bank).origin).to.equal(`http://localhost:${places.http.port}`);
    await window.frameLocator('iframe').getByRole('button', { name: 'Approve' }).click();
    await shopper.message('complete');
  });

  it('is not shown unless its processor has named the origin', async () => {
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (message) => message.text().includes('frame-src') && refused.push(message.text()));
    await page.goto(places.shop.url);
    const address = `${places.service}/checkout/frame?account=${places.http.shop.accountId}&challenge#${new URLSearchParams({ url: `${places.shop.url}/bank`, title: 'x' })}`;
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(address)} }))`,
    );
    await until(async () => refused.length > 0);
    expect(refused[0]).to.include(places.shop.url);
    expect(page.frames().some((frame) => frame.url().startsWith(`${places.shop.url}/bank`))).to.equal(false);
  });
});
