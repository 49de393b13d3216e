// A session is routed before its fields are shown: the shopper sees the fields of the connection that the rules choose,
// and the payment keeps to it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { errorsIn } from '../../support/service-process.ts';
import { until } from '../../support/until.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import type { Shopper } from './merchant.ts';
import { fieldsIn, openTwinPlace, shopperAt, type TwinPlace } from './twin-place.ts';

const Token = z.looseObject({ token: z.string() });
const Refused = z.looseObject({ error: z.looseObject({ errorId: z.string() }) });
const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), data: z.looseObject({}) })) });
const to = (connection: string, then: readonly string[] = []) => ({ use: [{ connection, weight: 1 }], then });

describeInBrowser('the connection whose fields a shopper sees', () => {
  const browser = openBrowser();
  let place: TwinPlace;
  before(async () => {
    place = await openTwinPlace({ isFurther: true });
  });
  after(() => place.close());

  /** Sets the rules, and resolves when the service goes by them: a session for 200.00 EUR then has these fields. */
  const route = async (rules: object, connections: readonly string[]): Promise<void> => {
    await writeFile(join(place.directory.place.dir, 'rules.json'), JSON.stringify(rules));
    const { code, stderr } = await place.directory.place.run('routing set rules.json', { env: place.env });
    expect([code, stderr]).to.deep.equal([0, stderr]);
    const clientToken = await place.session('probe', { ...AUTOMATIC, amount: 20_000 });
    await until(async () => (await routed(clientToken)).map(([name]) => name).join() === connections.join());
  };
  const routed = async (clientToken: string) =>
    ((await place.drawn(clientToken)).fields ?? []).map(
      ({ connectionId, methods }) => [connectionId === place.connectionId ? 'eu' : 'us', methods] as const,
    );
  /** What the fields of a connection made, as a browser sends it. */
  const sendToken = (clientToken: string, which: 'eu' | 'us') =>
    place.client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', {
      processorToken: {
        connectionId: which === 'eu' ? place.connectionId : place.furtherId,
        type: 'confirmation_token',
        token: place.twin.accounts[which === 'eu' ? 0 : 1]?.confirmationToken('pm_card_visa') ?? '',
      },
    });
  const patch = (clientToken: string, amount: number) =>
    place.client.call('PATCH', '/client-session', { clientToken, amount });
  const fillCard = async (shopper: Shopper): Promise<void> => {
    const fields = fieldsIn(shopper);
    await fields.locator('[name=number]').fill('4242 4242 4242 4242');
    await fields.locator('[name=expiry]').fill('12 / 39');
    await fields.locator('[name=cvc]').fill('123');
  };
  /** The route of the order's newest payment, as its event has it. */
  const chosenFor = async (orderId: string): Promise<object> => {
    const [payment] = await place.paymentsOf(orderId);
    const { text } = await place.client.call('GET', `/payments/${payment?.id}/events`);
    return Events.parse(JSON.parse(text)).data.find(({ type }) => type === 'RouteChosen')?.data ?? {};
  };
  const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
  const CARDS = { paymentMethod: { orderedAllowedMethods: ['PAYMENT_CARD'] } };
  const LARGE = { rules: [{ name: 'large', when: { amount: { gte: 10_000 } }, ...to('us') }], default: to('eu') };

  describe('by rules about the amount', () => {
    before(() => route(LARGE, ['us']));

    it('follows a PATCH, and the page asks for the card again at the other one', async () => {
      const clientToken = await place.session('grown', CARDS);
      const shopper = await shopperAt(place, await browser.newPage(), { clientToken });
      await fillCard(shopper);
      expect(await shopper.inFrame('location.search')).to.contain(place.connectionId);
      await patch(clientToken, 12_000);
      await Promise.all([
        shopper.page.waitForEvent('framenavigated', (frame) => frame.url().includes(`connection=${place.furtherId}`)),
        shopper.page.evaluate('void checkout.refresh()'),
      ]);
      await fieldsIn(shopper).locator('[name=number]').waitFor();
      await fillCard(shopper);
      await shopper.pay();
      await shopper.message('complete');
      expect(await chosenFor('grown')).to.deep.include({ rule: 'large', connectionId: place.furtherId });
      expect(place.twin.accounts[1]?.events.some(({ type }) => type === 'payment_intent.created')).to.equal(true);
    });

    it('stays the one of the card that was entered before a PATCH', async () => {
      const clientToken = await place.session('kept', CARDS);
      const made = await sendToken(clientToken, 'eu');
      await patch(clientToken, 12_000);
      const paid = await place.client.inCheckout(clientToken, 'POST', '/checkout/payments', {
        paymentMethodToken: Token.parse(JSON.parse(made.text)).token,
      });
      expect([paid.status, paid.text]).to.deep.equal([200, paid.text]);
      expect(await chosenFor('kept')).to.deep.include({
        rule: 'large',
        connectionId: place.connectionId,
        skipped: [{ connectionId: place.furtherId, connectionName: 'us', because: 'no_token' }],
      });
    });
  });

  describe('by rules about the amount, named by a browser itself', () => {
    before(() => route(LARGE, ['us']));

    it('takes a card if the session had its fields once, and no other', async () => {
      const clientToken = await place.session('named', CARDS);
      const refused = await sendToken(clientToken, 'us');
      expect([refused.status, Refused.parse(JSON.parse(refused.text)).error.errorId]).to.deep.equal([
        422,
        'RequestValidationError',
      ]);
      expect(refused.text).to.include('$.processorToken.connectionId');
      await patch(clientToken, 12_000);
      expect([(await sendToken(clientToken, 'us')).status, (await sendToken(clientToken, 'eu')).status]).to.deep.equal([
        200, 200,
      ]);
    });
  });

  describe('by rules about the method', () => {
    const RULES = {
      rules: [
        { name: 'iDEAL', when: { methodType: ['IDEAL'] }, ...to('us') },
        {
          name: 'cards of the sandbox',
          when: { metadata: { card: ['typed'] }, methodType: ['PAYMENT_CARD'] },
          ...to('sandbox'),
        },
      ],
      default: to('eu'),
    };
    before(() => route(RULES, ['eu', 'us']));

    it('differs for each, on one page', async () => {
      const clientToken = await place.session('mixed', AUTOMATIC);
      expect((await routed(clientToken)).find(([name]) => name === 'us')?.[1]).to.deep.equal(['IDEAL']);
      const shopper = await shopperAt(place, await browser.newPage(), { clientToken });
      await shopper.frame.getByRole('radio', { name: 'iDEAL' }).check();
      const [bank] = await Promise.all([shopper.page.waitForEvent('popup'), shopper.pay()]);
      await bank.getByRole('button', { name: 'Approve' }).click();
      await shopper.message('complete');
      const chosen = await chosenFor('mixed');
      expect(chosen).to.include({ rule: 'iDEAL', connectionId: place.furtherId });
      expect(chosen).not.to.have.property('skipped');
    });

    it('may be the sandbox for some, whose fields are our own', async () => {
      const clientToken = await place.session('typed', { ...AUTOMATIC, metadata: { card: 'typed' } });
      const shopper = await shopperAt(place, await browser.newPage(), { clientToken });
      await shopper.fill('4242 4242 4242 4242');
      await shopper.pay();
      await shopper.message('complete');
      expect((await place.paymentsOf('typed'))[0]?.processor.name).to.equal('sandbox');
      expect(await chosenFor('typed')).to.deep.include({ connectionId: 'sandbox' });
    });
  });

  describe('that is disabled', () => {
    it('takes no card that its fields made, and another one shows its fields', async () => {
      await route({ rules: [], default: to('us', ['eu']) }, ['us']);
      const clientToken = await place.session('disabled', CARDS);
      const made = await sendToken(clientToken, 'us');
      await place.directory.place.run('connections disable us', { env: place.env });
      await until(async () => (await routed(clientToken))[0]?.[0] === 'eu');
      const paid = await place.client.inCheckout(clientToken, 'POST', '/checkout/payments', {
        paymentMethodToken: Token.parse(JSON.parse(made.text)).token,
      });
      expect([paid.status, Refused.parse(JSON.parse(paid.text)).error.errorId]).to.deep.equal([
        422,
        'OperationNotSupported',
      ]);
      expect(await place.paymentsOf('disabled')).to.deep.equal([]);
    });
  });

  it('leaves no fault in the log', () => {
    expect(errorsIn(place.stderr())).to.deep.equal([]);
  });
});
