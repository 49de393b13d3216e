// Each operation of the Stripe adapter against the twin: its calls in order, what it comes to, and what is read of it.
import { expect } from 'chai';
import { Possible } from '../../../src/domain/payment/events.ts';
import { nameOf, newReference, openTwinShop, type TwinShop } from './twin-shop.ts';

const INTENT = '/v1/payment_intents';
const READ = `GET ${INTENT}/{pi}`;
const BURN = `POST ${INTENT}/{pi} R`;
const CONFIRM = `POST ${INTENT}/{pi}/confirm R`;
const TIDY = `POST ${INTENT}/{pi}/cancel`;

describe('the Stripe adapter', () => {
  let shop: TwinShop;
  before(async () => {
    shop = await openTwinShop();
  });
  after(() => shop.close());
  beforeEach(() => shop.lines());

  const kinds = () => shop.twin.effects().map(({ kind, amount }) => `${kind} ${amount}`);
  const sinceNow = () => {
    const before = kinds().length;
    return () => kinds().slice(before);
  };

  it('makes a PaymentIntent, and moves no money by it', async () => {
    const effects = sinceNow();
    const request = shop.authorization({ descriptor: 'Order "7"', isEstimated: true, threeDSecure: 'ask' });
    const prepared = await shop.stripe.prepare?.(request, shop.call());
    expect(prepared?.kind).to.equal('prepared');
    expect(shop.heard.at(-1)?.headers).to.include({
      'stripe-version': '2026-10-28.endive',
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': `${request.reference}p`,
    });
    expect(shop.heard.at(-1)?.headers).not.to.have.any.keys('x-stripe-client-telemetry', 'user-agent');
    const form = Object.fromEntries(new URLSearchParams(shop.heard.at(-1)?.body));
    expect(form).to.deep.equal({
      amount: '1000',
      currency: 'eur',
      capture_method: 'manual',
      'allowed_payment_method_types[]': 'card',
      'metadata[counterfoil_reference]': request.reference,
      'metadata[counterfoil_payment]': request.paymentId,
      'metadata[burnt]': 'none',
      statement_descriptor_suffix: 'Order 7',
      'payment_method_options[card][request_three_d_secure]': 'challenge',
      'payment_method_options[card][request_multicapture]': 'if_available',
      'payment_method_options[card][request_incremental_authorization]': 'if_available',
    });
    expect(shop.lines()).to.deep.equal([`POST ${INTENT} Rp`]);
    expect(effects()).to.deep.equal([]);
  });

  it('says what a card is kept for, and why it is charged without the customer', async () => {
    const sentFor = async (more: object): Promise<readonly (string | null)[]> => {
      const processorToken = shop.twin.accounts[0].confirmationToken('pm_card_visa');
      await shop.prepared({ processorToken, ...more });
      const form = new URLSearchParams(shop.heard.at(-1)?.body);
      const option = (name: string): string | null => form.get(`payment_method_options[card][${name}]`);
      return [option('setup_credential_usage'), option('stored_credential_usage')];
    };
    expect(await sentFor({ keeps: true, paymentType: 'FIRST_PAYMENT' })).to.deep.equal(['recurring', null]);
    expect(await sentFor({ keeps: true })).to.deep.equal([null, null]);
    expect(await sentFor({ offSession: true, paymentType: 'SUBSCRIPTION' })).to.deep.equal([null, 'recurring']);
    expect(await sentFor({ offSession: true, paymentType: 'UNSCHEDULED' })).to.deep.equal([null, 'unscheduled']);
    const instalment = { offSession: true, paymentType: 'SUBSCRIPTION', agreement: { kind: 'INSTALLMENT' } };
    expect(await sentFor(instalment)).to.deep.equal([null, 'installment']);
  });

  it("tells the network's own names of a payment, by which later ones refer to it", async () => {
    const request = await shop.authorized({ processorToken: 'pm_card_mastercard' });
    const found = await shop.stripe.lookUp(request, shop.call());
    const { networkTransactionId, transactionLinkId } = (found.kind === 'succeeded' && found.authorization) || {};
    expect([networkTransactionId, transactionLinkId].map((name) => typeof name)).to.deep.equal(['string', 'string']);
  });

  it('confirms it, and holds once', async () => {
    const effects = sinceNow();
    const request = await shop.prepared();
    const outcome = await shop.stripe.perform(request, shop.call());
    expect(outcome).to.deep.include({
      kind: 'succeeded',
      processorTransactionId: request.processorTransactionId,
      amount: 1_000,
      currencyCode: 'EUR',
    });
    const authorization = outcome.kind === 'succeeded' ? outcome.authorization : undefined;
    expect(authorization?.cvcResult).to.equal('MATCH');
    expect(authorization?.holdExpiresAt).to.be.greaterThan(shop.twin.now() + 6 * 86_400_000);
    expect(shop.lines()).to.deep.equal([`POST ${INTENT} Rp`, CONFIRM]);
    expect(effects()).to.deep.equal(['hold 1000']);
    expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal(outcome);
    expect(shop.lines()).to.deep.equal([READ]);
  });

  it('sends no confirmation of what has no name on record', async () => {
    const request = shop.authorization();
    expect(await shop.stripe.perform(request, shop.call())).to.have.property('kind', 'not_sent');
    expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal({ kind: 'not_found' });
    expect(await shop.stripe.fence?.(request, shop.call())).to.deep.equal({ kind: 'not_found' });
    const capture = { ...shop.follow(request, 'cancellation'), authorization: { reference: request.reference } };
    if (capture.operation !== 'cancellation') throw new Error('not a cancellation');
    expect(await shop.stripe.perform(capture, shop.call())).to.have.property('kind', 'not_sent');
    expect(shop.lines()).to.deep.equal([]);
  });

  it('captures a part, once', async () => {
    const request = await shop.authorized();
    const capture = shop.follow(request, 'capture', { amount: 600 });
    expect(await shop.stripe.lookUp(capture, shop.call())).to.deep.equal({ kind: 'not_found' });
    shop.lines();
    const effects = sinceNow();
    const outcome = await shop.stripe.perform(capture, shop.call());
    expect(outcome).to.deep.include({ kind: 'succeeded', amount: 600, currencyCode: 'EUR' });
    expect(nameOf(outcome)).to.match(/^ch_/);
    expect(shop.lines()).to.deep.equal([`POST ${INTENT}/{pi}/capture R`]);
    expect(effects()).to.deep.equal(['capture 600', 'release 400']);
    expect(await shop.stripe.lookUp(capture, shop.call())).to.deep.equal(outcome);
    expect(shop.lines()).to.deep.equal([READ]);
    // another capture of the same PaymentIntent is not this one
    const other = shop.follow(request, 'capture', { amount: 400 });
    expect(await shop.stripe.lookUp(other, shop.call())).to.include({ kind: 'declined', code: 'NOTHING_TO_CAPTURE' });
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
  });

  it('captures several times where the charge allows it, each amount by its own note', async () => {
    const request = await shop.authorized();
    const effects = sinceNow();
    const first = shop.follow(request, 'capture', { amount: 600 });
    const second = shop.follow(request, 'capture', { amount: 300 });
    if (first.operation !== 'capture') throw new Error('not a capture');
    const outcome = await shop.stripe.perform({ ...first, final: false }, shop.call());
    expect(outcome).to.deep.include({ kind: 'succeeded', amount: 600 });
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
    expect(await shop.stripe.perform(second, shop.call())).to.deep.include({ kind: 'succeeded', amount: 300 });
    expect(effects()).to.deep.equal(['capture 600', 'capture 300', 'release 100']);
    // a read knows each of them, and a third as none
    const third = shop.follow(request, 'capture', { amount: 100 });
    const found = await Promise.all([first, second, third].map((one) => shop.stripe.lookUp(one, shop.call())));
    expect(found.map((one) => (one.kind === 'succeeded' ? one.amount : one.kind))).to.deep.equal([
      600,
      300,
      'declined',
    ]);
  });

  it('captures and raises 47 times, as many as Stripe keeps notes for: the next is not sent, and a lost one settled', async () => {
    const request = await shop.authorized();
    const part = () => {
      const capture = shop.follow(request, 'capture', { amount: 1 });
      if (capture.operation !== 'capture') throw new Error('not a capture');
      return { ...capture, final: false };
    };
    for (let captures = 0; captures < 47; captures += 1)
      expect(await shop.stripe.perform(part(), shop.call())).to.deep.include({ kind: 'succeeded', amount: 1 });
    const effects = sinceNow();
    const refused = await shop.stripe.perform(part(), shop.call());
    expect(refused).to.have.property('kind', 'refused');
    expect(refused).to.have.property('detail').that.contains('invalid_request_error');
    expect(await shop.stripe.fence?.(part(), shop.call())).to.deep.equal({ kind: 'not_found' });
    expect(effects()).to.deep.equal([]);
  });

  it('says of each authorization what its card allows', async () => {
    const told = async (processorToken: string) => {
      const outcome = await shop.stripe.perform(await shop.prepared({ processorToken }), shop.call());
      return outcome.kind === 'succeeded' ? outcome.authorization?.possible : outcome;
    };
    const [flexible, rigid] = [await told('pm_card_visa'), await told('pm_card_amex')];
    expect(flexible).to.deep.equal({ multipleCaptures: true, adjustment: false });
    expect(rigid).to.deep.equal({ multipleCaptures: false, adjustment: false });
    const can = (possible: unknown) =>
      shop.stripe.capabilities(shop.connection, { network: 'VISA', possible: Possible.parse(possible) });
    expect(can(flexible)).to.include({ multipleCaptures: true, adjustment: 'none' });
    expect(can({ multipleCaptures: false, adjustment: true })).to.include({ adjustment: 'raise' });
  });

  it('releases an authorization', async () => {
    const request = await shop.authorized();
    const cancellation = shop.follow(request, 'cancellation');
    expect(await shop.stripe.lookUp(cancellation, shop.call())).to.deep.equal({ kind: 'not_found' });
    shop.lines();
    const effects = sinceNow();
    const outcome = await shop.stripe.perform(cancellation, shop.call());
    expect(outcome).to.deep.include({ kind: 'succeeded', amount: 0, currencyCode: 'EUR' });
    expect(shop.lines()).to.deep.equal([`POST ${INTENT}/{pi}/cancel R`]);
    expect(effects()).to.deep.equal(['release 1000']);
    expect(await shop.stripe.lookUp(cancellation, shop.call())).to.deep.equal(outcome);
    // it had been authorized all the same
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
    const again = await shop.stripe.perform(shop.follow(request, 'cancellation'), shop.call());
    expect(again, 'released already').to.include({ kind: 'succeeded', amount: 0 });
  });

  it('knows at once that nothing can follow what was canceled at Stripe', async () => {
    for (const operation of ['capture', 'adjustment'] as const) {
      const request = await shop.authorized({ isEstimated: true });
      await shop.stripe.perform(shop.follow(request, 'cancellation'), shop.call());
      const late = shop.follow(request, operation);
      shop.lines();
      const closed = { kind: 'declined', code: 'AUTHORIZATION_CLOSED', declineType: 'HARD' };
      expect(await shop.stripe.perform(late, shop.call())).to.deep.equal(closed);
      expect(shop.lines().slice(1), 'the refusal tells a state, which is read').to.deep.equal([READ]);
      expect(await shop.stripe.lookUp(late, shop.call())).to.deep.equal(closed);
      expect(await shop.stripe.fence?.(late, shop.call())).to.deep.equal(closed);
    }
  });

  it('takes no more for a capture of ours than it was sent for, whatever was captured beside it', async () => {
    const capture = shop.follow(await shop.authorized(), 'capture', { amount: 400 });
    expect(await shop.stripe.perform(capture, shop.call())).to.include({ kind: 'succeeded', amount: 400 });
    shop.twin.fault({ method: 'GET' }, { kind: 'altered', members: { amount_received: 1_000 } });
    expect(await shop.stripe.lookUp(capture, shop.call())).to.include({ kind: 'succeeded', amount: 400 });
  });

  it('takes a PaymentIntent without its notes for no proof', async () => {
    const capture = shop.follow(await shop.captured(), 'capture');
    shop.twin.fault({ method: 'GET' }, { kind: 'altered', members: { metadata: 'none' } });
    expect(await shop.stripe.lookUp(capture, shop.call())).to.have.property('kind', 'unknown');
  });

  it('raises an authorization', async () => {
    const request = await shop.authorized({ isEstimated: true });
    const adjustment = shop.follow(request, 'adjustment');
    shop.lines();
    const effects = sinceNow();
    const outcome = await shop.stripe.perform(adjustment, shop.call());
    expect(outcome).to.deep.include({ kind: 'succeeded', amount: 1_500, currencyCode: 'EUR' });
    expect(shop.lines()).to.deep.equal([`POST ${INTENT}/{pi}/increment_authorization R`]);
    expect(effects()).to.deep.equal(['increase 500']);
    expect(await shop.stripe.lookUp(adjustment, shop.call())).to.deep.equal(outcome);
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
    const higher = shop.follow(request, 'adjustment', { amount: 2_000 });
    expect(await shop.stripe.lookUp(higher, shop.call())).to.deep.equal({ kind: 'not_found' });
  });

  it('refunds, and finds a refund past many pages of others', async () => {
    const request = await shop.captured();
    const first = shop.follow(request, 'refund', { amount: 5 });
    shop.lines();
    const outcome = await shop.stripe.perform(first, shop.call());
    expect(outcome).to.deep.include({ kind: 'succeeded', amount: 5, currencyCode: 'EUR' });
    expect(shop.lines()).to.deep.equal(['POST /v1/refunds R']);
    for (let one = 0; one < 205; one += 1)
      await shop.stripe.perform(shop.follow(request, 'refund', { amount: 1 }), shop.call());
    shop.lines();
    expect(await shop.stripe.lookUp(first, shop.call())).to.deep.equal(outcome);
    expect(shop.lines()).to.deep.equal(['GET /v1/refunds', 'GET /v1/refunds', 'GET /v1/refunds']);
    const other = { ...first, reference: newReference() };
    expect(await shop.stripe.lookUp(other, shop.call())).to.deep.equal({ kind: 'not_found' });
  });

  it('finds an authorization among many newer ones', async () => {
    const request = await shop.authorized();
    for (let one = 0; one < 150; one += 1) await shop.prepared();
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded' });
  });

  it('waits for a pending refund', async () => {
    const request = await shop.captured({ processorToken: 'pm_card_pendingRefund' });
    const refund = shop.follow(request, 'refund');
    const pending = await shop.stripe.perform(refund, shop.call());
    expect(pending.kind).to.equal('pending');
    shop.twin.accounts[0].completeRefund(nameOf(pending));
    expect(await shop.stripe.lookUp(refund, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
    shop.twin.accounts[0].failRefund(nameOf(pending));
    expect(await shop.stripe.lookUp(refund, shop.call())).to.include({ kind: 'declined', code: 'EXPIRED_CARD' });
  });

  it('says what Stripe itself refuses', async () => {
    const tiny = await shop.stripe.prepare?.(shop.authorization({ amount: 10 }), shop.call());
    expect(tiny).to.include({ kind: 'refused', code: 'AMOUNT_TOO_SMALL' });
    expect(tiny)
      .to.have.property('detail')
      .that.matches(/status 400: .*: Amount must convert to at least 50 cents\.$/);
    const request = await shop.authorized();
    const large = await shop.stripe.perform(shop.follow(request, 'capture', { amount: 1_001 }), shop.call());
    expect(large).to.include({ kind: 'refused', code: 'AMOUNT_TOO_LARGE' });
    const captured = await shop.captured();
    const refund = shop.follow(captured, 'refund');
    await shop.stripe.perform(refund, shop.call());
    const twice = await shop.stripe.perform(shop.follow(captured, 'refund', { amount: 1 }), shop.call());
    expect(twice).to.include({ kind: 'refused', code: 'AMOUNT_ABOVE_REFUNDABLE' });
  });

  it('refuses an amount between two steps of a currency before anything is sent', async () => {
    const between = { kind: 'declined', code: 'AMOUNT_NOT_DIVISIBLE', declineType: 'HARD' };
    const request = shop.authorization({ amount: 12_345, currencyCode: 'KWD' });
    expect(await shop.stripe.prepare?.(request, shop.call())).to.deep.equal(between);
    const held = await shop.authorized({ amount: 12_340, currencyCode: 'KWD' });
    shop.lines();
    expect(await shop.stripe.perform(shop.follow(held, 'capture', { amount: 1 }), shop.call())).to.deep.equal(between);
    expect(shop.lines()).to.deep.equal([]);
  });

  it('counts ISK in hundredths there and in whole ones here', async () => {
    const effects = sinceNow();
    const request = await shop.authorized({ amount: 500, currencyCode: 'ISK' });
    expect(await shop.stripe.lookUp(request, shop.call())).to.include({ amount: 500, currencyCode: 'ISK' });
    expect(effects()).to.deep.equal(['hold 50000']);
  });

  describe('a fence', () => {
    it('proves that a prepared authorization never happens', async () => {
      const request = await shop.prepared();
      shop.lines();
      const effects = sinceNow();
      expect(await shop.stripe.fence?.(request, shop.call())).to.deep.equal({ kind: 'not_found' });
      expect(shop.lines()).to.deep.equal([BURN, READ, TIDY]);
      expect(await shop.stripe.perform(request, shop.call())).to.have.property('kind', 'unknown');
      expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal({ kind: 'not_found' });
      expect(await shop.stripe.fence?.(request, shop.call())).to.deep.equal({ kind: 'not_found' });
      expect(effects()).to.deep.equal([]);
    });

    it('leaves a success alone', async () => {
      const request = await shop.authorized();
      shop.lines();
      expect(await shop.stripe.fence?.(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
      expect(shop.lines()).to.deep.equal([BURN, READ]);
    });

    it('proves what follows an authorization, both ways', async () => {
      for (const [operation, list] of [
        ['capture', READ],
        ['cancellation', READ],
        ['adjustment', READ],
        ['refund', 'GET /v1/refunds'],
      ] as const) {
        const more = { isEstimated: true } as const;
        const request = await (operation === 'refund' ? shop.captured(more) : shop.authorized(more));
        const lost = shop.follow(request, operation);
        shop.lines();
        expect(await shop.stripe.fence?.(lost, shop.call()), operation).to.deep.equal({ kind: 'not_found' });
        expect(shop.lines(), operation).to.deep.equal([BURN, list]);
        const effects = sinceNow();
        expect(await shop.stripe.perform(lost, shop.call()), operation).to.have.property('kind', 'unknown');
        expect(effects(), operation).to.deep.equal([]);
        const done = shop.follow(request, operation);
        const outcome = await shop.stripe.perform(done, shop.call());
        expect(outcome.kind, operation).to.equal('succeeded');
        expect(await shop.stripe.fence?.(done, shop.call()), operation).to.deep.equal(outcome);
      }
    });
  });

  describe('a token', () => {
    const tokenize = (fieldToken: string, fieldType = 'confirmation_token') =>
      shop.stripe.tokenize({ reference: 'tok_1', accountId: 'acc_1', from: { fieldToken, fieldType } }, shop.call());

    it('is read for what may be shown, and pays', async () => {
      const fieldToken = shop.twin.accounts[0].confirmationToken('pm_card_mastercard');
      const told = await tokenize(fieldToken);
      expect(shop.lines()).to.deep.equal(['GET /v1/confirmation_tokens/{ctoken}']);
      expect(told).to.deep.include({ kind: 'token', processorToken: fieldToken });
      expect('card' in told && told.card).to.deep.equal({
        network: 'MASTERCARD',
        last4Digits: '4444',
        expirationMonth: '08',
        expirationYear: '2034',
      });
      expect(told.kind === 'token' && told.fingerprint).to.be.a('string');
      await shop.authorized({ processorToken: fieldToken });
      expect(new URLSearchParams(shop.heard.at(-1)?.body).get('confirmation_token')).to.equal(fieldToken);
    });

    it('is used up by its first confirmation: the card has to be entered again', async () => {
      const fieldToken = shop.twin.accounts[0].confirmationToken('pm_card_visa');
      const first = await shop.prepared({ processorToken: fieldToken });
      shop.twin.fault({ path: /confirm$/ }, { kind: 'declined', declineCode: 'authentication_required' });
      const wanted = await shop.stripe.perform(first, shop.call());
      expect(wanted).to.include({ kind: 'declined', code: 'CARD_ENTRY_REQUIRED', declineType: 'SOFT' });
      expect(await shop.stripe.lookUp(first, shop.call())).to.deep.include(wanted);
      const second = await shop.prepared({ processorToken: fieldToken });
      const used = await shop.stripe.perform(second, shop.call());
      expect(used).to.deep.equal({ kind: 'declined', code: 'CARD_DETAILS_USED', declineType: 'HARD' });
      // so no fence is owed, which could prove nothing while Stripe keeps the key
      expect(await shop.stripe.fence?.(second, shop.call())).to.have.property('kind', 'unknown');
      for (const { paymentId } of [first, second]) expect(shop.twin.unreversed(paymentId)).to.deep.equal([]);
    });

    it('of a card that Stripe keeps is asked for the authentication again', async () => {
      const request = await shop.prepared();
      shop.twin.fault({ path: /confirm$/ }, { kind: 'declined', declineCode: 'authentication_required' });
      const wanted = await shop.stripe.perform(request, shop.call());
      expect(wanted).to.include({ kind: 'declined', code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT' });
    });

    it('is refused where it is none, or over', async () => {
      expect(await tokenize('ctoken_unknown')).to.have.property('kind', 'refused');
      expect(await tokenize('ctoken_1', 'card')).to.have.property('kind', 'refused');
      const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      const told = await shop.stripe.tokenize({ reference: 't', accountId: 'acc_1', from: { card } }, shop.call());
      expect(told.kind).to.equal('refused');
      expect(JSON.stringify(told)).not.to.include('4242');
      expect(shop.lines()).to.deep.equal(['GET /v1/confirmation_tokens/ctoken_unknown']);
    });

    it('cannot be made while Stripe is unavailable', async () => {
      const fieldToken = shop.twin.accounts[0].confirmationToken('pm_card_visa');
      shop.twin.fault({ path: /confirmation_tokens/ }, { kind: 'bad_gateway', effect: 'none' });
      const fault = await tokenize(fieldToken).catch((error: unknown) => error);
      expect(fault).to.be.an('error');
    });
  });
});
