// Methods besides cards at Stripe, over its twin: what the PaymentIntent is made for, what the customer does, and when
// the money is taken.
import { expect } from 'chai';
import { METHODS, type PaymentMethodType } from '../../../src/domain/payment-method.ts';
import type { AuthorizationRequest } from '../../../src/processors/processor.ts';
import { captureMethodOf, STRIPES_METHODS } from '../../../src/processors/stripe/methods.ts';
import { nameOf, openTwinShop, type TwinShop } from './twin-shop.ts';

type Other = NonNullable<AuthorizationRequest['paymentMethodType']>;
const PAGES: readonly [Other, string, 'automatic' | 'manual'][] = [
  ['IDEAL', 'ideal', 'automatic'],
  ['BANCONTACT', 'bancontact', 'automatic'],
  ['KLARNA', 'klarna', 'manual'],
];

describe('the Stripe adapter, of other methods than cards,', () => {
  let shop: TwinShop;
  before(async () => {
    shop = await openTwinShop();
  });
  after(() => shop.close());

  const tokenize = (fieldToken: string) =>
    shop.stripe.tokenize(
      { reference: 'tok_1', accountId: 'acc_1', from: { fieldToken, fieldType: 'confirmation_token' } },
      shop.call(),
    );
  const account = () => shop.twin.accounts[0];
  const methodOf = async (name: string): Promise<{ readonly type: PaymentMethodType; readonly data: object }> => {
    const told = await tokenize(account().confirmationToken(name));
    if (!('method' in told)) throw new Error(`not a method: ${JSON.stringify(told)}`);
    expect(told.paysOnce).to.equal(true);
    return told.method;
  };
  const confirmed = async (paymentMethodType: Other, name: string) => {
    const processorToken = account().confirmationToken(name);
    const request = await shop.prepared({ paymentMethodType, processorToken });
    const form = new URLSearchParams(shop.heard.at(-1)?.body);
    return { request, form, outcome: await shop.stripe.perform(request, shop.call()) };
  };
  const lookedUp = (request: AuthorizationRequest) => shop.stripe.lookUp(request, shop.call());

  it('reads of a token what may be shown', async () => {
    expect(await methodOf('pm_ideal')).to.deep.equal({ type: 'IDEAL', data: { bankName: 'rabobank' } });
    expect(await methodOf('pm_sepa_debit')).to.deep.equal({ type: 'SEPA_DEBIT', data: { ibanLast4: '3000' } });
    expect(await methodOf('pm_bancontact')).to.deep.equal({ type: 'BANCONTACT', data: {} });
    expect(await methodOf('pm_klarna')).to.deep.equal({ type: 'KLARNA', data: {} });
  });

  it('takes the card of a wallet for a card', async () => {
    for (const [name, wallet] of [
      ['pm_apple_pay', 'APPLE_PAY'],
      ['pm_google_pay', 'GOOGLE_PAY'],
    ] as const) {
      const told = await tokenize(account().confirmationToken(name));
      expect('card' in told && told.card.wallet).to.equal(wallet);
    }
  });

  for (const [type, name, captureMethod] of PAGES)
    describe(type, () => {
      it('sends the customer to a page, and takes the money as the method does', async () => {
        const { request, form, outcome } = await confirmed(type, `pm_${name}`);
        expect(form.get('allowed_payment_method_types[]')).to.equal(name);
        expect(form.get('capture_method')).to.equal(captureMethod);
        expect([...form.keys()].some((key) => key.includes('[card]'))).to.equal(false);
        expect(outcome).to.have.property('kind', 'requires_action');
        expect(outcome.kind === 'requires_action' && outcome.action.kind).to.equal('redirect');
        account().approve(nameOf(request));
        const paid = await lookedUp(request);
        expect(paid).to.deep.include({ kind: 'succeeded', amount: 1_000, currencyCode: 'EUR' });
        const captured = paid.kind === 'succeeded' ? paid.authorization?.captured : undefined;
        expect(captured).to.equal(captureMethod === 'automatic' ? true : undefined);
        const { possible } = (paid.kind === 'succeeded' && paid.authorization) || {};
        expect(possible).to.deep.equal({ multipleCaptures: false, adjustment: false });
      });

      it('is refunded', async () => {
        const { request } = await confirmed(type, `pm_${name}`);
        account().approve(nameOf(request));
        if (captureMethod === 'manual')
          expect(await shop.stripe.perform(shop.follow(request, 'capture'), shop.call())).to.have.property(
            'kind',
            'succeeded',
          );
        const refund = await shop.stripe.perform(shop.follow(request, 'refund', { amount: 400 }), shop.call());
        expect(refund).to.include({ kind: 'succeeded', amount: 400 });
      });

      it('is declined where the customer refuses, and the fence ends what could be confirmed again', async () => {
        const { request } = await confirmed(type, `pm_${name}`);
        account().fail(nameOf(request));
        expect(await lookedUp(request)).to.include({
          kind: 'declined',
          code: 'GENERIC_DECLINE',
          declineType: 'HARD',
          fence: 'owed',
        });
        await shop.stripe.fence?.(request, shop.call());
        expect(shop.twin.unreversed(request.paymentId)).to.deep.equal([]);
      });

      it('is ended by a fence before its customer is back', async () => {
        const { request } = await confirmed(type, `pm_${name}`);
        expect(await shop.stripe.fence?.(request, shop.call())).to.have.property('kind', 'requires_action');
        expect(() => account().approve(nameOf(request))).to.throw();
        expect(shop.twin.unreversed(request.paymentId)).to.deep.equal([]);
      });
    });

  describe('SEPA_DEBIT', () => {
    it('is pending for days, and then has taken the money', async () => {
      const { request, form, outcome } = await confirmed('SEPA_DEBIT', 'pm_sepa_debit');
      expect(form.get('capture_method')).to.equal('automatic');
      expect(outcome).to.include({ kind: 'pending', processorTransactionId: nameOf(request) });
      expect(await lookedUp(request)).to.have.property('kind', 'pending');
      account().approve(nameOf(request));
      const paid = await lookedUp(request);
      expect(paid.kind === 'succeeded' && paid.authorization?.captured).to.equal(true);
    });

    it('that the bank refuses is declined', async () => {
      const { request } = await confirmed('SEPA_DEBIT', 'pm_sepa_debit');
      account().fail(nameOf(request));
      expect(await lookedUp(request)).to.include({ kind: 'declined', code: 'GENERIC_DECLINE' });
    });
  });

  describe('what a customer keeps', () => {
    type Kept = Partial<AuthorizationRequest>;
    /** Pays with the fields' token, and answers the token of what Stripe keeps then. */
    const keep = async (name: string, more: Kept): Promise<string> => {
      const processorToken = account().confirmationToken(name);
      const request = await shop.prepared({ processorToken, keeps: true, ...more });
      const outcome = await shop.stripe.perform(request, shop.call());
      if (outcome.kind === 'pending') account().approve(nameOf(request));
      const told = await shop.stripe.kept?.(request, shop.call());
      if (told?.kind !== 'kept') throw new Error(`nothing is kept: ${JSON.stringify(told)}`);
      return told.processorToken;
    };

    for (const [what, name, more] of [
      ['a card', 'pm_card_visa', {}],
      ['the card of a wallet', 'pm_apple_pay', {}],
    ] as const)
      it(`is ${what} that is charged again without the customer`, async () => {
        const processorToken = await keep(name, more);
        expect(processorToken).to.match(/^cus_\w+\/pm_\w+$/);
        const again = await shop.prepared({ processorToken, offSession: true });
        expect(await shop.stripe.perform(again, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
      });

    it('is a mandate of SEPA that is debited again without the customer', async () => {
      const processorToken = await keep('pm_sepa_debit', { paymentMethodType: 'SEPA_DEBIT' });
      const again = await shop.prepared({ processorToken, paymentMethodType: 'SEPA_DEBIT', offSession: true });
      expect(await shop.stripe.perform(again, shop.call())).to.have.property('kind', 'pending');
      account().approve(nameOf(again));
      expect(await lookedUp(again)).to.include({ kind: 'succeeded', amount: 1_000 });
    });

    it('is nothing where nobody asked for it', async () => {
      const request = await shop.authorized({ processorToken: account().confirmationToken('pm_card_visa') });
      expect(await shop.stripe.kept?.(request, shop.call())).to.deep.equal({ kind: 'not_found' });
    });

    it('is asked for again where Stripe does not answer', async () => {
      const request = await shop.authorized({
        processorToken: account().confirmationToken('pm_card_visa'),
        keeps: true,
      });
      shop.answerNext({ status: 500, body: 'gone' });
      expect(await shop.stripe.kept?.(request, shop.call())).to.have.property('kind', 'unreachable');
    });

    it('is nothing where Stripe knows no such PaymentIntent any longer', async () => {
      const request = await shop.authorized({
        processorToken: account().confirmationToken('pm_card_visa'),
        keeps: true,
      });
      shop.answerNext({ status: 404, body: JSON.stringify({ error: { type: 'invalid_request_error' } }) });
      expect(await shop.stripe.kept?.(request, shop.call())).to.deep.equal({ kind: 'not_found' });
    });

    it('costs a customer at Stripe, without which nothing is sent', async () => {
      const processorToken = account().confirmationToken('pm_card_visa');
      const request = shop.authorization({ processorToken, keeps: true });
      shop.answerNext({ status: 403, body: JSON.stringify({ error: { type: 'invalid_request_error' } }) });
      expect(await shop.stripe.prepare?.(request, shop.call())).to.have.property('kind', 'not_sent');
      expect(shop.twin.unreversed(request.paymentId)).to.deep.equal([]);
    });
  });

  it('takes the money when the table of methods says so', () => {
    for (const type of STRIPES_METHODS)
      expect(captureMethodOf(type), type).to.equal(METHODS[type].capture === 'separate' ? 'manual' : 'automatic');
  });

  it('has a descriptor of its own, because a suffix is of cards', async () => {
    await shop.prepared({ paymentMethodType: 'KLARNA', descriptor: 'Order 7' });
    const form = new URLSearchParams(shop.heard.at(-1)?.body);
    expect(form.get('statement_descriptor')).to.equal('Order 7');
    expect(form.has('statement_descriptor_suffix')).to.equal(false);
  });

  it('is refused with a token of another method', async () => {
    const processorToken = account().confirmationToken('pm_klarna');
    const request = await shop.prepared({ paymentMethodType: 'IDEAL', processorToken });
    expect(await shop.stripe.perform(request, shop.call())).to.have.property('kind', 'refused');
  });
});
