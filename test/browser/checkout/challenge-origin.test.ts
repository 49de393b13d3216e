// A bank of an origin of its own: the checkout shows the pages of the origins that a processor has named, and of no other (contract §2).
import { expect } from 'chai';
import { CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { openShop, type Shop, visit } from './merchant.ts';

describeInBrowser('a bank of another origin than the service', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  let service: string;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, bankAt: (url) => url.replace('127.0.0.1', 'localhost') });
    service = `http://127.0.0.1:${http.port}`;
    shop = await openShop(service);
  });
  after(async () => {
    shop.close();
    await http.stop();
  });

  it('is shown in the checkout, and leads back to it', async () => {
    const shopper = await visit(await browser.newPage(), shop);
    await shopper.start({ clientToken: await http.shop.session() });
    await shopper.fill(CARDS.challenged);
    await shopper.pay();
    const window = shopper.page.frameLocator('[data-counterfoil=challenge] iframe');
    const bank = (await window.locator('iframe').getAttribute('src')) ?? '';
    expect(new URL(bank).origin).to.equal(`http://localhost:${http.port}`);
    await window.frameLocator('iframe').getByRole('button', { name: 'Approve' }).click();
    await shopper.message('complete');
  });

  it('is not shown unless its processor has named the origin', async () => {
    const page = await browser.newPage();
    const refused: string[] = [];
    page.on('console', (message) => message.text().includes('frame-src') && refused.push(message.text()));
    await page.goto(shop.url);
    const address = `${service}/checkout/frame?account=${http.shop.accountId}&challenge#${new URLSearchParams({ url: `${shop.url}/bank`, title: 'x' })}`;
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(address)} }))`);
    await until(async () => refused.length > 0);
    expect(refused[0]).to.include(shop.url);
    expect(page.frames().some((frame) => frame.url().startsWith(`${shop.url}/bank`))).to.equal(false);
  });
});
