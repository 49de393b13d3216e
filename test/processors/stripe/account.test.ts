// A connection to Stripe: what operators learn of it, its disputes, and its secrets, which never leave it.
import { expect } from 'chai';
import type { Connection } from '../../../src/processors/processor.ts';
import { EVENT_TYPES } from '../../../src/processors/stripe/notifications.ts';
import { nameOf, newReference, openTwinShop, type TwinShop } from './twin-shop.ts';

const HOOK = 'https://pay.example/webhooks/stripe/';
const OWN = `${HOOK}a-token-that-is-a-key`;
const isOwn = (url: string): boolean => url === OWN;

describe('a connection to Stripe', () => {
  let shop: TwinShop;
  before(async () => {
    shop = await openTwinShop();
  });
  after(() => shop.close());

  const withSecrets = (secrets: Connection['secrets']): Connection => ({ ...shop.connection, secrets });
  const withoutUrl = (secretKey: string): Connection => ({
    connectionId: 'stripe',
    processor: 'stripe',
    secrets: { secretKey },
  });

  it('is refused for a key that its store must not use, without the key', () => {
    const why = (secretKey: string, mode: 'test' | 'live') =>
      shop.stripe.refusal?.(withoutUrl(secretKey), mode, 'secretKey');
    expect(why('sk_test_SECRET', 'test')).to.equal(undefined);
    expect(why('rk_test_SECRET', 'test')).to.equal(undefined);
    expect(why('sk_live_SECRET', 'live')).to.equal(undefined);
    expect(why('sk_live_SECRET', 'test')).to.match(/live mode/);
    expect(why('rk_test_SECRET', 'live')).to.match(/test mode/);
    expect(why('pk_test_SECRET', 'test')).to.match(/publishable/);
    expect(why('SECRET', 'test')).to.match(/not a key of Stripe/);
    const hook = (webhookSecret: string) =>
      shop.stripe.refusal?.(withSecrets({ webhookSecret }), 'test', 'webhookSecret');
    expect(hook('whsec_SECRET')).to.equal(undefined);
    for (const wrong of ['sk_test_SECRET', 'rk_live_SECRET', 'pk_test_SECRET', 'SECRET'])
      expect(hook(wrong))
        .to.match(/not a signing secret of Stripe/)
        .and.not.to.include('SECRET');
    const shown = (publishableKey: string, mode: 'test' | 'live') =>
      shop.stripe.refusal?.({ ...withoutUrl('sk_test_1'), publishableKey }, mode, 'publishableKey');
    expect([shown('pk_test_1', 'test'), shown('pk_live_1', 'live')]).to.deep.equal([undefined, undefined]);
    for (const [wrong, mode] of [
      ['pk_live_1', 'test'],
      ['pk_test_1', 'live'],
      ['pk_1', 'test'],
    ] as const)
      expect(shown(wrong, mode)).to.contain(`begins with pk_${mode}_`);
    for (const key of ['sk_live_SECRET', 'pk_test_SECRET', 'SECRET']) expect(why(key, 'test')).not.to.include('SECRET');
    expect(shop.stripe.refusal?.(withSecrets({}), 'test', 'secretKey')).to.match(/no secret named secretKey/);
    const elsewhere = { ...withoutUrl('sk_live_SECRET'), apiUrl: 'http://127.0.0.1:1' };
    expect(shop.stripe.refusal?.(elsewhere, 'live', 'secretKey')).to.match(/no other API URL/);
  });

  it('sends nothing without its key, and names the secret only', async () => {
    const request = await shop.authorized();
    shop.lines();
    for (const secrets of [{}, { secretKey: 'sk_test_WITH\r\nX: y' }]) {
      const call = { ...shop.call(), connection: withSecrets(secrets) };
      const outcome = await shop.stripe.perform(request, call);
      expect(outcome).to.have.property('kind', 'not_sent');
      expect(JSON.stringify(outcome)).to.include('secretKey').and.not.to.include('WITH');
      expect(await shop.stripe.lookUp(request, call)).to.have.property('kind', 'unreachable');
      expect(await shop.stripe.fence?.(request, call)).to.have.property('kind', 'unreachable');
    }
    expect(shop.lines()).to.deep.equal([]);
  });

  it('sends nothing by a wrong key, and never repeats it', async () => {
    const request = await shop.prepared();
    const call = { ...shop.call(), connection: withSecrets({ secretKey: 'sk_test_WRONG' }) };
    const outcome = await shop.stripe.perform(request, call);
    expect(outcome).to.have.property('kind', 'not_sent');
    expect(JSON.stringify(outcome))
      .to.match(/401.*request req_/)
      .and.not.to.include('WRONG');
  });

  it('takes no answer that repeats its key, as it is or escaped, for one of Stripe', async () => {
    const { secretKey = '' } = shop.connection.secrets;
    const escaped = secretKey.replace('_', '\\u005f');
    const error = (param: string) => `{"error": {"type": "invalid_request_error", "param": "${param}"}}`;
    const account = (id: string) => `{"object": "account", "id": "${id}"}`;
    for (const [status, body] of [
      [200, account(secretKey)],
      [200, account(escaped)],
      [400, error(secretKey)],
      [400, error(escaped)],
    ] as const) {
      shop.answerNext({ status, body });
      const lines = await shop.stripe.examine?.(shop.call(), undefined, isOwn);
      expect(JSON.stringify(lines)).not.to.include(secretKey);
      expect(lines?.[1]).to.deep.equal({
        name: 'account',
        value: 'it repeated the secret key in its answer',
        isGood: false,
      });
    }
    const prepared = await shop.prepared();
    shop.answerNext({ status: 400, body: error(secretKey) });
    const outcome = await shop.stripe.perform(prepared, shop.call());
    expect(outcome).to.include({ kind: 'unknown' });
    expect(JSON.stringify(outcome)).not.to.include(secretKey);
  });

  it('reads no member of every object for a network, a check or a page', async () => {
    const preview = { type: 'card', card: { brand: 'constructor', last4: '4242', exp_month: 1, exp_year: 2039 } };
    const body = JSON.stringify({ object: 'confirmation_token', id: 'ctoken_1', payment_method_preview: preview });
    shop.answerNext({ status: 200, body });
    const from = { fieldToken: 'ctoken_1', fieldType: 'confirmation_token' };
    const tokenized = await shop.stripe.tokenize({ reference: 'r', accountId: 'acc_1', from }, shop.call());
    expect(tokenized).to.have.nested.property('card.network', 'OTHER');
    const request = { ...shop.authorization(), processorTransactionId: 'pi_1' };
    const checks = { cvc_check: 'constructor', address_line1_check: 'toString', address_postal_code_check: 'valueOf' };
    const charge = { id: 'ch_1', status: 'succeeded', amount: 1_000, payment_method_details: { card: { checks } } };
    const intent = { object: 'payment_intent', id: 'pi_1', amount: 1_000, currency: 'eur' };
    shop.answerNext({ status: 200, body: JSON.stringify({ ...intent, status: 'succeeded', latest_charge: charge }) });
    const found = await shop.stripe.lookUp(request, shop.call());
    expect(found).to.have.property('kind', 'succeeded');
    for (const check of ['avsResult', 'cvcResult']) expect(found).not.to.have.nested.property(`authorization.${check}`);
    const next = { type: 'redirect_to_url', redirect_to_url: { url: 'javascript:alert(1)' } };
    shop.answerNext({ status: 200, body: JSON.stringify({ ...intent, status: 'requires_action', next_action: next }) });
    expect(await shop.stripe.lookUp(request, shop.call())).to.have.nested.property('action.kind', 'sdk');
  });

  it('says what a person has seen proven', () => {
    const methods = ['IDEAL', 'BANCONTACT', 'KLARNA', 'SEPA_DEBIT', 'APPLE_PAY', 'GOOGLE_PAY'];
    const can = { partialCapture: true, multipleCaptures: false, adjustment: 'raise', methods };
    const { stepOf, ...proven } = shop.stripe.capabilities(shop.connection);
    expect(stepOf).to.be.a('function');
    expect(proven).to.deep.equal({ ...can, fenceProves: true });
    expect(shop.stripe.capabilities(withoutUrl('sk_test_1')))
      .to.deep.include(can)
      .and.not.have.property('fenceProves');
    for (const origin of shop.stripe.challengeOrigins?.(shop.connection) ?? [])
      expect(new URL(origin).origin).to.equal(origin);
  });

  it('is examined', async () => {
    const lines = async (url?: string) => {
      const told = await shop.stripe.examine?.(shop.call(), url, isOwn);
      return Object.fromEntries((told ?? []).map(({ name, value, isGood }) => [name, isGood ? value : `! ${value}`]));
    };
    shop.lines();
    expect(await lines()).to.deep.equal({
      mode: 'test',
      account: 'acct_twin',
      country: 'US',
      charges: 'enabled',
      'card payments': 'active',
      'statement descriptor prefix': 'TWIN',
      customers: 'readable',
      'list of events': 'readable',
      webhook: '! this service has no public URL for it',
      'webhook secret': 'there',
      'publishable key': 'none, so the checkout has no fields',
    });
    expect(shop.lines()).to.deep.equal([
      'GET /v1/account',
      'GET /v1/webhook_endpoints',
      'GET /v1/customers',
      'GET /v1/events',
    ]);
    expect(await lines(HOOK)).to.include({ webhook: '! https://pay.example is not registered' });
    const [account] = shop.twin.accounts;
    const events = EVENT_TYPES.filter((type) => type !== 'refund.failed' && type !== 'charge.expired');
    account.addEndpoint({ url: `${HOOK}a-token-of-another-connection`, events: ['*'] });
    expect(await lines(HOOK)).to.include({
      webhook: '! https://pay.example is registered, but not with a URL of this connection',
    });
    account.addEndpoint({ url: OWN, events });
    expect(await lines(HOOK)).to.include({
      webhook: 'https://pay.example',
      'webhook version': '2026-10-28.endive',
      'webhook events': '! lacks charge.expired, refund.failed',
    });
    account.addEndpoint({ url: OWN, events: ['*'] });
    expect(await lines(HOOK)).to.include({ 'webhook events': 'all' });
    const { secretKey = '' } = shop.connection.secrets;
    expect(JSON.stringify(await lines(HOOK)))
      .not.to.include(secretKey)
      .and.not.to.include('a-token-that-is-a-key');
  });

  it('is examined while Stripe is unavailable', async () => {
    const connection: Connection = { ...shop.connection, apiUrl: 'http://127.0.0.1:1' };
    const told = await shop.stripe.examine?.({ ...shop.call(), connection }, HOOK, isOwn);
    expect(told?.map(({ name, isGood }) => [name, isGood])).to.deep.equal([
      ['mode', true],
      ['account', false],
    ]);
    expect(told?.[1]?.value).to.match(/^127\.0\.0\.1:1 cannot be reached from this machine \(.+\): check its network/);
    const refused = { ...shop.call(), connection: withSecrets({ secretKey: 'sk_test_WRONG' }) };
    expect((await shop.stripe.examine?.(refused, HOOK, isOwn))?.[1]?.value).to.match(
      /^Stripe does not know this key: `counterfoil connections rotate \S+ --secret-key REF` \(.+\)$/,
    );
    shop.twin.fault({ path: '/v1/webhook_endpoints' }, { kind: 'bad_gateway', effect: 'none' });
    const half = await shop.stripe.examine?.(shop.call(), HOOK, isOwn);
    expect(half?.find(({ name }) => name === 'webhook')).to.have.property('isGood', false);
    shop.twin.fault({ path: '/v1/customers' }, { kind: 'refused', status: 403, code: 'more_permissions_required' });
    const restricted = await shop.stripe.examine?.(shop.call(), HOOK, isOwn);
    const customers = restricted?.find(({ name }) => name === 'customers');
    expect(customers).to.have.property('isGood', false);
    expect(customers?.value).to.match(/^the key needs write access to customers/);
  });

  describe('in a dispute', () => {
    const disputed = async () => {
      const request = await shop.captured();
      const { id } = shop.twin.accounts[0].openDispute(nameOf(request));
      shop.lines();
      return { disputeId: id, accountId: 'acc_1', reference: newReference() };
    };
    const evidence = { text: 'It was delivered.', customerEmail: 'ann@example.com', shippingTrackingNumber: '1Z' };

    it('sends the evidence', async () => {
      const question = await disputed();
      expect(await shop.stripe.lookUpDispute?.(question, shop.call())).to.have.nested.property(
        'dispute.status',
        'OPEN',
      );
      shop.lines();
      const request = { ...question, answer: { evidence, submit: true } };
      const outcome = await shop.stripe.dispute?.(request, shop.call());
      expect(outcome).to.deep.equal({
        kind: 'succeeded',
        processorTransactionId: question.disputeId,
        amount: 1_000,
        currencyCode: 'EUR',
      });
      expect(shop.lines()).to.deep.equal(['POST /v1/disputes/{dp} R']);
      expect(Object.fromEntries(new URLSearchParams(shop.heard.at(-1)?.body))).to.deep.equal({
        'evidence[uncategorized_text]': evidence.text,
        'evidence[customer_email_address]': evidence.customerEmail,
        'evidence[shipping_tracking_number]': evidence.shippingTrackingNumber,
        submit: 'true',
      });
      const found = await shop.stripe.lookUpDispute?.(question, shop.call());
      expect(found).to.have.nested.property('dispute.status', 'CHALLENGED');
      expect(found).to.have.nested.property('dispute.challengeRequiredBy').that.is.a('number');
      const again = { ...request, reference: newReference() };
      const refused = await shop.stripe.dispute?.(again, shop.call());
      expect(refused).to.have.property('kind', 'refused');
      expect(JSON.stringify(refused), 'words that may repeat the evidence').to.not.contain(': The ');
    });

    it('sends names that every object has as they are', async () => {
      const answer = { evidence: { constructor: 'a text' }, submit: true };
      await shop.stripe.dispute?.({ ...(await disputed()), answer }, shop.call());
      expect(new URLSearchParams(shop.heard.at(-1)?.body).get('evidence[constructor]')).to.equal('a text');
    });

    it('sends half a character as what it is, and never throws', async () => {
      const request = { ...(await disputed()), answer: { evidence: { text: 'half: \ud83d' }, submit: true } };
      expect(await shop.stripe.dispute?.(request, shop.call())).to.have.property('kind', 'succeeded');
      expect(new URLSearchParams(shop.heard.at(-1)?.body).get('evidence[uncategorized_text]')).to.equal('half: \ufffd');
    });

    it('accepts', async () => {
      const question = await disputed();
      const outcome = await shop.stripe.dispute?.({ ...question, answer: 'accept' }, shop.call());
      expect(outcome).to.have.property('kind', 'succeeded');
      expect(shop.lines()).to.deep.equal(['POST /v1/disputes/{dp}/close R']);
      expect(await shop.stripe.lookUpDispute?.(question, shop.call())).to.have.nested.property(
        'dispute.status',
        'LOST',
      );
    });

    it('refuses too much evidence before anything is sent', async () => {
      const answer = { evidence: { text: 'x'.repeat(150_001) }, submit: true };
      const outcome = await shop.stripe.dispute?.({ ...(await disputed()), answer }, shop.call());
      expect(outcome).to.include({ kind: 'declined', code: 'EVIDENCE_TOO_LONG' });
      expect(shop.lines()).to.deep.equal([]);
    });

    it('knows what it does not know', async () => {
      const question = { ...(await disputed()), disputeId: 'dp_unknown' };
      expect(await shop.stripe.lookUpDispute?.(question, shop.call())).to.deep.equal({ kind: 'not_found' });
      shop.twin.fault({ path: /disputes/ }, { kind: 'bad_gateway', effect: 'none' });
      expect(await shop.stripe.lookUpDispute?.(question, shop.call())).to.have.property('kind', 'unreachable');
      const request = { ...(await disputed()), answer: 'accept' as const };
      shop.twin.fault({ path: /close$/ }, { kind: 'reset', effect: 'done' });
      expect(await shop.stripe.dispute?.(request, shop.call())).to.have.property('kind', 'unknown');
      expect(await shop.stripe.lookUpDispute?.(request, shop.call())).to.have.nested.property('dispute.status', 'LOST');
    });
  });
});
