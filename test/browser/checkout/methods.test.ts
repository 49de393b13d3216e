// The methods besides cards in the checkout: a page, a debit, a voucher, a wallet, and the ways back from each
// (contract §4, "Methods").
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { answered } from '../../support/challenged.ts';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { openShop, type Shop, type Shopper, visit } from './merchant.ts';

const List = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });
const DAY_MS = 86_400_000;
const PAID_IBAN = 'DE89370400440532013000';

describeInBrowser('methods of payment in the checkout', () => {
  const browser = openBrowser();
  let http: HttpService;
  let shop: Shop;
  let delivering: Promise<void>;
  const ending = new AbortController();
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    const service = `http://127.0.0.1:${http.port}`;
    shop = await openShop(service);
    const { sandbox } = http.stores;
    await sandbox.connect({ accountId: http.shop.accountId, apiKey: http.shop.key });
    delivering = sandbox.run(service, ending.signal);
  });
  after(async () => {
    ending.abort();
    await delivering;
    shop.close();
    await http.stop();
  });

  type Paying = Shopper & { readonly orderId: string; readonly clientToken: string };
  let orders = 0;
  /** A shopper in front of all methods of a new session. */
  const shopping = async (given?: Page, fields: object = {}): Promise<Paying> => {
    orders += 1;
    const orderId = `order-${orders}`;
    const paymentMethod = { captureMode: 'AUTOMATIC', ...fields };
    const clientToken = await http.shop.session({ orderId, paymentMethod });
    const shopper = await visit(given ?? (await browser.newPage()), shop);
    await shopper.start({ clientToken });
    await shopper.frame.locator('button.pay').waitFor();
    return { ...shopper, orderId, clientToken };
  };
  const choose = ({ frame }: Shopper, name: string): Promise<void> =>
    frame.getByRole('radio', { name, exact: true }).check();
  /** The page of the method, which opens when the shopper does this. */
  const opened = async ({ page }: Shopper, act: () => Promise<void>): Promise<Page> => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), act()]);
    await popup.waitForLoadState();
    return popup;
  };
  const paymentsOf = async (orderId: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data.map(({ status }) => status);
  const laterBy = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };
  const methodsIn = ({ frame }: Shopper): Promise<string[]> =>
    frame.locator('.method > .choice .choice-title').allInnerTexts();
  const last = async (shopper: Shopper): Promise<unknown> => (await shopper.news()).at(-1);

  describe('the list', () => {
    it('has the wallets on top, the rest in the order of the session, and the card chosen', async () => {
      const shopper = await shopping();
      expect(await methodsIn(shopper)).to.deep.equal([
        'Apple Pay',
        'Google Pay',
        'Card',
        'iDEAL',
        'Bancontact',
        'Klarna',
        'PayPal',
        'SEPA direct debit',
        'Multibanco',
      ]);
      expect(await shopper.frame.getByRole('radio', { name: 'Card' }).isChecked()).to.equal(true);
      await shopper.fill(CARDS.approved);
      await shopper.pay();
      await shopper.message('complete');
    });

    it('begins with the method that was used last, and chooses it', async () => {
      const shopper = await shopping();
      await choose(shopper, 'Google Pay');
      await shopper.pay();
      await shopper.message('complete');
      const again = await shopping(shopper.page);
      expect((await methodsIn(again)).slice(0, 3)).to.deep.equal(['Google Pay', 'Apple Pay', 'Card']);
      expect(await again.frame.getByRole('radio', { name: 'Google Pay' }).isChecked()).to.equal(true);
    });

    it('is not shown if cards are all that the session takes', async () => {
      const shopper = await shopping(undefined, { orderedAllowedMethods: ['PAYMENT_CARD'] });
      expect(await shopper.frame.getByRole('radio').count()).to.equal(0);
      await shopper.fill(CARDS.approved);
      await shopper.pay();
      await shopper.message('complete');
    });

    it('is used with the keyboard alone', async () => {
      const shopper = await shopping();
      await shopper.frame.getByRole('radio', { name: 'Card' }).focus();
      await shopper.page.keyboard.press('ArrowUp');
      expect(await shopper.frame.getByRole('radio', { name: 'Google Pay' }).isChecked()).to.equal(true);
      await shopper.frame.getByRole('button', { name: 'Pay €10.00 with Google Pay' }).press('Enter');
      await shopper.message('complete');
    });
  });

  describe('a wallet', () => {
    it('pays with its card, and says so if the card was declined', async () => {
      const shopper = await shopping();
      await choose(shopper, 'Apple Pay');
      await shopper.frame.getByRole('checkbox').check();
      await shopper.pay();
      await shopper.frame.getByRole('alert').getByText('Your bank declined this card.').waitFor();
      await shopper.frame.getByRole('checkbox').uncheck();
      await shopper.pay();
      await shopper.message('complete');
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['SETTLED', 'DECLINED']);
    });
  });

  describe('a page of a method', () => {
    const begun = async (name = 'iDEAL'): Promise<{ readonly shopper: Paying; readonly bank: Page }> => {
      const shopper = await shopping();
      await choose(shopper, name);
      const bank = await opened(shopper, shopper.pay);
      return { shopper, bank };
    };
    const payAt = (bank: Page): Promise<void> => bank.getByRole('button', { name: 'Pay', exact: true }).click();

    for (const name of ['iDEAL', 'Bancontact', 'Klarna', 'PayPal'])
      it(`opens in a window of its own, and the payment is paid when the shopper is back: ${name}`, async () => {
        const shopper = await shopping();
        const troubles = troublesOf(shopper.page);
        await choose(shopper, name);
        const bank = await opened(shopper, shopper.pay);
        await bank.getByRole('heading', { name: `Pay with ${name}` }).waitFor();
        await payAt(bank);
        await shopper.message('complete');
        await until(() => bank.isClosed());
        expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'paying', 'complete']);
        expect(await paymentsOf(shopper.orderId)).to.deep.equal(['SETTLED']);
        expect(troubles).to.deep.equal([]);
      });

    it('where the shopper refuses leaves the list, which says so and takes another method', async () => {
      const { shopper, bank } = await begun();
      await bank.getByRole('button', { name: 'Refuse to pay' }).click();
      await shopper.frame.getByRole('alert').getByText('The payment was declined. You were not charged.').waitFor();
      expect((await shopper.states()).at(-1)).to.equal('declined');
      await choose(shopper, 'Card');
      await shopper.fill(CARDS.approved);
      await shopper.pay();
      await shopper.message('complete');
    });

    it('can be left without paying, opened again, and paid then', async () => {
      const { shopper, bank } = await begun();
      await bank.getByRole('link', { name: 'Leave without paying' }).click();
      await shopper.frame.getByText('You have not paid yet.').waitFor();
      await until(() => bank.isClosed());
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['PENDING']);
      const again = await opened(shopper, () =>
        shopper.frame.getByRole('button', { name: 'Continue to iDEAL' }).click(),
      );
      await payAt(again);
      await shopper.message('complete');
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['SETTLED']);
    });

    it('can be closed: the payment waits, the shop hears it, and another method pays', async () => {
      const { shopper, bank } = await begun();
      await bank.close();
      await until(async () => (await shopper.news()).at(-1)?.code === 'challenge_closed');
      await shopper.frame.getByRole('button', { name: 'Pay in another way' }).click();
      await shopper.frame.getByRole('alert').getByText('Nothing was charged.').waitFor();
      await choose(shopper, 'Apple Pay');
      await shopper.pay();
      await shopper.message('complete');
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['SETTLED', 'CANCELLED']);
    });

    it('is found again after a reload, and opens in the same window when the shopper asks for it', async () => {
      const { shopper, bank } = await begun();
      await shopper.page.reload();
      await shopper.start({ clientToken: shopper.clientToken });
      await shopper.message('challenge');
      expect(await shopper.states()).to.deep.equal(['loading', 'challenge']);
      await Promise.all([
        bank.waitForEvent('domcontentloaded'),
        shopper.frame.getByRole('button', { name: 'Continue to iDEAL' }).click(),
      ]);
      await payAt(bank);
      await shopper.message('complete');
      expect(await last(shopper)).to.include({ kind: 'complete', resumed: true });
    });

    it('that is open in two tabs takes one payment', async () => {
      const { shopper, bank } = await begun();
      const other = await shopper.page.context().newPage();
      await other.goto(bank.url());
      await payAt(bank);
      await shopper.message('complete');
      await payAt(other);
      await other.getByRole('heading', { name: 'You are back from your bank' }).waitFor();
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['SETTLED']);
      const { data } = bodyOf(await http.shop.ask('GET', '/sandbox/ledger?limit=100'), Ledger);
      const [id = ''] = await idsOf(shopper.orderId);
      expect(data.filter(({ reference }) => reference.startsWith(id.slice('pay_'.length)))).to.have.length(1);
    });

    it('that was paid by a shopper who closed the window ends by the notification', async () => {
      const { shopper, bank } = await begun();
      const { pathname } = new URL(bank.url());
      await bank.close();
      await answered(http, pathname);
      http.world.advance(6_000);
      await shopper.message('complete');
    });
  });
  const Ledger = z.looseObject({ data: z.array(z.looseObject({ reference: z.string() })) });
  const idsOf = async (orderId: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments?order_id=${orderId}`), List).data.map(({ id }) => id);

  describe('a direct debit', () => {
    const ordered = async (iban = PAID_IBAN): Promise<Paying> => {
      const shopper = await shopping();
      await choose(shopper, 'SEPA direct debit');
      await shopper.frame.getByLabel('IBAN', { exact: true }).pressSequentially(iban);
      await shopper.frame.getByLabel('Account holder').fill('Ada Lovelace');
      await shopper.frame.getByLabel('I agree to this direct debit mandate').check();
      await shopper.pay();
      return shopper;
    };

    it('is ordered, and waits for the bank for days', async () => {
      const shopper = await ordered();
      await shopper.message('awaiting');
      expect(await shopper.frame.getByRole('heading').innerText()).to.equal('We are waiting for your bank');
      expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'awaiting_funds']);
      expect(await last(shopper)).to.include({ kind: 'awaitingFunds', amount: 1000, resumed: false });
      laterBy(6 * DAY_MS);
      await until(async () => (await paymentsOf(shopper.orderId))[0] === 'SETTLED');
      // The client token is a day old at most: the shop's own page shows the order.
      await shopper.message('expired');
    });

    it('is found again after a reload, and the shop hears it again', async () => {
      const shopper = await ordered();
      await shopper.message('awaiting');
      await shopper.page.reload();
      await shopper.start({ clientToken: shopper.clientToken });
      await shopper.message('awaiting');
      expect(await last(shopper)).to.include({ kind: 'awaitingFunds', resumed: true });
    });

    it('checks the number while it is typed, and asks for a name and consent', async () => {
      const shopper = await shopping();
      const { frame } = shopper;
      await choose(shopper, 'SEPA direct debit');
      await shopper.pay();
      await frame.getByText('Enter the IBAN.').waitFor();
      await frame.getByText('Enter the name of the account holder.').waitFor();
      await frame.getByText('Agree to the mandate to pay by direct debit.').waitFor();
      const iban = frame.getByLabel('IBAN', { exact: true });
      expect(await iban.evaluate('document.activeElement.name')).to.equal('iban');
      await iban.pressSequentially('de8937040044053201300');
      expect(await iban.inputValue()).to.equal('DE89 3704 0044 0532 0130 0');
      await frame.getByText('The IBAN is too short.').waitFor();
      await iban.pressSequentially('1');
      await frame.getByText('This IBAN is not valid.').waitFor();
      await iban.press('Backspace');
      await iban.pressSequentially('0');
      expect(await frame.locator('.field-iban .field-error').innerText()).to.equal('');
      expect(await paymentsOf(shopper.orderId)).to.deep.equal([]);
    });

    it('from an account that the sandbox does not know is refused at its field', async () => {
      const shopper = await ordered('NL91ABNA0417164300');
      await shopper.frame.getByText('The sandbox does not know this account.').waitFor();
      expect((await shopper.states()).at(-1)).to.equal('ready');
    });
  });

  describe('a voucher', () => {
    const shown = async (): Promise<Paying> => {
      const shopper = await shopping();
      await choose(shopper, 'Multibanco');
      await shopper.pay();
      await shopper.message('voucher');
      return shopper;
    };
    const Action = z.looseObject({
      data: z.array(z.looseObject({ requiredAction: z.looseObject({ data: z.record(z.string(), z.string()) }) })),
    });
    const Waiting = z.looseObject({ requiredAction: z.looseObject({ clientToken: z.string() }) });
    const numbersOf = async (orderId: string) => {
      const [id = ''] = await idsOf(orderId);
      const { requiredAction } = bodyOf(await http.shop.ask('GET', `/payments/${id}`), Action.shape.data.element);
      return requiredAction.data;
    };

    it('shows its numbers, copies them, and is complete when it is paid', async () => {
      const shopper = await shown();
      const { frame, page } = shopper;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const { entity = '', reference = '', url = '' } = await numbersOf(shopper.orderId);
      const text = await frame.locator('.voucher').innerText();
      expect(text.replaceAll(/\s/g, '')).to.contain(entity).and.contain(reference).and.contain('€10.00');
      expect(text).to.contain('3 days left to pay');
      await frame.getByRole('button', { name: 'Copy: Reference' }).click();
      await frame.getByText('Reference: Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(reference);
      expect((await shopper.news()).some(({ kind }) => kind === 'awaitingFunds')).to.equal(false);
      await fetch(`http://127.0.0.1:${http.port}${new URL(url).pathname}`, {
        method: 'POST',
        body: new URLSearchParams({ outcome: 'approve' }),
      });
      laterBy(6_000);
      await until(async () => (await paymentsOf(shopper.orderId))[0] === 'SETTLED');
      await shopper.message('complete');
    });

    it('is told to the shop once the shopper has the numbers, which can be shown again', async () => {
      const shopper = await shown();
      await shopper.frame.getByRole('button', { name: 'I have saved the numbers' }).click();
      await shopper.message('awaiting');
      expect(await last(shopper)).to.include({ kind: 'awaitingFunds', resumed: false });
      await shopper.frame.getByRole('button', { name: 'Show the numbers' }).click();
      await shopper.message('voucher');
    });

    it('is found again after a reload, with the time that is left, and can be given up for another method', async () => {
      const shopper = await shown();
      const [id = ''] = await idsOf(shopper.orderId);
      const waiting = await http.request('GET', `/checkout/payments/${id}`, { token: shopper.clientToken });
      const { clientToken } = bodyOf(waiting, Waiting).requiredAction; // valid as long as the voucher
      laterBy(25 * 3_600_000);
      await shopper.page.reload();
      await shopper.start({ clientToken });
      await shopper.message('voucher');
      expect(await shopper.frame.locator('.voucher').innerText()).to.contain('1 day 23 hours left to pay');
      await shopper.frame.getByRole('button', { name: 'Pay in another way' }).click();
      await shopper.frame.getByRole('alert').getByText('Nothing was charged.').waitFor();
      expect(await paymentsOf(shopper.orderId)).to.deep.equal(['CANCELLED']);
    });

    it('whose time is over says so, and the list comes back with a new token', async () => {
      const page = await browser.newPage();
      await page.clock.install();
      const shopper = await shopping(page);
      await choose(shopper, 'Multibanco');
      await shopper.pay();
      await shopper.message('voucher');
      await page.clock.fastForward(3 * DAY_MS + 60_000);
      await shopper.message('expired');
      await shopper.frame.getByRole('heading', { name: 'These numbers have expired' }).waitFor();
      laterBy(4 * DAY_MS);
      await until(async () => (await paymentsOf(shopper.orderId))[0] === 'FAILED');
      const body = { clientToken: shopper.clientToken };
      const { clientToken } = bodyOf(await http.shop.ask('POST', '/client-session/client-token', body), Token);
      await page.evaluate(`checkout.update(${JSON.stringify({ clientToken })})`);
      await shopper.frame.getByRole('radio', { name: 'Multibanco' }).waitFor();
    });
  });
  const Token = z.looseObject({ clientToken: z.string() });
});
