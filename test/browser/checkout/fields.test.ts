// A processor's own fields in the checkout, from the connection to the capture: real processes, the twin of Stripe with
// its stand-in of Stripe.js, and a merchant's page that knows nothing of them.
import { expect } from 'chai';
import type { FrameLocator, Page } from 'playwright-core';
import { errorsIn } from '../../support/service-process.ts';
import { until } from '../../support/until.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, itInRest, openBrowser, troublesOf } from '../support/browser.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { type Shopper, visit } from './merchant.ts';
import { fieldsIn, openTwinPlace, type TwinPlace } from './twin-place.ts';

const CARDS_ALONE = { paymentMethod: { orderedAllowedMethods: ['PAYMENT_CARD'] } };
const APPROVED = '4242 4242 4242 4242';
const CHALLENGED = '4000 0000 0000 3220';
const DECLINED = '4000 0000 0000 9995';

describeInBrowser("a processor's own fields in the checkout", () => {
  const browser = openBrowser();
  let place: TwinPlace;
  before(async () => {
    place = await openTwinPlace();
  });
  after(() => place.close());

  const fill = async (shopper: Shopper, number: string): Promise<void> => {
    const fields = fieldsIn(shopper);
    await fields.locator('[name=number]').fill(number);
    await fields.locator('[name=expiry]').fill('12 / 39');
    await fields.locator('[name=cvc]').fill('123');
  };
  const bankOn = (page: Page): FrameLocator =>
    page.frameLocator('[data-counterfoil=challenge] iframe').frameLocator('iframe');
  const at = async (orderId: string, options: object = {}, page?: Page): Promise<Shopper> => {
    const shopper = await visit(page ?? (await browser.newPage()), place.shop);
    await shopper.start({ clientToken: await place.session(orderId, CARDS_ALONE), ...options });
    await fieldsIn(shopper).locator('[name=number]').waitFor();
    return shopper;
  };
  it('take a card in place of the form, without a change of the merchant’s page', async () => {
    const before = place.twin.effects().length;
    const page = await browser.newPage({ viewport: WIDE });
    const troubles = troublesOf(page);
    const shopper = await at('plain', {}, page);
    expect(await shopper.frame.locator('[name=number]').count()).to.equal(0);
    expect(await shopper.frame.locator('button.pay').innerText()).to.contain('49.20');
    await fill(shopper, APPROVED);
    await screenshot(page, 'fields-wide');
    await shopper.pay();
    await shopper.message('complete');
    expect(await shopper.states()).to.deep.equal(['loading', 'ready', 'paying', 'complete']);
    expect((await shopper.news()).at(-1)).to.include({ kind: 'complete', status: 'AUTHORIZED', amount: 4_920 });
    expect(await place.paymentsOf('plain')).to.have.length(1);
    expect((await place.paymentsOf('plain'))[0]?.processor.name).to.equal('stripe');
    expect(place.holds(before)).to.deep.equal(['hold 4920']);
    expect(troubles).to.deep.equal([]);
  });

  it('stand in a page of their own policy, which lets in the processor and nobody else', async () => {
    const shopper = await at('policy');
    const frame = shopper.page.frames().find((one) => one.url().includes('/checkout/fields'));
    const { pathname, searchParams } = new URL(frame?.url() ?? '');
    expect([pathname, searchParams.get('connection')]).to.deep.equal(['/checkout/fields', place.connectionId]);
    const answer = await fetch(frame?.url() ?? '');
    expect(answer.headers.get('cross-origin-embedder-policy')).to.equal(null);
    expect(answer.headers.get('content-security-policy')?.split('; ')).to.deep.equal([
      "default-src 'none'",
      `script-src 'self' ${place.twin.url}`,
      "style-src 'self' 'unsafe-inline'",
      `connect-src ${place.service}/checkout/ ${place.twin.url}`,
      `frame-src ${place.twin.url}`,
      "worker-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      'frame-ancestors *',
    ]);
    expect(
      (await fetch(`${place.service}/checkout/fields?account=${place.directory.accountId}&connection=con_0`)).status,
    ).to.equal(404);
    expect(
      (await fetch(`${place.service}/checkout/fields?account=acc_0&connection=${place.connectionId}`)).status,
    ).to.equal(404);
  });

  it('say what is wrong, and nothing is sent', async () => {
    const before = place.twin.effects().length;
    const shopper = await at('incomplete');
    await shopper.pay();
    await fieldsIn(shopper).getByText('Your card details are incomplete.').waitFor();
    await until(async () => (await shopper.states()).at(-1) === 'ready');
    await fill(shopper, '4242 4242 4242 4241');
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('This card cannot be used here.').waitFor();
    expect([await place.paymentsOf('incomplete'), place.holds(before)]).to.deep.equal([[], []]);
    await fill(shopper, APPROVED);
    await shopper.pay();
    await shopper.message('complete');
  });

  it('lead to the bank and back, in the window of the checkout', async () => {
    const before = place.twin.effects().length;
    const page = await browser.newPage({ viewport: WIDE });
    const shopper = await at('challenged', {}, page);
    await fill(shopper, CHALLENGED);
    await shopper.pay();
    await bankOn(page).getByRole('button', { name: 'Approve' }).waitFor();
    await screenshot(page, 'fields-challenge');
    await bankOn(page).getByRole('button', { name: 'Approve' }).click();
    await shopper.message('complete');
    // Stripe's event may be there before the shopper: then nothing is left to wait for.
    const isBack = (state: string, at: number): boolean => state === 'paying' && at === 4;
    const states = (await shopper.states()).filter((state, at) => !isBack(state, at));
    expect(states).to.deep.equal(['loading', 'ready', 'paying', 'challenge', 'complete']);
    expect(place.holds(before)).to.deep.equal(['hold 4920']);
  });

  it('take another card after a challenge that failed, and after a decline', async () => {
    const before = place.twin.effects().length;
    const shopper = await at('second');
    await fill(shopper, CHALLENGED);
    await shopper.pay();
    await bankOn(shopper.page).getByRole('button', { name: 'Fail' }).click();
    await shopper.frame.getByRole('alert').getByText('Your bank could not confirm your identity.').waitFor();
    await fill(shopper, DECLINED);
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('This card has insufficient funds.').waitFor();
    await fill(shopper, APPROVED);
    await shopper.pay();
    await shopper.message('complete');
    expect((await place.paymentsOf('second')).map(({ status }) => status)).to.have.members([
      'AUTHORIZED',
      'DECLINED',
      'DECLINED',
    ]);
    expect(place.holds(before)).to.deep.equal(['hold 4920']);
  });

  itInRest('speak the language of the page, in its look, and have a new amount after a refresh', async () => {
    const page = await browser.newPage({ viewport: NARROW, colorScheme: 'dark' });
    const shopper = await visit(page, place.shop);
    const clientToken = await place.session('german', { customerId: 'customer-1' });
    await shopper.start({ clientToken, locale: 'de' });
    await fieldsIn(shopper).getByText('Kartennummer').waitFor();
    expect(await shopper.frame.getByRole('checkbox', { name: 'Karte' }).isChecked()).to.equal(false);
    await place.client.call('PATCH', '/client-session', { clientToken, amount: 5_000 });
    await page.evaluate('checkout.refresh()');
    expect(await shopper.frame.locator('button.pay').innerText()).to.match(/50,00/);
    await fill(shopper, APPROVED);
    await screenshot(page, 'fields-narrow-dark');
    await shopper.pay();
    await shopper.message('complete');
    expect((await shopper.news()).at(-1)).to.include({ amount: 5_000 });
  });

  itInRest('can be used with a screen reader', async () => {
    const shopper = await at('read aloud');
    expect(await axeViolations(shopper.page)).to.deep.equal([]);
  });

  it('that do not load are said to be unavailable, and are asked for again by a press', async () => {
    const page = await browser.newPage();
    let isAway = true;
    await page.route(`${place.twin.url}/**/stripe.js`, (route) => (isAway ? route.abort() : route.continue()));
    const shopper = await visit(page, place.shop);
    await shopper.start({ clientToken: await place.session('unloaded') });
    await shopper.message('unavailable');
    expect((await shopper.news()).filter(({ kind }) => kind === 'error').map(({ code }) => code)).to.deep.equal([
      'service_unavailable',
    ]);
    isAway = false;
    await shopper.frame.getByRole('button').click();
    await fill(shopper, APPROVED);
    await shopper.pay();
    await shopper.message('complete');
  });

  itInRest('whose processor does not answer leave the card unpaid, and are pressed again', async () => {
    const page = await browser.newPage();
    const shopper = await at('unanswered', {}, page);
    await fill(shopper, APPROVED);
    await page.route(`${place.twin.url}/v1/confirmation_tokens`, (route) => route.abort());
    await shopper.pay();
    await shopper.frame.getByRole('alert').getByText('cannot be reached').waitFor();
    expect(await place.paymentsOf('unanswered')).to.deep.equal([]);
    await page.unroute(`${place.twin.url}/v1/confirmation_tokens`);
    await shopper.pay();
    await shopper.message('complete');
  });

  itInRest('are those of the demo shop, where it pays by the connection', async () => {
    const { env } = place;
    const refused = await place.directory.place.run(`demo --shop --connection us --url ${place.service}`, { env });
    expect([refused.code, refused.stderr]).to.deep.equal([1, refused.stderr]);
    expect(refused.stderr).to.contain('There is no active connection named us.');
    const misused = await place.directory.place.run('demo --connection eu', { env });
    expect(misused.stderr).to.contain('--connection belongs to --shop.');

    const running = await place.directory.place.shop(`--connection eu --url ${place.service}`, env);
    const before = place.twin.effects().length;
    const page = await browser.newPage({ viewport: WIDE });
    await page.goto(running.url);
    await page.getByRole('button', { name: 'Add to cart Ledger notebook' }).click();
    await page.getByRole('link', { name: 'Check out' }).click();
    const frame = page.frameLocator('#checkout iframe');
    const fields = frame.frameLocator('.own-fields iframe');
    await fields.locator('[name=number]').fill(CHALLENGED);
    await fields.locator('[name=expiry]').fill('12 / 39');
    await fields.locator('[name=cvc]').fill('123');
    await screenshot(page, 'shop-fields-wide');
    await frame.locator('button.pay').click();
    await bankOn(page).getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { level: 1, name: 'Thank you for your payment' }).waitFor();
    await screenshot(page, 'shop-fields-paid');
    // the session captures automatically
    await until(async () => place.holds(before).length === 2);
    expect(place.holds(before).map((effect) => effect.replace(/ \d+/, ''))).to.deep.equal(['hold', 'capture']);
    await running.end('SIGINT');
  });

  it('leave no fault in the log, and no number of a card', () => {
    expect(errorsIn(place.stderr())).to.deep.equal([]);
    expect(place.stderr()).not.to.match(/4242 ?4242|4000 ?0000/);
  });
});
