// The page of a payment link: paid once, and looked at in both themes, on a phone and in another language.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { CARDS } from '../support/http-merchant.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';

const Link = z.looseObject({ id: z.string(), url: z.string(), status: z.string() });
type Link = z.infer<typeof Link>;

const ORDER = {
  orderId: 'order-7',
  currencyCode: 'EUR',
  order: { lineItems: [{ name: 'Linen shirt', amount: 2_500, quantity: 2 }], shipping: { amount: 490 } },
};

describeInBrowser('the page of a payment link', function payPage(this: Mocha.Suite) {
  this.timeout(120_000);
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const linked = async (fields: object = ORDER): Promise<Link> =>
    Link.parse(await shopOf(dashboard).ask('/payment-links', fields));
  const opened = async ({ url }: Link, locale = 'en'): Promise<Page> => {
    const page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce', locale });
    await page.goto(url);
    return page;
  };
  const pay = async (page: Page, number: string = CARDS.approved): Promise<void> => {
    const frame = page.frameLocator('iframe');
    await frame.locator('[name=number]').fill(number);
    await frame.locator('[name=expiry]').fill('12 / 39');
    await frame.locator('[name=cvc]').fill('123');
    await frame.locator('[name=name]').fill('Ada Lovelace');
    await frame.locator('button.pay').click();
  };
  /** axe takes what is see-through for white, so the frame gets the ground that is below it. */
  const groundOf = async (page: Page): Promise<void> => {
    const frame = page.frames().find((one) => one.url().includes('/checkout/frame?'));
    await frame?.evaluate("document.body.style.background = 'light-dark(#fff, #171b23)'");
  };
  const messageIn = (page: Page, kind: string): Promise<void> =>
    page.frameLocator('iframe').locator(`[data-message=${kind}]`).waitFor();
  const statusOf = async ({ id }: Link): Promise<string> =>
    Link.parse((await dashboard.ask('owner', 'GET', `/dashboard/api/payment-links/${id}`)).body).status;

  it('shows the order, and takes one payment', async () => {
    const link = await linked();
    const page = await opened(link);
    const troubles = troublesOf(page);
    await page.getByRole('heading', { level: 1, name: 'Pay Default' }).waitFor();
    await page.getByText('Order order-7').waitFor();
    await page.frameLocator('iframe').getByRole('button', { name: 'Pay €54.90' }).waitFor();
    await groundOf(page);
    const look = new Look(page);
    await look.atPage('pay-page');
    await pay(page);
    await messageIn(page, 'complete');
    await page.getByText('You can close this page.').waitFor();
    await look.atPage('pay-page-paid');
    look.end();
    expect(await statusOf(link)).to.equal('PAID');
    // Chromium says so of each sandboxed frame of its own origin; the sandbox still forbids it to lead the page.
    expect(troubles.filter((one) => !one.includes('can escape its sandboxing'))).to.deep.equal([]);
  });

  it('says to a second visitor that it is paid, and to who had it open already', async () => {
    const link = await linked();
    const [first, second] = [await opened(link), await opened(link)];
    await second.frameLocator('iframe').locator('[name=number]').waitFor();
    await pay(first);
    await messageIn(first, 'complete');
    await pay(second);
    await messageIn(second, 'complete');
    const late = await opened(link);
    await late.getByRole('heading', { name: 'This is paid' }).waitFor();
    const look = new Look(late);
    await look.atPage('pay-page-already-paid');
    look.end();
    const { data } = z
      .looseObject({ data: z.array(z.unknown()) })
      .parse((await dashboard.ask('owner', 'GET', '/dashboard/api/payments?status=AUTHORIZED&limit=100')).body);
    expect(data).to.have.length(2);
  });

  it('says that a link has ended, or does not exist, in the language of the browser', async () => {
    const link = await linked();
    const page = await opened(link, 'de-CH');
    await page.getByRole('heading', { name: 'Zahlung an Default' }).waitFor();
    await page.frameLocator('iframe').getByLabel('Kartennummer').waitFor();
    await dashboard.ask('owner', 'POST', `/dashboard/api/payment-links/${link.id}/cancel`, {});
    await pay(page); // the page asks again, and learns that the link has ended
    await page.getByRole('heading', { name: 'Dieser Zahlungslink ist nicht mehr gültig' }).waitFor();
    const other = await opened({ ...link, url: link.url.slice(0, -4) }, 'fr');
    await other.getByRole('heading', { name: 'Ce lien de paiement n’existe pas' }).waitFor();
    const look = new Look(other);
    await look.atPage('pay-page-unknown');
    look.end();
  });

  it('says why a card was declined, and takes another one', async () => {
    const page = await opened(await linked());
    await pay(page, '4000000000009995');
    await page.frameLocator('iframe').getByRole('alert').getByText('This card has insufficient funds.').waitFor();
    await pay(page);
    await messageIn(page, 'complete');
  });
});
