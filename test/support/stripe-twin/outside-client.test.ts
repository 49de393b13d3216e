// The twin, as Stripe's own client sees it from outside.
import { expect } from 'chai';
import Stripe from 'stripe';
import { clientOf, refusedWith } from './outside-client.ts';
import { openStripeTwin, type StripeTwin } from './stripe-twin.ts';

describe('the Stripe twin, from outside', () => {
  let twin: StripeTwin;
  let stripe: Stripe;
  beforeEach(async () => {
    twin = await openStripeTwin();
    stripe = clientOf(twin);
  });
  afterEach(() => twin.close());

  const create = (
    amount = 2_000,
    more: Partial<Stripe.PaymentIntentCreateParams> = {},
  ): Promise<Stripe.Response<Stripe.PaymentIntent>> =>
    stripe.paymentIntents.create({
      amount,
      currency: 'usd',
      capture_method: 'manual',
      allowed_payment_method_types: ['card'],
      metadata: { counterfoil_reference: 'ref-1', counterfoil_payment: 'pay-1' },
      ...more,
    });
  const confirm = (id: string, paymentMethod = 'pm_card_visa'): Promise<Stripe.PaymentIntent> =>
    stripe.paymentIntents.confirm(id, { payment_method: paymentMethod, expand: ['latest_charge'] });
  const authorized = async (amount?: number, more?: Partial<Stripe.PaymentIntentCreateParams>): Promise<string> => {
    const { id } = await create(amount, more);
    await confirm(id);
    return id;
  };

  it('creates, confirms, captures and refunds', async () => {
    const created = await create(2_000, { statement_descriptor_suffix: 'SHOES' });
    expect(created).to.include({ status: 'requires_payment_method', livemode: false, amount: 2_000 });
    expect(created.lastResponse.requestId).to.match(/^req_/);
    const held = await confirm(created.id);
    expect(held).to.include({ status: 'requires_capture', amount_capturable: 2_000, amount_received: 0 });
    const charge = held.latest_charge;
    if (typeof charge !== 'object' || charge === null) throw new Error('the charge is not expanded');
    expect(charge.payment_method_details?.card).to.include({ brand: 'visa', last4: '4242', exp_month: 8 });
    const captured = await stripe.paymentIntents.capture(created.id, { amount_to_capture: 1_500 });
    expect(captured).to.include({ status: 'succeeded', amount_received: 1_500, amount_capturable: 0 });
    const refund = await stripe.refunds.create({ payment_intent: created.id, amount: 500 });
    expect(refund).to.include({ status: 'succeeded', amount: 500 });
    expect(twin.effects().map(({ kind, amount }) => [kind, amount])).to.deep.equal([
      ['hold', 2_000],
      ['capture', 1_500],
      ['release', 500],
      ['refund', 500],
    ]);
    expect(twin.effects()[0]).to.include({ reference: 'ref-1', payment: 'pay-1', currency: 'usd' });
  });
  it('confirms with the payment method of the creation', async () => {
    const { id, status } = await create(2_000, { payment_method: 'pm_card_visa' });
    expect(status).to.equal('requires_confirmation');
    expect((await stripe.paymentIntents.confirm(id)).status).to.equal('requires_capture');
  });
  it('counts what a payment still costs its customer', async () => {
    const id = await authorized();
    await stripe.paymentIntents.capture(id, { amount_to_capture: 1_500 });
    expect(twin.unreversed('pay-1').map(({ amount }) => amount)).to.deep.equal([2_000]);
    await stripe.refunds.create({ payment_intent: id });
    expect(twin.unreversed('pay-1')).to.deep.equal([]);
  });
  it('cancels a hold, and shows its charge', async () => {
    const id = await authorized();
    expect(twin.unreversed('pay-1')).to.have.length(1);
    const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
    expect(canceled).to.include({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect(canceled.latest_charge).to.be.a('string');
    expect(twin.unreversed('pay-1')).to.deep.equal([]);
    const refused = await refusedWith(confirm(id));
    expect(refused).to.include({ code: 'payment_intent_unexpected_state', statusCode: 400 });
  });
  it('declines a card, and lets another one be confirmed', async () => {
    const { id } = await create();
    const refused = await refusedWith(confirm(id, 'pm_card_visa_chargeDeclinedInsufficientFunds'));
    expect(refused).to.be.instanceOf(Stripe.errors.StripeCardError);
    expect(refused).to.include({ code: 'card_declined', decline_code: 'insufficient_funds', statusCode: 402 });
    expect(refused).to.include({ advice_code: 'try_again_later', network_decline_code: '51' });
    expect(refused.payment_intent).to.include({ id, status: 'requires_payment_method' });
    expect(await confirm(id)).to.include({ status: 'requires_capture', last_payment_error: null });
  });
  it('lists refunds a page at a time, the newest first', async () => {
    const id = await authorized();
    await stripe.paymentIntents.capture(id);
    for (const amount of [100, 200, 300]) await stripe.refunds.create({ payment_intent: id, amount });
    const page = await stripe.refunds.list({ payment_intent: id, limit: 2 });
    expect(page.data.map(({ amount }) => amount)).to.deep.equal([300, 200]);
    expect(page.has_more).to.equal(true);
    const all = await stripe.refunds.list({ payment_intent: id, limit: 2 }).autoPagingToArray({ limit: 10 });
    expect(all.map(({ amount }) => amount)).to.deep.equal([300, 200, 100]);
  });
  it('replays a key, refuses another use of it, and prunes it after a day', async () => {
    const { id } = await create();
    const options = { idempotencyKey: 'key-1' };
    const first = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, options);
    const again = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, options);
    expect(again.latest_charge).to.equal(first.latest_charge);
    expect(again.lastResponse.headers['idempotent-replayed']).to.equal('true');
    const other = await refusedWith(stripe.paymentIntents.update(id, { metadata: { burnt: 'yes' } }, options));
    expect(other).to.be.instanceOf(Stripe.errors.StripeIdempotencyError);
    await twin.moveClock(25 * 3_600_000);
    const late = await stripe.paymentIntents.update(id, { metadata: { burnt: 'yes' } }, options);
    expect(late.metadata).to.include({ burnt: 'yes' });
    expect(twin.effects()).to.have.length(1);
  });
  it('locks a PaymentIntent and its key while a request runs', async () => {
    const { id } = await create();
    const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'running' });
    const options = { idempotencyKey: 'key-1' };
    const running = stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, options);
    await fault.applied;
    const burn = await refusedWith(stripe.paymentIntents.update(id, { metadata: { burnt: 'yes' } }, options));
    expect(burn).to.include({ statusCode: 409, code: 'idempotency_key_in_use' });
    const cancel = await refusedWith(stripe.paymentIntents.cancel(id));
    expect(cancel).to.include({ statusCode: 429, code: 'lock_timeout' });
    expect(await stripe.paymentIntents.retrieve(id)).to.include({ status: 'requires_payment_method' });
    await fault.release();
    expect(await running).to.include({ status: 'requires_capture' });
    expect((await refusedWith(stripe.paymentIntents.update(id, { metadata: {} }, options))).rawType).to.equal(
      'idempotency_error',
    );
  });
  it('loses responses after the effect, and saves a 500', async () => {
    const { id } = await create();
    const options = { idempotencyKey: 'key-1' };
    const confirming = (): Promise<unknown> =>
      stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, options);
    twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'done' });
    expect(await refusedWith(confirming())).to.be.instanceOf(Stripe.errors.StripeAPIError);
    expect(await refusedWith(confirming())).to.include({ statusCode: 500 });
    expect(await stripe.paymentIntents.retrieve(id)).to.include({ status: 'requires_capture' });
    twin.fault({ path: /capture$/ }, { kind: 'reset', effect: 'done' });
    // Stripe's client repeats a request once, with its key, if the socket was reset.
    const repeated = await stripe.paymentIntents.capture(id);
    expect(repeated.lastResponse.headers).to.include({ 'idempotent-replayed': 'true' });
    const refunding = { payment_intent: id, amount: 100 };
    for (const kind of ['hang', 'bad_gateway'] as const) {
      twin.fault({ path: '/v1/refunds' }, { kind, effect: 'done' });
      expect(await refusedWith(stripe.refunds.create(refunding, { timeout: 300 }))).to.include({
        type: kind === 'hang' ? 'StripeConnectionError' : 'StripeAPIError',
      });
    }
    twin.fault({ path: '/v1/refunds' }, { kind: 'truncated' });
    expect(await refusedWith(stripe.refunds.create(refunding))).to.include({ type: 'StripeAPIError' });
    twin.fault({ path: '/v1/refunds' }, { kind: 'bad_gateway', effect: 'none' });
    await refusedWith(stripe.refunds.create(refunding));
    expect(twin.effects().map(({ kind }) => kind)).to.deep.equal(['hold', 'capture', 'refund', 'refund', 'refund']);
  });
  for (const isCanceled of [true, false])
    it(`delivers a request 25 hours after its key was burnt, ${isCanceled ? 'canceled by then' : 'and takes effect'}`, async () => {
      const { id } = await create();
      const options = { idempotencyKey: 'key-1' };
      const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'arrival' });
      const confirming = stripe.paymentIntents.confirm(
        id,
        { payment_method: 'pm_card_visa' },
        { ...options, timeout: 100 },
      );
      await fault.applied;
      expect(await refusedWith(confirming)).to.be.instanceOf(Stripe.errors.StripeConnectionError);
      await stripe.paymentIntents.update(id, { metadata: { burnt: 'yes' } }, options);
      if (isCanceled) await stripe.paymentIntents.cancel(id);
      await twin.moveClock(25 * 3_600_000);
      await fault.release();
      expect(twin.effects()).to.have.length(isCanceled ? 0 : 1);
    });
  it('refuses a request that is delivered soon after its key was burnt', async () => {
    const { id } = await create();
    const options = { idempotencyKey: 'key-1' };
    const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'arrival' });
    const confirming = refusedWith(stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, options));
    await fault.applied;
    await stripe.paymentIntents.update(id, { metadata: { burnt: 'yes' } }, options);
    await fault.release();
    expect(await confirming).to.include({ rawType: 'idempotency_error' });
    expect(twin.effects()).to.deep.equal([]);
  });
  it('locks a PaymentIntent while a refund of it runs', async () => {
    const id = await authorized();
    await stripe.paymentIntents.capture(id);
    const fault = twin.fault({ path: '/v1/refunds' }, { kind: 'hold', at: 'running' });
    const running = stripe.refunds.create({ payment_intent: id, amount: 100 });
    await fault.applied;
    const second = await refusedWith(stripe.refunds.create({ payment_intent: id, amount: 100 }));
    await fault.release();
    await running;
    expect(second).to.include({ statusCode: 429, code: 'lock_timeout' });
    expect(twin.effects().filter(({ kind }) => kind === 'refund')).to.have.length(1);
  });
  it('refuses another version, a long key, what cannot be expanded and the former name of a parameter', async () => {
    const id = await authorized();
    const versioned = stripe.paymentIntents.retrieve(id, {}, { apiVersion: '2024-06-20' });
    expect((await refusedWith(versioned)).message).to.contain('2026-10-28.endive');
    await refusedWith(stripe.paymentIntents.cancel(id, {}, { idempotencyKey: 'k'.repeat(256) }));
    await refusedWith(stripe.paymentIntents.retrieve(id, { expand: ['customer'] }));
    const former = { amount: 100, currency: 'usd', payment_method_types: ['card'] };
    expect(await refusedWith(stripe.paymentIntents.create(former))).to.include({
      code: 'payment_method_types_no_longer_supported',
    });
  });
  it('knows the digits of each currency', async () => {
    const wanted: readonly (readonly [string, number, string?])[] = [
      ['jpy', 50],
      ['jpy', 49, 'amount_too_small'],
      ['isk', 10_000],
      ['kwd', 12_340],
      ['kwd', 12_345, 'parameter_invalid_integer'],
      ['usd', 99_999_999],
      ['usd', 100_000_000, 'amount_too_large'],
    ];
    for (const [currency, amount, code] of wanted) {
      const creation = create(amount, { currency });
      if (code === undefined) expect(await creation).to.include({ currency, amount });
      else expect(await refusedWith(creation), currency).to.include({ code });
    }
    expect(await refusedWith(create(100, { currency: 'xxx' }))).to.include({ param: 'currency' });
  });
});
