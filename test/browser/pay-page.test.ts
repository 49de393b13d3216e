// The page of a payment link: paid once, by a card form or a processor's own fields, never after its end; an outcome
// that is not known yet; looked at in both themes, on a phone and in another language.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { openConnectedDashboard } from '../support/connected-dashboard.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { CARDS } from '../support/http-merchant.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';

const Link = z.looseObject({ id: z.string(), url: z.string(), status: z.string() });
type Link = z.infer<typeof Link>;
const Listed = z.looseObject({ data: z.array(z.looseObject({ status: z.string() })) });
/** Pending, and declined 5 s later. */
const PENDING_THEN_DECLINED = '4000009900001028';
const HOUR_MS = 3_600_000;

const ORDER = {
  orderId: 'order-7',
  currencyCode: 'EUR',
  order: { lineItems: [{ name: 'Linen shirt', amount: 2_500, quantity: 2 }], shipping: { amount: 490 } },
};

describeInBrowser('the page of a payment link', function payPage(this: Mocha.Suite) {
  const browser = openBrowser();
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const linked = async (fields: object = ORDER, at: Pick<Dashboard, 'url' | 'key'> = dashboard): Promise<Link> =>
    Link.parse(await shopOf(at).ask('/payment-links', fields));
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
  const paymentsOf = async (orderId: string): Promise<readonly string[]> => {
    const { body } = await dashboard.ask('owner', 'GET', `/dashboard/api/payments?order_id=${orderId}`);
    return Listed.parse(body).data.map(({ status }) => status);
  };
  const advance = async (byMs: number): Promise<void> => {
    const { status, text } = await dashboard.ask('owner', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    expect(status, text).to.equal(200);
  };
  /** axe takes what is see-through for white, so the frame gets the ground that is below it. */
  const groundOf = async (page: Page): Promise<void> => {
    const frame = page.frames().find((one) => /\/checkout\/(frame|fields)\?/.test(one.url()));
    await frame?.evaluate("document.body.style.background = 'light-dark(#fff, #171b23)'");
    for (const own of frame?.childFrames() ?? [])
      await own.addStyleTag({ content: '@media (prefers-color-scheme: dark) { body { background: #171b23 } }' });
  };
  const messageIn = (page: Page, kind: string): Promise<void> =>
    page.frameLocator('iframe').locator(`[data-message=${kind}]`).waitFor();
  const statusOf = async ({ id }: Link): Promise<string> =>
    Link.parse((await dashboard.ask('owner', 'GET', `/dashboard/api/payment-links/${id}`)).body).status;

  it('shows the order, and takes one payment', async () => {
    const link = await linked();
    const page = await opened(link);
    const troubles = troublesOf(page);
    await page.getByRole('heading', { level: 1, name: 'Your payment' }).waitFor();
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
    await dashboard.ask('owner', 'PATCH', '/dashboard/api/account', { name: 'Corner shop' });
    await until(async () => (await dashboard.service.queries.readShopName(dashboard.accountId)) === 'Corner shop');
    const link = await linked();
    const page = await opened(link, 'de-CH');
    await page.getByRole('heading', { name: 'Zahlung an Corner shop' }).waitFor();
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

  it('takes one payment from two browsers that press at the same moment', async () => {
    const link = await linked({ ...ORDER, orderId: 'order-at-once' });
    const pages = [await opened(link), await opened(link)];
    await Promise.all(pages.map((page) => pay(page)));
    await Promise.all(pages.map((page) => messageIn(page, 'complete')));
    expect(await paymentsOf('order-at-once')).to.deep.equal(['AUTHORIZED']);
  });

  it('says of an unknown outcome that it is not known, in every browser, and shows it when it is', async () => {
    const link = await linked({ ...ORDER, orderId: 'order-unknown' });
    const page = await opened(link);
    await pay(page, CARDS.unknown);
    await messageIn(page, 'pending');
    const other = await opened(link);
    await messageIn(other, 'pending');
    for (const one of [page, other]) {
      expect(await one.frameLocator('iframe').locator('main').innerText())
        .to.contain('Please do not pay again')
        .and.not.to.match(/fail|declin/i);
      expect(await one.getByText('Pay by').isVisible()).to.equal(false);
      expect(await one.frameLocator('iframe').locator('[name=number]').count()).to.equal(0);
    }
    expect(await statusOf(link)).to.equal('PROCESSING');
    await groundOf(page);
    const look = new Look(page);
    await look.atPage('pay-page-pending');
    look.end();
    await advance(31_000);
    for (const one of [page, other]) {
      await messageIn(one, 'complete');
      await one.getByText('You can close this page.').waitFor();
    }
    expect(await paymentsOf('order-unknown')).to.deep.equal(['AUTHORIZED']);
  });

  it('takes another card once a pending payment was declined, and says that nothing was charged', async () => {
    const page = await opened(await linked({ ...ORDER, orderId: 'order-declined-later' }));
    await pay(page, PENDING_THEN_DECLINED);
    await messageIn(page, 'pending');
    await advance(6_000);
    await page.frameLocator('iframe').getByRole('alert').getByText('You were not charged').waitFor();
    await page.getByText('Pay by').waitFor();
    await pay(page);
    await messageIn(page, 'complete');
    expect(await paymentsOf('order-declined-later')).to.deep.equal(['AUTHORIZED', 'DECLINED']);
  });

  describe('after its end', () => {
    const ending = (orderId: string): Promise<Link> => {
      const expiresAt = new Date(dashboard.service.world.now() + HOUR_MS).toISOString();
      return linked({ ...ORDER, orderId, expiresAt });
    };

    it('shows the end of a link that expires while the page is open, without a press', async () => {
      const link = await ending('order-expires');
      const context = await browser.newContext({ colorScheme: 'light', reducedMotion: 'reduce', locale: 'en' });
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(link.url);
      await page.frameLocator('iframe').locator('[name=number]').waitFor();
      await advance(HOUR_MS + 1_000);
      await page.clock.fastForward(HOUR_MS + 60_000);
      await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
      expect(await page.locator('iframe').count()).to.equal(0);
      expect(await page.getByText('Pay by').count()).to.equal(0);
      const look = new Look(page);
      await look.atPage('pay-page-expired');
      look.end();
      await context.close();
      expect(await statusOf(link)).to.equal('EXPIRED');
    });

    it('charges nobody who presses, and says why', async () => {
      const link = await ending('order-too-late');
      const page = await opened(link);
      await page.frameLocator('iframe').locator('[name=number]').waitFor();
      await advance(HOUR_MS + 1_000);
      await pay(page);
      await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
      const late = await opened(link);
      await late.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
      expect(await paymentsOf('order-too-late')).to.deep.equal([]);
    });

    it('shows the outcome of a payment that began before', async () => {
      const page = await opened(await ending('order-just-in-time'));
      await pay(page, CARDS.unknown);
      await messageIn(page, 'pending');
      await advance(HOUR_MS + 1_000);
      await messageIn(page, 'complete');
      expect(await paymentsOf('order-just-in-time')).to.deep.equal(['AUTHORIZED']);
    });
  });

  it("pays by a processor's own fields, and by way of the bank's page", async () => {
    const connected = await openConnectedDashboard();
    try {
      const { twin, secretIn, service } = connected;
      const [account] = twin.accounts;
      const { status, text } = await connected.ask('owner', 'POST', '/dashboard/api/connections', {
        processor: 'stripe',
        name: 'eu',
        secretKey: await secretIn('key', account.secretKey),
        webhookSecret: await secretIn('hook', 'whsec_of_the_page'),
        publishableKey: account.publishableKey,
        apiUrl: twin.url,
      });
      expect(status, text).to.equal(200);
      await until(() => service.processors.has('stripe'));
      const link = await linked({ ...ORDER, orderId: 'order-fields' }, connected);
      const page = await opened(link);
      const troubles = troublesOf(page);
      const frame = page.frameLocator('.stage iframe');
      const fields = frame.frameLocator('.own-fields iframe');
      await fields.locator('[name=number]').fill(CARDS.challenged);
      await fields.locator('[name=expiry]').fill('12 / 39');
      await fields.locator('[name=cvc]').fill('123');
      const look = new Look(page);
      await groundOf(page);
      await look.atPage('pay-page-fields');
      await frame.locator('button.pay').click();
      const bank = page.frameLocator('[data-counterfoil=challenge] iframe').frameLocator('iframe');
      await bank.getByRole('button', { name: 'Approve' }).click();
      await frame.locator('[data-message=complete]').waitFor();
      await page.getByText('You can close this page.').waitFor();
      look.end();
      expect(twin.effects().map(({ kind, amount }) => `${kind} ${amount}`)).to.deep.equal(['hold 5490']);
      expect(troubles.filter((one) => !one.includes('can escape its sandboxing'))).to.deep.equal([]);
    } finally {
      await connected.close();
    }
  });

  it('shows the checkout in live mode, where only the origins of an account may frame it elsewhere', async () => {
    const live = await openDashboard({ flags: { mode: 'live', secret: 'A'.repeat(43) } });
    try {
      const page = await opened(await linked(ORDER, live));
      await page.frameLocator('iframe').getByText('Paying is not possible at the moment').waitFor();
    } finally {
      await live.close();
    }
  });
});
