// 3-D Secure in the checkout: the bank's page over the shop's page, and the ways back from it (contract §4).
import { expect } from 'chai';
import type { FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { openShop, type Shop, type Shopper, visit } from './merchant.ts';

const List = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });

/** The bank's page over the page of the shop. */
const bankOn = (page: Page): FrameLocator => page.frameLocator('[data-counterfoil=challenge] iframe');

describeInBrowser('a challenge in the checkout', () => {
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

  let orders = 0;
  /** A shopper who has pressed the button with this card. */
  const paying = async (number: string): Promise<Shopper & { readonly orderId: string; readonly clientToken: string }> => {
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
  const paymentsOf = async (orderId: string) => bodyOf(await http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data;

  it('is shown over the shop, and the payment is paid once the shopper has approved', async () => {
    const shopper = await paying(CARDS.challenged);
    const troubles = troublesOf(shopper.page);
    const dialog = shopper.page.getByRole('dialog', { name: 'Confirm the payment with your bank' });
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
});
