// What happens outside the API: the customer's browser, the bank's disputes, refunds that fail later.
import { expect } from 'chai';
import Stripe from 'stripe';
import { captured, created, DECLINED, HOUR_MS, held, VISA } from './expectations/expectation.ts';
import { clientOf, refusedWith } from './outside-client.ts';
import { openStripeTwin, type StripeTwin, type TwinAccount } from './stripe-twin.ts';

describe('the Stripe twin, in the browser and at the bank', () => {
  let twin: StripeTwin;
  let account: TwinAccount;
  let stripe: Stripe;
  beforeEach(async () => {
    twin = await openStripeTwin();
    [account] = twin.accounts;
    stripe = clientOf(twin);
  });
  afterEach(() => twin.close());

  const CHALLENGED = {
    payment_method: 'pm_card_threeDSecure2Required',
    return_url: 'https://shop.example/back?session=1',
    use_stripe_sdk: false,
  };
  const redirectOf = ({ next_action }: Stripe.PaymentIntent): string => next_action?.redirect_to_url?.url ?? '';
  const kinds = (): readonly string[] => twin.effects().map(({ kind }) => kind);

  it('asks the customer on a page, whose approval holds the money', async () => {
    const waiting = await stripe.paymentIntents.confirm(await created(stripe), CHALLENGED);
    expect(waiting.status).to.equal('requires_action');
    expect(kinds()).to.deep.equal([]);
    const page = await (await fetch(redirectOf(waiting))).text();
    const [, action = ''] = /action="([^"]+approve[^"]+)"/.exec(page) ?? [];
    const back = await fetch(new URL(action, twin.url), { method: 'POST', redirect: 'manual' });
    expect(back.status).to.equal(303);
    const url = new URL(back.headers.get('location') ?? '');
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      session: '1',
      payment_intent: waiting.id,
      payment_intent_client_secret: waiting.client_secret,
      redirect_status: 'succeeded',
    });
    const after = await stripe.paymentIntents.retrieve(waiting.id, { expand: ['latest_charge'] });
    expect(after.status).to.equal('requires_capture');
    const charge = after.latest_charge;
    if (typeof charge !== 'object') throw new Error('the charge is not expanded');
    expect(charge?.payment_method_details?.card?.three_d_secure).to.include({
      result: 'authenticated',
      authentication_flow: 'challenge',
    });
    expect(kinds()).to.deep.equal(['hold']);
  });
  it('shows no page without the client secret', async () => {
    const waiting = await stripe.paymentIntents.confirm(await created(stripe), CHALLENGED);
    expect((await fetch(redirectOf(waiting).replace(/\?.*/, ''))).status).to.equal(403);
  });
  it('refuses a failed challenge, after which the browser can confirm again', async () => {
    const { id } = await stripe.paymentIntents.confirm(await created(stripe), CHALLENGED);
    expect(account.fail(id)).to.contain('redirect_status=failed');
    const failed = await stripe.paymentIntents.retrieve(id);
    expect(failed.status).to.equal('requires_payment_method');
    expect(failed.last_payment_error?.code).to.equal('payment_intent_authentication_failure');
    expect(account.confirmAgain(id, 'pm_card_visa').status).to.equal('requires_capture');
  });
  it('lets a page confirm with the client secret and the publishable key, and nothing else', async () => {
    const page = clientOf(twin, account.publishableKey);
    const id = await created(stripe);
    const { client_secret: secret } = await stripe.paymentIntents.retrieve(id);
    await refusedWith(page.paymentIntents.confirm(id, VISA));
    await page.rawRequest('POST', `/v1/payment_intents/${id}/confirm`, { ...VISA, client_secret: secret });
    expect(kinds()).to.deep.equal(['hold']);
    expect(await refusedWith(page.paymentIntents.cancel(id))).to.include({ code: 'secret_key_required' });
  });
  it('declines a challenged card off session, and after its challenge', async () => {
    const offSession = { payment_method: 'pm_card_authenticationRequired', off_session: true };
    const refused = await refusedWith(stripe.paymentIntents.confirm(await created(stripe), offSession));
    expect(refused).to.include({ code: 'authentication_required', decline_code: 'authentication_required' });
    const card = { ...CHALLENGED, payment_method: 'pm_card_threeDSecureRequiredChargeDeclined' };
    const { id } = await stripe.paymentIntents.confirm(await created(stripe), card);
    expect(account.approve(id)).to.contain('redirect_status=failed');
    expect((await stripe.paymentIntents.retrieve(id)).last_payment_error?.decline_code).to.equal('generic_decline');
  });
  it('asks for a challenge if the request wants one, and none if it authenticates without', async () => {
    const wanting = async (wish: 'any' | 'challenge'): Promise<Stripe.PaymentIntent> => {
      const id = await created(stripe, { payment_method_options: { card: { request_three_d_secure: wish } } });
      return stripe.paymentIntents.confirm(id, { ...VISA, return_url: CHALLENGED.return_url });
    };
    expect((await wanting('challenge')).status).to.equal('requires_action');
    expect((await wanting('any')).status).to.equal('requires_capture');
  });
  it('finishes what is processing', async () => {
    const processing = { payment_method: 'pm_card_processing' };
    const { id, status } = await stripe.paymentIntents.confirm(await created(stripe), processing);
    expect(status).to.equal('processing');
    account.approve(id);
    expect((await stripe.paymentIntents.retrieve(id)).status).to.equal('requires_capture');
  });
  it('declines as a control says', async () => {
    const fault = {
      kind: 'declined',
      declineCode: 'revocation_of_authorization',
      adviceCode: 'do_not_try_again',
    } as const;
    twin.fault({ path: /confirm$/ }, fault);
    const refused = await refusedWith(stripe.paymentIntents.confirm(await created(stripe), VISA));
    expect(refused).to.include({ decline_code: fault.declineCode, advice_code: fault.adviceCode });
    const card = { request_incremental_authorization: 'if_available' } as const;
    const id = await held(stripe, { payment_method_options: { card } });
    twin.fault({}, { kind: 'declined', declineCode: 'insufficient_funds' });
    const larger = await refusedWith(stripe.paymentIntents.incrementAuthorization(id, { amount: 3_000 }));
    expect(larger).to.include({ statusCode: 402, decline_code: 'insufficient_funds' });
    expect(await stripe.paymentIntents.retrieve(id)).to.include({ status: 'requires_capture', amount: 2_000 });
  });
  it('captures in parts only if the charge allows that, and releases the rest', async () => {
    const multicapture = { payment_method_options: { card: { request_multicapture: 'if_available' } } } as const;
    const id = await held(stripe, multicapture);
    const part = { amount_to_capture: 500, final_capture: false };
    const first = await stripe.paymentIntents.capture(id, part);
    expect(first).to.include({ status: 'requires_capture', amount_capturable: 1_500, amount_received: 500 });
    const last = await stripe.paymentIntents.capture(id, { amount_to_capture: 700 });
    expect(last).to.include({ status: 'succeeded', amount_received: 1_200 });
    expect(kinds()).to.deep.equal(['hold', 'capture', 'capture', 'release']);
    await refusedWith(stripe.paymentIntents.capture(await held(stripe), part));
    const other = await held(stripe, multicapture);
    await stripe.paymentIntents.capture(other, part);
    const canceled = await stripe.paymentIntents.cancel(other);
    expect(canceled).to.include({ status: 'canceled', amount_received: 500, amount_capturable: 0 });
    expect(twin.effects().at(-1)).to.include({ kind: 'release', amount: 1_500 });
  });
  it('returns a refund that fails later', async () => {
    const id = await captured(stripe);
    const refund = await stripe.refunds.create({ payment_intent: id, metadata: { counterfoil_reference: 'ref-2' } });
    account.failRefund(refund.id);
    expect(await stripe.refunds.retrieve(refund.id)).to.include({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    });
    expect(twin.effects().at(-1)).to.include({ kind: 'refund_returned', reference: 'ref-2', amount: 2_000 });
    await stripe.refunds.create({ payment_intent: id });
  });
  it('leaves a refund pending until the bank has done it', async () => {
    const id = await created(stripe);
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_pendingRefund' });
    await stripe.paymentIntents.capture(id);
    const refund = await stripe.refunds.create({ payment_intent: id });
    expect(refund.status).to.equal('pending');
    account.completeRefund(refund.id);
    expect((await stripe.refunds.retrieve(refund.id)).status).to.equal('succeeded');
  });
  it('takes evidence of a dispute, which the bank decides', async () => {
    const id = await captured(stripe);
    const dispute = account.openDispute(id, { reason: 'product_not_received' });
    expect(dispute).to.include({ status: 'needs_response', amount: 2_000, payment_intent: id });
    expect(await refusedWith(stripe.refunds.create({ payment_intent: id }))).to.include({ code: 'charge_disputed' });
    await stripe.disputes.update(dispute.id, { evidence: { customer_name: 'Ada' }, submit: false });
    const long = { uncategorized_text: 'x'.repeat(150_000) };
    await refusedWith(stripe.disputes.update(dispute.id, { evidence: long }));
    const sent = await stripe.disputes.update(dispute.id, { evidence: { receipt: 'file_1' }, submit: true });
    expect(sent.status).to.equal('under_review');
    expect(sent.evidence).to.include({ customer_name: 'Ada', receipt: 'file_1' });
    account.decideDispute(dispute.id, 'won');
    expect((await stripe.disputes.retrieve(dispute.id)).status).to.equal('won');
    const types = account.events.map(({ type }) => type).filter((type) => type.startsWith('charge.dispute'));
    expect(types).to.deep.equal([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.updated',
      'charge.dispute.updated',
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ]);
  });
  it('closes a dispute that the merchant accepts, for good', async () => {
    const dispute = account.openDispute(await captured(stripe));
    expect((await stripe.disputes.close(dispute.id)).status).to.equal('lost');
    await refusedWith(stripe.disputes.update(dispute.id, { evidence: { customer_name: 'Ada' } }));
  });
  it('shows the card of a confirmation token, and of a test helper', async () => {
    const token = await stripe.testHelpers.confirmationTokens.create({ payment_method: 'pm_card_mastercard' });
    expect(token.payment_method_preview?.card).to.include({ brand: 'mastercard', last4: '4444', exp_year: 2034 });
    const id = await created(stripe);
    await stripe.paymentIntents.confirm(id, { confirmation_token: token.id });
    expect((await stripe.confirmationTokens.retrieve(token.id)).payment_intent).to.equal(id);
  });
  it('knows its account, and has other accounts with keys of their own', async () => {
    expect(await stripe.accounts.retrieveCurrent()).to.include({
      id: 'acct_twin',
      country: 'US',
      charges_enabled: true,
    });
    const two = await openStripeTwin({ accounts: [{ id: 'acct_a' }, { id: 'acct_b', isLive: true }] });
    const [a, b] = two.accounts.map(({ secretKey }) => clientOf(two, secretKey));
    if (a === undefined || b === undefined) throw new Error('there are two accounts');
    const id = await created(b);
    expect((await b.paymentIntents.retrieve(id)).livemode).to.equal(true);
    expect(await refusedWith(a.paymentIntents.retrieve(id))).to.include({ statusCode: 404, code: 'resource_missing' });
    await two.close();
  });
  it('has the error classes of Stripe', async () => {
    const { errors } = Stripe;
    const wrong = clientOf(twin, 'sk_test_wrong');
    expect(await refusedWith(wrong.accounts.retrieveCurrent())).to.be.instanceOf(errors.StripeAuthenticationError);
    twin.fault({}, { kind: 'rate_limit' });
    expect(await refusedWith(stripe.accounts.retrieveCurrent())).to.be.instanceOf(errors.StripeRateLimitError);
    const missing = await refusedWith(stripe.paymentIntents.create({ currency: 'usd' } as never));
    expect(missing).to.be.instanceOf(errors.StripeInvalidRequestError);
    expect(missing).to.include({ code: 'parameter_missing', param: 'amount' });
    const card = await refusedWith(stripe.paymentIntents.confirm(await created(stripe), DECLINED));
    expect(card).to.be.instanceOf(errors.StripeCardError);
    expect(card.requestId).to.match(/^req_/);
    const id = await created(stripe);
    twin.fault({ method: 'GET' }, { kind: 'altered', members: { id: 'pi_other', amount: 1 } });
    expect(await stripe.paymentIntents.retrieve(id)).to.include({ id: 'pi_other', amount: 1 });
    await twin.moveClock(HOUR_MS);
    expect(await stripe.customers.create({ metadata: { burnt: 'yes' } })).to.include({ object: 'customer' });
  });
});
