// Stripe's events: who may say something, and what it means.
import { expect } from 'chai';
import type { Connection, ProcessorNotification } from '../../../src/processors/processor.ts';
import { openStripe } from '../../../src/processors/stripe/stripe.ts';
import { liveWorld } from '../../../src/world.ts';
import { signatureOf } from '../../support/stripe-twin/webhooks.ts';
import { nameOf, openTwinShop, type TwinShop, WEBHOOK_SECRET } from './twin-shop.ts';

const NOW = Date.UTC(2026, 10, 1, 12);
const MINUTE_MS = 60_000;
const stripe = openStripe({ world: liveWorld });
after(() => stripe.close());

const connectionWith = (secrets: Connection['secrets']): Connection => ({
  connectionId: 'stripe',
  processor: 'stripe',
  secrets: { secretKey: 'sk_test_1', webhookSecret: WEBHOOK_SECRET, ...secrets },
});
const event = (type: string, object: object, more: object = {}): string =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type,
    created: NOW / 1_000,
    livemode: false,
    data: { object, previous_attributes: {} },
    ...more,
  });
const heard = (
  raw: string,
  {
    signedAt = NOW,
    secrets = [WEBHOOK_SECRET],
    own = {},
  }: { signedAt?: number; secrets?: string[]; own?: Connection['secrets'] } = {},
) => stripe.notifications(raw, { 'stripe-signature': signatureOf(secrets, raw, signedAt) }, connectionWith(own), NOW);

describe('the signature of a webhook of Stripe', () => {
  const raw = event('payout.paid', { object: 'payout', id: 'po_1' });
  const good: object[] = [];

  it('is of the own secret, or of the previous one for as long as there is one', () => {
    expect(heard(raw)).to.deep.equal(good);
    expect(heard(raw, { secrets: ['whsec_new', WEBHOOK_SECRET] }), 'two signatures').to.deep.equal(good);
    expect(heard(raw, { secrets: ['whsec_old'] })).to.equal('bad_signature');
    const previousWebhookSecret = 'whsec_old';
    expect(heard(raw, { secrets: ['whsec_old'], own: { previousWebhookSecret } })).to.deep.equal(good);
    expect(heard(raw, { secrets: [] })).to.equal('bad_signature');
    expect(heard(raw, { secrets: [''], own: { webhookSecret: '' } })).to.equal('bad_signature');
  });

  it('is at most five minutes old, or ahead', () => {
    expect(heard(raw, { signedAt: NOW - 5 * MINUTE_MS })).to.deep.equal(good);
    expect(heard(raw, { signedAt: NOW + 5 * MINUTE_MS })).to.deep.equal(good);
    expect(heard(raw, { signedAt: NOW - 5 * MINUTE_MS - 1_000 })).to.equal('bad_signature');
    expect(heard(raw, { signedAt: NOW + 5 * MINUTE_MS + 1_000 })).to.equal('bad_signature');
  });

  it("is over the very characters that came, and in Stripe's form", () => {
    const signature = signatureOf([WEBHOOK_SECRET], raw, NOW);
    const told = (header: string | undefined, body = raw) =>
      stripe.notifications(body, { 'stripe-signature': header }, connectionWith({}), NOW);
    expect(told(signature, `${raw} `)).to.equal('bad_signature');
    for (const header of [undefined, '', 'v1=', signature.replace('t=', 't=1,t='), signature.replace('v1=', 'v0=')])
      expect(told(header), String(header)).to.equal('bad_signature');
    expect(told(`${signature},v0=${'0'.repeat(64)}`)).to.deep.equal(good);
  });

  it('does not count for the other mode', () => {
    const live = event('payout.paid', {}, { livemode: true });
    expect(heard(live)).to.equal('bad_signature');
    expect(heard(raw, { own: { secretKey: 'rk_live_1' } })).to.equal('bad_signature');
    expect(heard(live, { own: { secretKey: 'rk_live_1' } })).to.deep.equal(good);
    expect(heard(raw, { own: { secretKey: 'something' } })).to.equal('bad_signature');
  });

  it('finds nothing to read in another text', () => {
    for (const body of ['', '{}', '[]', 'null', '{"object":"event"}', event('x', {}).slice(0, -1)])
      expect(heard(body), body).to.equal('unparsable');
    expect(stripe.reread('{}')).to.equal(undefined);
    expect(heard(event('payment_intent.created', { id: 1 }))).to.equal('unparsable');
  });
});

