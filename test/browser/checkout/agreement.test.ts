// The checkout of a session with an agreement: its shopper agrees to the text before the payment (contract §14).
import { expect } from 'chai';
import { z } from 'zod';
import { TERMS } from '../../support/agreement-made.ts';
import { bodyOf, CARDS } from '../../support/http-merchant.ts';
import { until } from '../../support/until.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { openPlaces, type Shopper, visit } from './merchant.ts';

const Agreements = z.looseObject({
  data: z.array(
    z.looseObject({
      status: z.string(),
      consent: z.looseObject({ shownText: z.string(), language: z.string() }),
    }),
  ),
});

describeInBrowser('the checkout of an agreement', () => {
  const browser = openBrowser();
  const places = openPlaces();
  let customers = 0;
  const shopping = async (options: object = {}, fields: object = {}) => {
    customers += 1;
    const customerId = `customer-agrees-${customers}`;
    const agreement = { kind: 'RECURRING', terms: TERMS };
    const clientToken = await places.http.shop.session({ customerId, agreement, ...fields });
    const shopper = await visit(await browser.newPage({ reducedMotion: 'reduce' }), places.shop);
    await shopper.start({ clientToken, ...options });
    await shopper.fill(CARDS.approved);
    return { shopper, customerId, clientToken };
  };
  const agreementsOf = async (customerId: string) =>
    bodyOf(await places.http.shop.ask('GET', `/agreements?customer_id=${customerId}`), Agreements).data;
  const box = ({ frame }: Shopper) => frame.getByRole('checkbox', { name: 'charges the payment method' });

  it('pays only after the shopper has agreed, and puts what was shown on record', async () => {
    const { shopper, customerId } = await shopping();
    expect(await shopper.frame.getByText('Save this card').isVisible()).to.equal(false);
    await shopper.pay();
    await shopper.frame.getByText('Agree to the later charges to pay.').waitFor();
    expect(await shopper.inFrame('document.activeElement.name')).to.equal('agreement');
    expect(await agreementsOf(customerId)).to.deep.equal([]);
    await box(shopper).check();
    expect(await shopper.frame.getByText('Agree to the later charges to pay.').isVisible()).to.equal(false);
    const text = await shopper.frame.locator('.agreement .tick').textContent();
    await shopper.pay();
    await shopper.message('complete');
    await until(async () => (await agreementsOf(customerId))[0]?.status === 'ACTIVE');
    const [agreement, ...others] = await agreementsOf(customerId);
    expect(others).to.deep.equal([]);
    expect(agreement?.consent).to.deep.include({ shownText: text, language: 'en' });
  });

  it('asks in the language of the shop’s page', async () => {
    const { shopper, customerId } = await shopping({ locale: 'de-CH' });
    await shopper.frame.getByRole('checkbox', { name: 'Ich stimme zu' }).check();
    await shopper.pay();
    await shopper.message('complete');
    expect((await agreementsOf(customerId))[0]?.consent.language).to.equal('de');
  });

  it('shows terms that have changed on the way, and asks again', async () => {
    const { shopper, customerId, clientToken } = await shopping();
    await box(shopper).check();
    const agreement = { kind: 'RECURRING', terms: { ...TERMS, amount: 2_900 } };
    bodyOf(await places.http.shop.ask('PATCH', '/client-session', { clientToken, agreement }), z.looseObject({}));
    await shopper.pay();
    await shopper.frame.getByText('What you agree to has changed. Read it and pay again.').waitFor();
    expect(await box(shopper).isChecked()).to.equal(false);
    expect(await agreementsOf(customerId)).to.deep.equal([]);
    await box(shopper).check();
    await shopper.pay();
    await shopper.message('complete');
    expect((await agreementsOf(customerId))[0]?.consent.shownText).to.contain('€29.00');
  });

  it('asks once: after a decline the text is shown, and another card pays', async () => {
    const { shopper, customerId } = await shopping();
    await shopper.fill(CARDS.declined);
    await box(shopper).check();
    await shopper.pay();
    await shopper.frame.locator('.notice p').waitFor();
    expect(await box(shopper).isVisible()).to.equal(false);
    await shopper.frame.locator('.agreement').getByText('every month').waitFor();
    await shopper.fill(CARDS.approved);
    await shopper.pay();
    await shopper.message('complete');
    expect(await agreementsOf(customerId)).to.have.length(1);
  });

  for (const theme of ['light', 'dark'] as const)
    it(`has no violation of WCAG 2.2 AA, ${theme}`, async () => {
      const appearance = { variables: { colorBackground: theme === 'dark' ? '#0f1218' : '#ffffff' } };
      const { shopper } = await shopping({ appearance }, { orderId: 'subscription-17' });
      const { page } = shopper;
      await page.emulateMedia({ colorScheme: theme });
      await shopper.pay();
      await shopper.frame.getByText('Agree to the later charges to pay.').waitFor();
      for (const [width, viewport] of Object.entries({ narrow: NARROW, wide: WIDE })) {
        await page.setViewportSize(viewport);
        await screenshot(page, `checkout-agreement-${width}-${theme}`);
        expect(await axeViolations(page), width).to.deep.equal([]);
      }
    });
});
