// Methods besides cards by a processor's own fields: an element of Stripe's for each, over the twin, with the ways back
// from the pages of banks.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { errorsIn } from '../../support/service-process.ts';
import { until } from '../../support/until.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser, troublesOf } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import type { Shopper } from './merchant.ts';
import { fieldsIn, openTwinPlace, shopperAt, type TwinPlace } from './twin-place.ts';

const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
const IBAN = 'DE89 3704 0044 0532 0130 00';

describeInBrowser("methods besides cards in a processor's own fields", () => {
  const browser = openBrowser();
  let place: TwinPlace;
  before(async () => {
    place = await openTwinPlace();
  });
  after(() => place.close());

  type Paying = Shopper & { readonly orderId: string; readonly clientToken: string };
  let orders = 0;
  const shopping = async (fields: object = {}, page?: Page, options: object = {}): Promise<Paying> => {
    orders += 1;
    const orderId = `order-${orders}`;
    const clientToken = await place.session(orderId, { ...AUTOMATIC, ...fields });
    const shopper = await shopperAt(place, page ?? (await browser.newPage()), { clientToken, ...options });
    return { ...shopper, orderId, clientToken };
  };
  const choose = async (shopper: Shopper, name: string): Promise<void> => {
    await shopper.frame.getByRole('radio', { name, exact: true }).check();
    await fieldsIn(shopper).locator('body').waitFor();
  };
  const opened = async ({ page }: Shopper, act: () => Promise<void>): Promise<Page> => {
    const [popup] = await Promise.all([page.waitForEvent('popup'), act()]);
    await popup.waitForLoadState();
    return popup;
  };
  const statusesOf = async (orderId: string): Promise<readonly string[]> =>
    (await place.paymentsOf(orderId)).map(({ status }) => status);
  /** Stripe's name of the newest payment of the order. */
  const nameOf = async (orderId: string, paymentId?: string): Promise<string> => {
    const id = paymentId ?? (await place.paymentsOf(orderId))[0]?.id;
    const intents = place.twin.accounts[0].events.flatMap(({ data: { object } }) =>
      object.object === 'payment_intent' && object.metadata['counterfoil_payment'] === id ? [object.id] : [],
    );
    return intents[0] ?? '';
  };
  const methodsIn = ({ frame }: Shopper): Promise<string[]> =>
    frame.locator('.method > .choice .choice-title').allInnerTexts();

  const fillCard = async (shopper: Shopper): Promise<void> => {
    const fields = fieldsIn(shopper);
    await fields.locator('[name=number]').fill('4242 4242 4242 4242');
    await fields.locator('[name=expiry]').fill('12 / 39');
    await fields.locator('[name=cvc]').fill('123');
  };

  describe('iDEAL', () => {
    const begun = async (shopper?: Paying): Promise<{ readonly shopper: Paying; readonly bank: Page }> => {
      const paying = shopper ?? (await shopping());
      await choose(paying, 'iDEAL');
      return { shopper: paying, bank: await opened(paying, paying.pay) };
    };

    it('is paid at the bank, and captured with it', async () => {
      const before = place.twin.effects().length;
      const page = await browser.newPage({ viewport: WIDE });
      const troubles = troublesOf(page);
      const { shopper, bank } = await begun(await shopping({}, page));
      await screenshot(page, 'fields-ideal-wide');
      await bank.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      await until(() => bank.isClosed());
      expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'paying', 'complete']);
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['SETTLED']);
      expect(place.holds(before)).to.deep.equal(['hold 4920', 'capture 4920']);
      expect(troubles).to.deep.equal([]);
    });

    it('that failed at the bank leaves the session open for another method', async () => {
      const before = place.twin.effects().length;
      const { shopper, bank } = await begun();
      await bank.getByRole('button', { name: 'Fail' }).click();
      await shopper.frame.getByRole('alert').getByText('The payment was declined.').waitFor();
      await choose(shopper, 'Bancontact');
      await fieldsIn(shopper).locator('[name=name]').fill('Ada Lovelace');
      const second = await opened(shopper, shopper.pay);
      await second.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      expect(await statusesOf(shopper.orderId)).to.have.members(['SETTLED', 'DECLINED']);
      expect(place.holds(before)).to.deep.equal(['hold 4920', 'capture 4920']);
    });

    it('that is left can be opened again', async () => {
      const { shopper, bank } = await begun();
      await bank.close();
      await until(async () => (await shopper.news()).some(({ code }) => code === 'challenge_closed'));
      const again = await opened(shopper, () =>
        shopper.frame.getByRole('button', { name: 'Continue to iDEAL' }).click(),
      );
      await again.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['SETTLED']);
    });

    it('that is left is given up for a card, and can no longer be paid', async () => {
      const before = place.twin.effects().length;
      const { shopper, bank } = await begun();
      const address = bank.url();
      await bank.close();
      await shopper.frame.getByRole('button', { name: 'Pay in another way' }).click();
      await choose(shopper, 'Card');
      await fillCard(shopper);
      await shopper.pay();
      await shopper.message('complete');
      const late = await browser.newPage();
      await late.goto(address);
      await late.getByRole('button', { name: 'Approve' }).click();
      expect(await statusesOf(shopper.orderId)).to.have.members(['SETTLED', 'CANCELLED']);
      expect(place.holds(before)).to.deep.equal(['hold 4920', 'capture 4920']);
    });
  });

  describe('Klarna', () => {
    it('is authorized on its page, and captured later', async () => {
      const before = place.twin.effects().length;
      const shopper = await shopping({ paymentMethod: { captureMode: 'MANUAL' } });
      expect(await methodsIn(shopper)).to.deep.equal(['Card', 'Klarna']);
      await choose(shopper, 'Klarna');
      await shopper.pay();
      await fieldsIn(shopper).getByText('Your details are incomplete.').waitFor();
      await fieldsIn(shopper).locator('[name=email]').fill('ada@shop.example');
      const klarna = await opened(shopper, shopper.pay);
      await klarna.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['AUTHORIZED']);
      const [payment] = await place.paymentsOf(shopper.orderId);
      await place.client.call('POST', `/payments/${payment?.id}/capture`, {});
      expect(place.holds(before)).to.deep.equal(['hold 4920', 'capture 4920']);
    });
  });

  describe('SEPA direct debit', () => {
    const begun = async (page?: Page): Promise<Paying> => {
      const shopper = await shopping({}, page);
      await choose(shopper, 'SEPA direct debit');
      await fieldsIn(shopper).locator('[name=iban]').fill(IBAN);
      await fieldsIn(shopper).locator('[name=name]').fill('Ada Lovelace');
      await shopper.pay();
      await shopper.message('awaiting');
      return shopper;
    };
    it('waits for its money, and is paid days later', async () => {
      const page = await browser.newPage({ viewport: NARROW });
      const shopper = await begun(page);
      await screenshot(page, 'fields-debit-awaiting-narrow');
      expect((await shopper.news()).at(-1)).to.include({ kind: 'awaitingFunds', amount: 4_920 });
      place.twin.accounts[0].approve(await nameOf(shopper.orderId));
      await until(async () => (await statusesOf(shopper.orderId))[0] === 'SETTLED');
      await shopper.message('complete');
    });

    it('that the bank refuses days later leaves the session open', async () => {
      const shopper = await begun();
      place.twin.accounts[0].fail(await nameOf(shopper.orderId));
      await shopper.frame.getByRole('alert').getByText('The payment was declined.').waitFor();
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['DECLINED']);
    });

    it('with an IBAN that is none says so, and sends nothing', async () => {
      const shopper = await shopping();
      await choose(shopper, 'SEPA direct debit');
      await fieldsIn(shopper).locator('[name=iban]').fill('DE00');
      await fieldsIn(shopper).locator('[name=name]').fill('Ada Lovelace');
      await shopper.pay();
      await shopper.frame.getByRole('alert').getByText('You cannot pay in this way here.').waitFor();
      expect(await statusesOf(shopper.orderId)).to.deep.equal([]);
    });
  });

  describe('a wallet', () => {
    const wallets = ({ frame }: Shopper) => frame.frameLocator('.own-wallets iframe');

    it('pays with the card in it, by its own button', async () => {
      const before = place.twin.effects().length;
      const page = await browser.newPage({ viewport: NARROW, colorScheme: 'dark' });
      const shopper = await shopping({}, page);
      await wallets(shopper).getByRole('button', { name: 'Google Pay' }).click();
      await wallets(shopper).getByText('4920 eur').waitFor();
      await screenshot(page, 'fields-wallet-narrow-dark');
      await wallets(shopper).getByRole('button', { name: 'Agree' }).click();
      await shopper.message('complete');
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['SETTLED']);
      expect(place.holds(before)).to.deep.equal(['hold 4920', 'capture 4920']);
      const [payment] = await place.paymentsOf(shopper.orderId);
      const { text } = await place.client.call('GET', `/payments/${payment?.id}`);
      expect(JSON.parse(text).paymentMethod.paymentMethodData.wallet).to.equal('GOOGLE_PAY');
    });

    it('that is cancelled pays nothing, and leaves the form as it was', async () => {
      const shopper = await shopping();
      await wallets(shopper).getByRole('button', { name: 'Apple Pay' }).click();
      await wallets(shopper).getByRole('button', { name: 'Cancel' }).click();
      await fillCard(shopper);
      await shopper.pay();
      await shopper.message('complete');
      expect(await statusesOf(shopper.orderId)).to.deep.equal(['SETTLED']);
    });

    for (const [what, broken] of [
      ['does not check', '{ elements: (...all) => Object.assign(stripe.elements(...all), { submit: lost }) }'],
      ['makes no token of', '{ createConfirmationToken: lost }'],
    ] as const)
      it(`that a lost connection ${what} has failed, and the form is free again`, async () => {
        const page = await browser.newPage();
        await page.route('**/stripe.js', async (route) => {
          const response = await route.fetch();
          const lost = `() => Promise.reject(new Error('The connection was lost.'))`;
          const made = `const lost = ${lost}; const made = Stripe; Stripe = (key) => { const stripe = made(key); return { ...stripe, ...${broken} }; };`;
          await route.fulfill({ response, body: `${await response.text()}{ ${made} }` });
        });
        const troubles = troublesOf(page);
        const shopper = await shopping({}, page);
        await wallets(shopper).getByRole('button', { name: 'Apple Pay' }).click();
        await wallets(shopper).getByRole('button', { name: 'Agree' }).click();
        await wallets(shopper).getByText('The payment failed.').waitFor();
        await shopper.frame.getByText('The payment service cannot be reached.').waitFor();
        expect(await shopper.frame.locator('button.pay').isEnabled()).to.equal(true);
        expect(await statusesOf(shopper.orderId)).to.deep.equal([]);
        expect(troubles).to.deep.equal([]);
      });

    it('does not open for a session that cannot be paid yet', async () => {
      const shopper = await shopping({ orderId: undefined, metadata: {} });
      await wallets(shopper).getByRole('button', { name: 'Apple Pay' }).click();
      await wallets(shopper).getByRole('button', { name: 'Apple Pay' }).press('Enter');
      expect(await wallets(shopper).getByRole('dialog').count()).to.equal(0);
    });

    it('alone has no list, and no button of ours', async () => {
      const only = { captureMode: 'AUTOMATIC', orderedAllowedMethods: ['GOOGLE_PAY'] };
      const clientToken = await place.session('wallet-only', { paymentMethod: only });
      const shopper = await shopperAt(place, await browser.newPage(), { clientToken }, '.own-wallets iframe');
      expect(await wallets(shopper).getByRole('button').allInnerTexts()).to.deep.equal(['Google Pay']);
      expect(await shopper.frame.getByRole('button').count()).to.equal(0);
      await wallets(shopper).getByRole('button', { name: 'Google Pay' }).click();
      await wallets(shopper).getByRole('button', { name: 'Agree' }).click();
      await shopper.message('complete');
    });
  });

  describe('the list', () => {
    it('has what the connection takes, and nothing of the sandbox', async () => {
      const shopper = await shopping();
      const all = ['Card', 'iDEAL', 'Bancontact', 'Klarna', 'SEPA direct debit'];
      expect(await methodsIn(shopper)).to.deep.equal(all);
      const { fields = [], paymentMethods = [] } = await place.drawn(shopper.clientToken);
      expect(fields.flatMap(({ methods }) => methods)).to.have.members(
        paymentMethods.map(({ paymentMethodType }) => paymentMethodType),
      );
    });

    it('is used with the keyboard alone, and mounts the fields of the chosen method alone', async () => {
      const shopper = await shopping();
      await shopper.frame.getByRole('radio', { name: 'Card' }).focus();
      await shopper.page.keyboard.press('ArrowDown');
      await until(() => shopper.frame.getByRole('radio', { name: 'iDEAL' }).isChecked());
      await fieldsIn(shopper).locator('p:not(:empty)').waitFor();
      await until(async () => (await shopper.frame.locator('.own-fields iframe').count()) === 2);
      const bank = await opened(shopper, () =>
        shopper.frame.getByRole('button', { name: 'Pay €49.20 with iDEAL' }).press('Enter'),
      );
      const approved = bank.getByRole('button', { name: 'Approve' }).press('Enter');
      // The page may close before the key is up again.
      await approved.catch((fault: unknown) => {
        if (!bank.isClosed()) throw fault;
      });
      await shopper.message('complete');
    });

    it('speaks five languages, in both themes', async () => {
      for (const [locale, name, colorScheme] of [
        ['en', 'SEPA direct debit', 'light'],
        ['de', 'SEPA-Lastschrift', 'dark'],
        ['fr', 'Prélèvement SEPA', 'light'],
        ['es', 'Adeudo directo SEPA', 'dark'],
        ['it', 'Addebito diretto SEPA', 'light'],
      ] as const) {
        const page = await browser.newPage({ viewport: locale === 'de' ? NARROW : WIDE, colorScheme });
        const shopper = await shopping({}, page, { locale });
        await choose(shopper, name);
        await fieldsIn(shopper).locator('[name=name]').waitFor();
        await screenshot(page, `fields-debit-${locale}-${colorScheme}`);
        // In a dark frame axe takes what it sees through for white.
        if (colorScheme === 'light') expect(await axeViolations(page), locale).to.deep.equal([]);
      }
    });

    it('shows a new amount in the fields of every method, after a refresh', async () => {
      const shopper = await shopping();
      await choose(shopper, 'iDEAL');
      await place.client.call('PATCH', '/client-session', { clientToken: shopper.clientToken, amount: 5_000 });
      await shopper.page.evaluate('checkout.refresh()');
      const before = place.twin.effects().length;
      const bank = await opened(shopper, shopper.pay);
      await bank.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      expect(place.holds(before)).to.deep.equal(['hold 5000', 'capture 5000']);
    });
  });

  describe('what a customer keeps', () => {
    const Listed = z.looseObject({ data: z.array(z.looseObject({ token: z.string() })) });
    const Charged = z.looseObject({ id: z.string(), status: z.string() });
    const savedOf = async (customerId: string): Promise<readonly string[]> => {
      const { text } = await place.client.call('GET', `/payment-instruments?customer_id=${customerId}`);
      return Listed.parse(JSON.parse(text)).data.map(({ token }) => token);
    };
    /** By the merchant, without the customer. */
    const chargeAgain = async (customerId: string, paymentMethodToken = '') => {
      const paymentMethod = { ...AUTOMATIC.paymentMethod, paymentType: 'UNSCHEDULED' };
      const body = {
        paymentMethodToken,
        customerId,
        orderId: 'again',
        currencyCode: 'EUR',
        amount: 700,
        paymentMethod,
      };
      const { text } = await place.client.call('POST', '/payments', body);
      return Charged.parse(JSON.parse(text));
    };

    it('is a card that was entered with a tick, and pays again with and without the customer', async () => {
      const before = place.twin.effects().length;
      const shopper = await shopping({ customerId: 'ada' });
      await fillCard(shopper);
      await shopper.frame.getByRole('checkbox', { name: 'Save this card' }).check();
      await shopper.pay();
      await shopper.message('complete');
      const [token] = await savedOf('ada');
      const again = await shopping({ customerId: 'ada' });
      expect(await again.frame.getByRole('radio', { name: 'Visa ending in 4242' }).isChecked()).to.equal(true);
      await again.pay();
      await again.message('complete');
      expect((await chargeAgain('ada', token)).status).to.equal('SETTLED');
      expect(place.holds(before).filter((effect) => effect.startsWith('capture'))).to.deep.equal([
        'capture 4920',
        'capture 4920',
        'capture 700',
      ]);
    });

    it('is nothing without the tick', async () => {
      const shopper = await shopping({ customerId: 'bob' });
      await fillCard(shopper);
      await shopper.pay();
      await shopper.message('complete');
      expect(await savedOf('bob')).to.deep.equal([]);
    });

    it('is the card of a wallet, if the session says so', async () => {
      const paymentMethod = { ...AUTOMATIC.paymentMethod, vaultOnSuccess: true };
      const shopper = await shopping({ customerId: 'cy', paymentMethod });
      const wallets = shopper.frame.frameLocator('.own-wallets iframe');
      await wallets.getByRole('button', { name: 'Apple Pay' }).click();
      await wallets.getByRole('button', { name: 'Agree' }).click();
      await shopper.message('complete');
      expect((await chargeAgain('cy', (await savedOf('cy'))[0])).status).to.equal('SETTLED');
    });

    it('is a bank account with its mandate, which the checkout offers again', async () => {
      const paymentMethod = { ...AUTOMATIC.paymentMethod, vaultOnSuccess: true };
      const shopper = await shopping({ customerId: 'dee', paymentMethod });
      await choose(shopper, 'SEPA direct debit');
      await fieldsIn(shopper).locator('[name=iban]').fill(IBAN);
      await fieldsIn(shopper).locator('[name=name]').fill('Ada Lovelace');
      await shopper.pay();
      await shopper.message('awaiting');
      place.twin.accounts[0].approve(await nameOf(shopper.orderId));
      await until(async () => (await savedOf('dee')).length === 1);
      const page = await browser.newPage({ viewport: NARROW });
      const again = await shopping({ customerId: 'dee' }, page);
      await again.frame.getByRole('radio', { name: 'SEPA direct debit', exact: true }).check();
      expect(await again.frame.getByRole('radio', { name: 'ending in 3000' }).isChecked()).to.equal(true);
      await screenshot(page, 'fields-saved-account-narrow');
      await again.pay();
      await again.message('awaiting');
      const { id, status } = await chargeAgain('dee', (await savedOf('dee'))[0]);
      expect(status).to.equal('PENDING');
      place.twin.accounts[0].approve(await nameOf('again', id));
      await until(async () =>
        (await place.paymentsOf('again')).some((one) => one.id === id && one.status === 'SETTLED'),
      );
    });
  });

  it('leave no fault in the log, and no account number', () => {
    expect(errorsIn(place.stderr())).to.deep.equal([]);
    expect(place.stderr()).not.to.match(/DE89 ?3704/);
  });
});