describe('the events of Stripe', () => {
  let shop: TwinShop;
  before(async () => {
    shop = await openTwinShop();
  });
  after(() => shop.close());

  /** The words of the twin's events of a type since the last time, as if they had just come in. */
  let seen = 0;
  const words = (type?: string): readonly ProcessorNotification['about'][] => {
    const all = shop.twin.accounts[0].events;
    const since = all.slice(seen).filter((one) => type === undefined || one.type === type);
    seen = all.length;
    return since.flatMap((one) => {
      const raw = JSON.stringify(one);
      const now = one.created * 1_000;
      const headers = { 'stripe-signature': signatureOf([WEBHOOK_SECRET], raw, now) };
      const told = shop.stripe.notifications(raw, headers, shop.connection, now);
      if (typeof told === 'string') throw new Error(`${told}: ${raw}`);
      expect(shop.stripe.reread(raw)).to.deep.equal(told);
      for (const word of told) expect(word).to.include({ notificationId: one.id, occurredAt: now });
      return told.map(({ about }) => about);
    });
  };

  it('report an authorization, and are read for what follows it', async () => {
    const request = await shop.prepared({ isEstimated: true });
    expect(words()).to.deep.equal([{ prepared: request.processorTransactionId }]);
    const outcome = await shop.stripe.perform(request, shop.call());
    const { processorTransactionId } = request;
    expect(words()).to.deep.equal([
      {
        operation: 'authorization',
        outcome: { kind: 'succeeded', processorTransactionId, amount: 1_000, currencyCode: 'EUR' },
      },
    ]);
    expect(outcome.kind).to.equal('succeeded');
    await shop.stripe.perform(shop.follow(request, 'adjustment'), shop.call());
    expect(words(), 'of a raise').to.deep.equal([{ look: true }]);
    await shop.stripe.perform(shop.follow(request, 'capture', { amount: 1_500 }), shop.call());
    expect(words(), 'of a capture').to.deep.equal([{ look: true }, { look: true }]);
  });

  it('are read for a decline, which is not final there', async () => {
    const request = await shop.prepared({ processorToken: 'pm_card_chargeDeclined' });
    words();
    await shop.stripe.perform(request, shop.call());
    expect(words()).to.deep.equal([{ look: true }, { look: true }]);
    shop.twin.accounts[0].confirmAgain(nameOf(request), 'pm_card_visa');
    expect(words()[0]).to.have.nested.property('outcome.kind', 'succeeded');
  });

  it('report an authorization that has expired', async () => {
    const own = await openTwinShop();
    try {
      const request = await own.authorized();
      await own.twin.moveClock(8 * 86_400_000);
      const told = own.twin.accounts[0].events.slice(-2).flatMap((one) => own.stripe.reread(JSON.stringify(one)) ?? []);
      expect(told).to.have.length(2);
      for (const one of told)
        expect(one).to.deep.include({
          subject: { reference: request.reference },
          about: { authorizationExpired: true },
        });
    } finally {
      await own.close();
    }
  });

  it('are read when a fence ends a refusal, which held nothing', async () => {
    const request = await shop.prepared({ processorToken: 'pm_card_chargeDeclined' });
    await shop.stripe.perform(request, shop.call());
    words();
    await shop.stripe.fence?.(request, shop.call());
    expect(words('payment_intent.canceled')).to.deep.equal([{ look: true }]);
    const shown = {
      object: 'payment_intent',
      id: 'pi_1',
      status: 'canceled',
      amount: 1,
      currency: 'eur',
      metadata: { counterfoil_reference: request.reference },
      cancellation_reason: 'abandoned',
      latest_charge: { id: 'ch_1', status: 'failed', amount: 1 },
    };
    const told = shop.stripe.reread(event('payment_intent.canceled', shown));
    expect(told?.[0]?.about, 'by the charge alone').to.deep.equal({ look: true });
  });

  it('report an authorization that a fence took back', async () => {
    const request = await shop.prepared({ processorToken: 'pm_card_threeDSecure2Required' });
    await shop.stripe.perform(request, shop.call());
    const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
    const fencing = shop.stripe.fence?.(request, shop.call());
    await cancel.applied;
    shop.twin.accounts[0].approve(nameOf(request));
    words();
    await cancel.release();
    expect(await fencing).to.have.property('kind', 'released');
    expect(words('payment_intent.canceled')).to.deep.equal([{ authorizationExpired: true }]);
  });

  it('report a refund, and of one that came back', async () => {
    const request = await shop.captured();
    words();
    const refund = shop.follow(request, 'refund');
    const outcome = await shop.stripe.perform(refund, shop.call());
    const processorTransactionId = nameOf(outcome);
    expect(words('refund.created')).to.deep.equal([{ operation: 'refund', outcome }]);
    shop.twin.accounts[0].failRefund(processorTransactionId);
    const declined = { kind: 'declined', code: 'EXPIRED_CARD', declineType: 'HARD', processorTransactionId };
    expect(words('refund.failed')).to.deep.equal([{ operation: 'refund', outcome: declined }]);
    const failed = shop.twin.accounts[0].events.at(-1);
    const object = failed?.data.object ?? {};
    const raw = event('refund.updated', {}, { data: { object } });
    // whether it had succeeded before, the record knows: what contradicts it is read
    expect(shop.stripe.reread(raw)?.[0]).to.deep.include({
      about: { operation: 'refund', outcome: declined },
      told: {
        currencyCode: 'EUR',
        refunds: [
          {
            name: processorTransactionId,
            reference: refund.reference,
            amount: 1_000,
            state: 'failed',
            code: 'EXPIRED_CARD',
            declineType: 'HARD',
          },
        ],
      },
    });
  });

  it('report a dispute', async () => {
    const request = await shop.captured();
    words();
    const [account] = shop.twin.accounts;
    const { id } = account.openDispute(nameOf(request), { reason: 'product_not_received' });
    const [opened, ...others] = words();
    expect(opened).to.have.property('dispute').that.includes({
      id,
      status: 'OPEN',
      amount: 1_000,
      currencyCode: 'EUR',
      reason: 'product_not_received',
    });
    expect(others, 'the money, and the charge').to.deep.equal([{ look: true }, { look: true }]);
    account.decideDispute(id, 'won');
    expect(words('charge.dispute.closed')[0]).to.have.nested.property('dispute.status', 'WON');
    const dispute = {
      object: 'dispute',
      id: 'dp_1',
      status: 'unheard_of',
      amount: 1,
      currency: 'eur',
      payment_intent: 'pi_1',
    };
    const told = shop.stripe.reread(event('charge.dispute.updated', dispute));
    expect(told?.[0]?.about).to.have.nested.property('dispute.status', 'unheard_of');
    const named = shop.stripe.reread(event('charge.dispute.updated', { ...dispute, status: 'constructor' }));
    expect(named?.[0]?.about).to.have.nested.property('dispute.status', 'constructor');
    const fraction = { ...dispute, amount: 100_050, currency: 'isk' };
    expect(shop.stripe.reread(event('charge.dispute.created', fraction)), 'parked').to.equal(undefined);
    expect(heard(event('charge.dispute.created', fraction))).to.equal('unparsable');
    expect(heard(event('charge.dispute.created', { ...fraction, payment_intent: null }))).to.deep.equal([]);
  });

  it('report what the network told about a saved method, by its own name', () => {
    const card = { brand: 'mastercard', last4: '4444', exp_month: 3, exp_year: 2031, fingerprint: 'fp_1' };
    const method = { object: 'payment_method', id: 'pm_1', customer: 'cus_1', type: 'card', card };
    const told = (object: object) => heard(event('payment_method.automatically_updated', object));
    expect(told(method)).to.deep.equal([
      {
        notificationId: 'evt_1',
        occurredAt: NOW,
        about: {
          instrument: 'updated',
          processorToken: 'pm_1',
          card: { network: 'MASTERCARD', last4Digits: '4444', expirationMonth: '03', expirationYear: '2031' },
          fingerprint: 'fp_1',
        },
      },
    ]);
    expect(told({ ...method, card: null }), 'no card').to.deep.equal([]);
    expect(told({ ...method, id: '' })).to.equal('unparsable');
    const unheardOf = { ...method, card: { ...card, brand: 'unheard_of', fingerprint: null } };
    expect(told(unheardOf)).to.have.nested.property('[0].about.card').that.does.not.have.property('network');
  });

  it('report a mandate that several debits had, and that is over', () => {
    const mandate = {
      object: 'mandate',
      id: 'mandate_1',
      payment_method: 'pm_1',
      status: 'inactive',
      type: 'multi_use',
    };
    const told = (object: object) => heard(event('mandate.updated', object));
    const about = { mandate: 'mandate_1', status: 'inactive', processorToken: 'pm_1' };
    expect(told(mandate)).to.deep.equal([{ notificationId: 'evt_1', occurredAt: NOW, about }]);
    expect(told({ ...mandate, type: 'single_use' }), 'used up').to.deep.equal([]);
    for (const status of ['active', 'pending', 'unheard_of'])
      expect(told({ ...mandate, status }), status).to.deep.equal([]);
    expect(told({ ...mandate, payment_method: { id: 'pm_2' } })).to.have.nested.property(
      '[0].about.processorToken',
      'pm_2',
    );
  });

  it('are nothing where they are of no payment of ours', () => {
    expect(heard(event('balance.available', { object: 'balance' }))).to.deep.equal([]);
    expect(heard(event('customer.created', { object: 'customer', id: 'cus_1' }))).to.deep.equal([]);
    const foreign = { object: 'payment_intent', id: 'pi_1', status: 'processing', amount: 1, currency: 'eur' };
    expect(heard(event('payment_intent.processing', foreign))).to.deep.equal([]);
    const charge = { object: 'charge', id: 'ch_1', payment_intent: 'pi_1', metadata: {} };
    expect(heard(event('charge.updated', charge))).to.deep.equal([]);
  });
});
