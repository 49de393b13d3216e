// Idempotency keys, locks and validation: what every Stripe does.
import { expect } from 'chai';
import { refusedWith } from '../outside-client.ts';
import { captured, created, DECLINED, type Expectation, HOUR_MS, MANUAL, statusOf, VISA } from './expectation.ts';

const KEY = { idempotencyKey: 'key-1' };
const BURN = { metadata: { burnt: 'yes' } };

export const KEYS: readonly Expectation[] = [
  {
    promise: 'a key is refused at another endpoint',
    finds: ['key_per_endpoint', 'key_ignored', 'key_ignores_parameters'],
    async check(twin, stripe) {
      const id = await created(stripe);
      await stripe.paymentIntents.update(id, BURN, KEY);
      const refused = await refusedWith(stripe.paymentIntents.confirm(id, VISA, KEY));
      expect(refused).to.include({ statusCode: 400, rawType: 'idempotency_error' });
      expect(twin.effects()).to.deep.equal([]);
    },
  },
  {
    promise: 'a key is refused with other parameters',
    finds: ['key_ignores_parameters', 'key_ignored'],
    async check(twin, stripe) {
      const id = await captured(stripe);
      await stripe.refunds.create({ payment_intent: id, amount: 100 }, KEY);
      const refused = await refusedWith(stripe.refunds.create({ payment_intent: id, amount: 200 }, KEY));
      expect(refused).to.include({ rawType: 'idempotency_error' });
      expect(twin.effects().filter(({ kind }) => kind === 'refund')).to.have.length(1);
    },
  },
  {
    promise: 'a key replays a success, and the response says so',
    finds: ['key_ignored', 'replay_not_marked'],
    async check(twin, stripe) {
      const id = await captured(stripe);
      const refund = { payment_intent: id, amount: 100 };
      const first = await stripe.refunds.create(refund, KEY);
      await twin.moveClock(23 * HOUR_MS);
      const again = await stripe.refunds.create(refund, KEY);
      expect(again.id).to.equal(first.id);
      expect(again.lastResponse.headers).to.include({ 'idempotent-replayed': 'true' });
      expect(twin.effects().filter(({ kind }) => kind === 'refund')).to.have.length(1);
    },
  },
  {
    promise: 'a key is forgotten after a day',
    finds: ['key_never_pruned'],
    async check(twin, stripe) {
      const id = await captured(stripe);
      const refund = { payment_intent: id, amount: 100 };
      await stripe.refunds.create(refund, KEY);
      await twin.moveClock(25 * HOUR_MS);
      await stripe.refunds.create(refund, KEY);
      expect(twin.effects().filter(({ kind }) => kind === 'refund')).to.have.length(2);
    },
  },
  {
    promise: 'a key is in use while its request runs',
    finds: ['key_never_in_use', 'key_ignored'],
    async check(twin, stripe) {
      const id = await created(stripe);
      const other = await created(stripe);
      const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'running' });
      const running = stripe.paymentIntents.confirm(id, VISA, KEY);
      await fault.applied;
      const burn = await stripe.paymentIntents.update(other, BURN, KEY).catch((error: unknown) => error);
      await fault.release();
      await running;
      expect(burn).to.include({ statusCode: 409, code: 'idempotency_key_in_use' });
    },
  },
  {
    promise: 'a PaymentIntent is locked while a request on it runs, and a read shows no success yet',
    finds: ['no_lock'],
    async check(twin, stripe) {
      const id = await created(stripe);
      const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'running' });
      const running = stripe.paymentIntents.confirm(id, VISA);
      await fault.applied;
      const status = await statusOf(stripe, id);
      const cancel = await stripe.paymentIntents.cancel(id).catch((error: unknown) => error);
      await fault.release();
      await running.catch(() => undefined);
      expect(status).to.equal('requires_payment_method');
      expect(cancel).to.include({ statusCode: 429, code: 'lock_timeout' });
    },
  },
  {
    promise: 'a 500 is saved, and the same key gets it again',
    finds: ['server_error_not_saved', 'key_ignored'],
    async check(twin, stripe) {
      const id = await created(stripe);
      twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'done' });
      await refusedWith(stripe.paymentIntents.confirm(id, VISA, KEY));
      expect(await refusedWith(stripe.paymentIntents.confirm(id, VISA, KEY))).to.include({ statusCode: 500 });
    },
  },
  {
    promise: 'a declined card is saved, and the same key gets the decline again',
    finds: ['card_error_not_saved', 'key_ignored'],
    async check(twin, stripe) {
      const id = await created(stripe);
      await refusedWith(stripe.paymentIntents.confirm(id, DECLINED, KEY));
      await stripe.paymentIntents.confirm(id, VISA);
      expect(await refusedWith(stripe.paymentIntents.confirm(id, DECLINED, KEY))).to.include({ statusCode: 402 });
      expect(twin.effects()).to.have.length(1);
    },
  },
  {
    promise: 'a validation error is not saved, and its key is free',
    finds: ['validation_error_saved'],
    async check(_, stripe) {
      const wrong = { amount: 1, currency: 'usd', ...MANUAL };
      const refused = await refusedWith(stripe.paymentIntents.create(wrong, KEY));
      expect(refused).to.include({ statusCode: 400, code: 'amount_too_small' });
      const right = await stripe.paymentIntents.create({ ...wrong, amount: 100 }, KEY);
      expect(right.amount).to.equal(100);
    },
  },
  {
    promise: 'an unknown parameter is refused',
    finds: ['unknown_parameter_accepted'],
    async check(_, stripe) {
      const params = { amount: 100, currency: 'usd', ...MANUAL, paymnet: 'p' };
      expect(await refusedWith(stripe.paymentIntents.create(params))).to.include({
        code: 'parameter_unknown',
        param: 'paymnet',
      });
    },
  },
];
