// Webhooks of the twin: signed, and delivered as a control wants them.
import { expect } from 'chai';
import Stripe from 'stripe';
import { captured, created, HOUR_MS, held, VISA } from './expectations/expectation.ts';
import { clientOf } from './outside-client.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { openStripeTwin, type StripeTwin, type TwinAccount } from './stripe-twin.ts';

const NEW = 'whsec_new';
const OLD = 'whsec_old';

describe('the webhooks of the Stripe twin', () => {
  let twin: StripeTwin;
  let account: TwinAccount;
  let stripe: Stripe;
  let receiver: Receiver;
  beforeEach(async () => {
    twin = await openStripeTwin();
    [account] = twin.accounts;
    stripe = clientOf(twin);
    receiver = await openReceiver();
    account.addEndpoint({ url: receiver.url, secrets: [NEW, OLD] });
  });
  afterEach(async () => {
    await twin.close();
    await receiver.close();
  });

  const read = (secret: string): readonly Stripe.Event[] =>
    receiver.received.map(({ body, signature }) =>
      stripe.webhooks.constructEvent(body, signature, secret, undefined, undefined, twin.now()),
    );
  const types = (): readonly string[] => read(NEW).map(({ type }) => type);

  it('are signed by both secrets, with the time of the delivery', async () => {
    await created(stripe);
    await twin.delivered();
    expect(read(OLD)).to.deep.equal(read(NEW));
    expect(receiver.received[0]?.signature).to.match(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const [{ body, signature } = { body: '', signature: '' }] = receiver.received;
    expect(() => stripe.webhooks.constructEvent(`${body} `, signature, NEW)).to.throw(
      Stripe.errors.StripeSignatureVerificationError,
    );
  });
  it('report a payment from its creation to its refund', async () => {
    const id = await captured(stripe);
    const { id: refund } = await stripe.refunds.create({ payment_intent: id });
    account.failRefund(refund);
    await twin.delivered();
    expect(types()).to.deep.equal([
      'payment_intent.created',
      'payment_intent.amount_capturable_updated',
      'payment_intent.succeeded',
      'charge.captured',
      'refund.created',
      'charge.refunded',
      'refund.updated',
      'refund.failed',
    ]);
    expect(twin.deliveries.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
  });
  it('arrive after the response, or before it', async () => {
    const id = await created(stripe);
    await twin.delivered();
    const fault = twin.fault({ path: /confirm$/ }, { kind: 'hold', at: 'response' });
    twin.deliverEvents({ when: 'before' });
    const confirming = stripe.paymentIntents.confirm(id, VISA);
    await fault.applied;
    expect(types()).to.deep.equal(['payment_intent.created', 'payment_intent.amount_capturable_updated']);
    await fault.release();
    await confirming;
  });
  for (const when of ['before', 'after'] as const)
    it(`let their receiver call the twin before it responds, ${when} the response`, async () => {
      const id = await created(stripe, { metadata: { counterfoil_payment: 'pay-1' } });
      await twin.delivered();
      let updates = 0;
      const caller = await openReceiver(async () => {
        updates += 1;
        if (updates === 1) await stripe.paymentIntents.cancel(id);
      });
      account.addEndpoint({ url: caller.url });
      twin.deliverEvents({ when });
      await stripe.paymentIntents.confirm(id, VISA);
      await twin.delivered();
      expect(twin.unreversed('pay-1')).to.deep.equal([]);
      expect(caller.received).to.have.length(2);
      await caller.close();
    });
  it('arrive twice, and the last first', async () => {
    twin.deliverEvents({ when: 'held' });
    const id = await held(stripe);
    twin.deliverEvents({ twice: true, reversed: true });
    await stripe.paymentIntents.capture(id);
    await twin.delivered();
    expect(types()).to.deep.equal([
      'charge.captured',
      'charge.captured',
      'payment_intent.succeeded',
      'payment_intent.succeeded',
    ]);
  });
  it('arrive days late, of the other mode, or signed by the old secret', async () => {
    twin.deliverEvents({ when: 'held' });
    await created(stripe);
    await twin.moveClock(72 * HOUR_MS);
    expect(receiver.received).to.deep.equal([]);
    const [event] = account.events;
    if (event === undefined) throw new Error('there is no event');
    await account.deliver(event);
    await account.deliver(event, { otherMode: true });
    const [late, other] = read(NEW);
    expect(late).to.include({ id: event.id, livemode: false, created: event.created });
    expect(other).to.include({ id: event.id, livemode: true });
    await account.deliver(event, { oldSecret: true });
    const last = receiver.received.at(-1);
    expect(last?.signature).not.to.equal(receiver.received[0]?.signature);
    expect(() => read(NEW)).to.throw(Stripe.errors.StripeSignatureVerificationError);
    expect(read(OLD)).to.have.length(3);
  });
  it('report what expires by the clock', async () => {
    twin.deliverEvents({ when: 'held' });
    await held(stripe);
    twin.deliverEvents({});
    await twin.moveClock(7 * 24 * HOUR_MS);
    expect(types()).to.deep.equal(['payment_intent.canceled', 'charge.expired']);
    expect(twin.effects().at(-1)).to.include({ kind: 'release', amount: 2_000 });
  });
  it('go to the endpoints that want their type, which the account lists', async () => {
    const other = await openReceiver();
    account.addEndpoint({ url: other.url, events: ['refund.failed'] });
    await created(stripe);
    await twin.delivered();
    expect(other.received).to.deep.equal([]);
    await other.close();
    const { data } = await stripe.webhookEndpoints.list();
    expect(data.map(({ url, enabled_events: events }) => [url, events])).to.deep.equal([
      [receiver.url, ['*']],
      [other.url, ['refund.failed']],
    ]);
  });
});
