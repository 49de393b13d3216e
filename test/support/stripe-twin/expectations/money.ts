// Payments, refunds, tokens and webhooks: what every Stripe does.
import { expect } from 'chai';
import { refusedWith } from '../outside-client.ts';
import { openReceiver } from '../receiver.ts';
import { captured, created, DECLINED, type Expectation, HOUR_MS, held, MANUAL, statusOf, VISA } from './expectation.ts';

export const MONEY: readonly Expectation[] = [
  {
    promise: 'the response to a cancellation shows the charge that it released',
    finds: ['cancel_hides_charge'],
    async check(twin, stripe) {
      const id = await held(stripe);
      const canceled = await stripe.paymentIntents.cancel(id);
      expect(canceled.status).to.equal('canceled');
      expect(canceled.latest_charge).to.equal(twin.effects()[0]?.charge);
    },
  },
  {
    promise: 'a captured PaymentIntent cannot be canceled',
    finds: ['cancel_after_capture'],
    async check(_, stripe) {
      const id = await captured(stripe);
      const refused = await refusedWith(stripe.paymentIntents.cancel(id));
      expect(refused).to.include({ code: 'payment_intent_unexpected_state' });
    },
  },
  {
    promise: 'a PaymentIntent can be confirmed again after a decline, and a read shows that at once',
    finds: ['final_decline', 'stale_read'],
    async check(twin, stripe) {
      const id = await created(stripe);
      const refused = await refusedWith(stripe.paymentIntents.confirm(id, DECLINED));
      expect(refused.payment_intent?.status).to.equal('requires_payment_method');
      twin.accounts[0].confirmAgain(id, 'pm_card_visa');
      expect(await statusOf(stripe, id)).to.equal('requires_capture');
    },
  },
  {
    promise: 'a search lags by a minute',
    finds: ['search_without_lag'],
    async check(twin, stripe) {
      const id = await created(stripe, { metadata: { counterfoil_reference: 'ref-1' } });
      const query = { query: "metadata['counterfoil_reference']:'ref-1'" };
      expect((await stripe.paymentIntents.search(query)).data).to.deep.equal([]);
      await twin.moveClock(60_000);
      expect((await stripe.paymentIntents.search(query)).data.map((one) => one.id)).to.deep.equal([id]);
    },
  },
  {
    promise: 'an uncaptured PaymentIntent is canceled seven days after its creation',
    finds: ['no_expiry'],
    async check(twin, stripe) {
      const id = await created(stripe);
      await twin.moveClock(6 * 24 * HOUR_MS);
      await stripe.paymentIntents.confirm(id, VISA);
      await twin.moveClock(24 * HOUR_MS);
      const { status, cancellation_reason } = await stripe.paymentIntents.retrieve(id);
      expect({ status, cancellation_reason }).to.deep.equal({ status: 'canceled', cancellation_reason: 'automatic' });
      const types = twin.accounts[0].events.map(({ type }) => type);
      expect(types.slice(-2)).to.deep.equal(['payment_intent.canceled', 'charge.expired']);
    },
  },
  {
    promise: 'a confirmation token works once',
    finds: ['token_reusable'],
    async check(twin, stripe) {
      const token = { confirmation_token: twin.accounts[0].confirmationToken('pm_card_visa') };
      await stripe.paymentIntents.confirm(await created(stripe), token);
      const refused = await refusedWith(stripe.paymentIntents.confirm(await created(stripe), token));
      expect(refused).to.include({ statusCode: 400 });
      expect(twin.effects()).to.have.length(1);
    },
  },
  {
    promise: 'a confirmation token expires after twelve hours',
    finds: ['token_never_expires'],
    async check(twin, stripe) {
      const token = twin.accounts[0].confirmationToken('pm_card_visa');
      expect((await stripe.confirmationTokens.retrieve(token)).payment_method_preview?.card?.last4).to.equal('4242');
      await twin.moveClock(12 * HOUR_MS);
      expect(await refusedWith(stripe.confirmationTokens.retrieve(token))).to.include({ code: 'resource_missing' });
    },
  },
  {
    promise: 'the newest refunds are listed first',
    finds: ['refunds_oldest_first'],
    async check(_, stripe) {
      const id = await captured(stripe);
      for (const amount of [100, 200]) await stripe.refunds.create({ payment_intent: id, amount });
      const { data } = await stripe.refunds.list({ payment_intent: id });
      expect(data.map(({ amount }) => amount)).to.deep.equal([200, 100]);
    },
  },
  {
    promise: 'no more is refunded than was captured',
    finds: ['refund_beyond_capture'],
    async check(_, stripe) {
      const id = await captured(stripe, 500);
      await refusedWith(stripe.refunds.create({ payment_intent: id, amount: 501 }));
      await stripe.refunds.create({ payment_intent: id });
      expect(await refusedWith(stripe.refunds.create({ payment_intent: id, amount: 1 }))).to.include({
        code: 'charge_already_refunded',
      });
    },
  },
  {
    promise: 'no more is captured than was authorized',
    finds: ['capture_beyond_authorization'],
    async check(_, stripe) {
      const id = await held(stripe);
      const refused = await refusedWith(stripe.paymentIntents.capture(id, { amount_to_capture: 2_001 }));
      expect(refused).to.include({ code: 'amount_too_large' });
    },
  },
  {
    promise: 'an authorization grows only before its capture, ten times at most',
    finds: ['increment_after_capture'],
    async check(twin, stripe) {
      const card = { request_incremental_authorization: 'if_available' } as const;
      const id = await held(stripe, { payment_method_options: { card } });
      for (let amount = 2_001; amount <= 2_010; amount += 1)
        await stripe.paymentIntents.incrementAuthorization(id, { amount });
      await refusedWith(stripe.paymentIntents.incrementAuthorization(id, { amount: 2_011 }));
      expect(twin.effects().filter(({ kind }) => kind === 'increase')).to.have.length(10);
      const other = await held(stripe, { payment_method_options: { card } });
      await stripe.paymentIntents.capture(other);
      const refused = await refusedWith(stripe.paymentIntents.incrementAuthorization(other, { amount: 3_000 }));
      expect(refused).to.include({ code: 'payment_intent_unexpected_state' });
    },
  },
  {
    promise: 'ISK and UGX end in 00, of refunds too, and thousandths end in 0',
    finds: ['iso_digits'],
    async check(_, stripe) {
      for (const currency of ['isk', 'ugx', 'kwd'])
        expect(
          await refusedWith(stripe.paymentIntents.create({ amount: 10_001, currency, ...MANUAL })),
          currency,
        ).to.include({ code: 'parameter_invalid_integer' });
      const id = await held(stripe, { amount: 10_000, currency: 'isk' });
      await stripe.paymentIntents.capture(id);
      await refusedWith(stripe.refunds.create({ payment_intent: id, amount: 50 }));
    },
  },
  {
    promise: 'a webhook is signed over its time and its body',
    finds: ['wrong_signature'],
    async check(twin, stripe) {
      const receiver = await openReceiver();
      try {
        const [account] = twin.accounts;
        const endpoint = account.addEndpoint({ url: receiver.url });
        const id = await created(stripe);
        await twin.delivered();
        const [{ body, signature } = { body: '', signature: '' }] = receiver.received;
        const event = stripe.webhooks.constructEvent(body, signature, endpoint.secrets[0]);
        expect(event).to.include({ type: 'payment_intent.created', livemode: false });
        expect(event.data.object).to.include({ id });
      } finally {
        await receiver.close();
      }
    },
  },
];
