// The dashboard's agreements over HTTP: as the API has them, with every try; revenue at risk; what answers a dispute of
// a charge; and the proof.
import { expect } from 'chai';
import { z } from 'zod';
import { readProof } from '../../../src/verify/format.ts';
import { TERMS } from '../../support/agreement-made.ts';
import { answered, ChallengedBody, resumeTokenIn } from '../../support/challenged.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { agreedIn, agreedOn, chargedIn } from '../../support/dashboard-agreement.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const NO_FUNDS = '4000009900005045';
const EXPIRED = '4000009900005052';
const WANTS_CUSTOMER = '4000009900005060';
const DISPUTED = '4000000000000259';

const List = z.object({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });
const Tries = z.object({
  data: z.array(z.looseObject({ periodKey: z.string(), try: z.number(), outcome: z.string().optional() })),
});
const Risk = z.strictObject({
  data: z.array(
    z.strictObject({
      action: z.string(),
      age: z.string(),
      currencyCode: z.string(),
      count: z.number(),
      amount: z.number(),
    }),
  ),
  count: z.number(),
  isMore: z.boolean(),
});
const Evidence = z.looseObject({
  periodKey: z.string(),
  consent: z.looseObject({ textDigest: z.string(), eventId: z.string() }),
  first: z.looseObject({ paymentId: z.string(), eventId: z.string() }),
  notices: z.array(z.looseObject({ kind: z.string(), dueOn: z.string().optional(), eventId: z.string() })),
  earlier: z.array(z.looseObject({ periodKey: z.string(), eventId: z.string() })),
});
/** The periods of four months have begun. */
const BEGUN = { ...TERMS, startsAt: new Date(Date.now() - 100 * DAY_MS).toISOString() };

describe('agreements of the dashboard', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const read = async <Body>(path: string, shape: z.ZodType<Body>): Promise<Body> => {
    const { status, text, body } = await dashboard.ask('support', 'GET', `/dashboard/api${path}`);
    expect(status, text).to.equal(200);
    return shape.parse(body);
  };
  const advance = async (byMs: number): Promise<void> => {
    const { status, text } = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    expect(status, text).to.equal(200);
  };

  it('are listed by customer and status, and paused, resumed and cancelled by owners and support alone', async () => {
    const { id } = await agreedIn(shop, { customerId: 'listed' });
    const ids = async (query: string) => (await read(`/agreements?${query}`, List)).data.map((one) => one.id);
    await until(async () => (await ids('customer_id=listed')).length === 1);
    const change = (role: 'support' | 'developer', what: string) =>
      dashboard.ask(role, 'POST', `/dashboard/api/agreements/${id}/${what}`, {}, { 'x-idempotency-key': what });
    expect((await change('developer', 'pause')).status).to.equal(403);
    expect((await change('support', 'pause')).body).to.include({ status: 'PAUSED' });
    expect(await ids('customer_id=listed&status=PAUSED')).to.deep.equal([id]);
    expect((await change('support', 'resume')).body).to.include({ status: 'ACTIVE' });
    expect((await change('support', 'cancel')).body).to.include({ status: 'CANCELLED' });
    expect((await change('support', 'pause')).status).to.equal(200); // the same key: the first answer
    expect(await ids('customer_id=listed&status=ACTIVE')).to.deep.equal([]);
  });

  it('show every try of each period with what the next one waited for', async () => {
    const { id } = await agreedIn(shop, {
      customerId: 'tried',
      card: NO_FUNDS,
      terms: BEGUN,
      retry: { policy: 'DAYS', days: [2, 4] },
    });
    await chargedIn(shop, id, 'one');
    await advance(2 * DAY_MS + 1);
    const tries = async () => (await read(`/agreements/${id}/tries`, Tries)).data;
    await until(async () => (await tries()).filter(({ outcome }) => outcome !== undefined).length === 2);
    const [first, second] = await tries();
    expect(first).to.include({ periodKey: 'one', try: 1, outcome: 'DECLINED', code: 'INSUFFICIENT_FUNDS' });
    expect(first).to.include({ because: 'DECLINED', message: 'The account or card has insufficient funds.' });
    expect(first).to.include.keys('notBefore', 'retryAt', 'paymentId', 'settledAt');
    expect(second).to.include({ try: 2, outcome: 'DECLINED' });
    expect(second?.['paymentId']).not.to.equal(first?.['paymentId']);
  });

  it('add up as revenue at risk by action and age while they are suspended', async () => {
    const risk = async () => (await read('/revenue-at-risk', Risk)).data;
    expect(await risk()).to.deep.equal([]);
    const one = await agreedIn(shop, { customerId: 'expired', card: EXPIRED, terms: BEGUN });
    await chargedIn(shop, one.id, 'one');
    const { amount: _, ...any } = BEGUN;
    const variable = { ...any, amountRule: 'VARIABLE' };
    const two = await agreedIn(shop, { customerId: 'asked', card: WANTS_CUSTOMER, terms: variable });
    await chargedIn(shop, two.id, 'one', { amount: 700 });
    await advance(8 * DAY_MS);
    const three = await agreedIn(shop, { customerId: 'expired-too', card: EXPIRED, terms: BEGUN });
    await chargedIn(shop, three.id, 'one');
    await until(async () => (await risk()).length === 3);
    const euros = { currencyCode: 'EUR', count: 1 };
    expect(await risk()).to.deep.equal([
      { action: 'AUTHENTICATE', age: 'MONTH', ...euros, amount: 700 },
      { action: 'NEW_INSTRUMENT', age: 'WEEK', ...euros, amount: 1_900 },
      { action: 'NEW_INSTRUMENT', age: 'MONTH', ...euros, amount: 1_900 },
    ]);
    await shop.ask(`/agreements/${one.id}/cancel`, {});
    await until(async () => (await risk()).length === 2);
  });

  it('answer a dispute of a charge with consent, first payment and earlier charges, each with its event', async () => {
    const { id, first } = await agreedIn(shop, { customerId: 'disputing', terms: BEGUN });
    await chargedIn(shop, id, 'one');
    const { id: disputing } = await shop.paid({
      session: { customerId: 'disputing', paymentMethod: { vaultOnSuccess: true } },
      card: DISPUTED,
    });
    const disputed = async (periodKey: string): Promise<string> => {
      const { id: paymentId } = await chargedIn(shop, id, periodKey);
      await advance(6_000);
      await until(async () => (await ofPayment(paymentId)).text.includes('"disputes"'));
      return paymentId;
    };
    const ofPayment = (paymentId: string) => dashboard.ask('support', 'GET', `/dashboard/api/payments/${paymentId}`);
    await chargedIn(shop, id, 'two');
    await shop.ask(`/agreements/${id}/instrument`, { paymentId: disputing });
    await disputed('three');
    const sentAt = new Date(Date.now() - DAY_MS).toISOString();
    const notice = { kind: 'PRE_NOTIFICATION', sentAt, channel: 'EMAIL', dueOn: '2026-12-01' };
    await shop.ask(`/agreements/${id}/notices`, notice);
    const last = await disputed('four');
    await shop.ask(`/agreements/${id}/notices`, { kind: 'TERMS', sentAt, channel: 'LETTER' });
    const evidence = await read(`/payments/${last}/agreement-evidence`, Evidence);
    expect(evidence.periodKey).to.equal('four');
    expect(evidence.consent.textDigest).to.equal('ab'.repeat(32));
    expect(evidence.first.paymentId).to.equal(disputing);
    expect(evidence.earlier.map(({ periodKey }) => periodKey)).to.deep.equal(['one', 'two']);
    expect(evidence.notices.map(({ kind, dueOn }) => [kind, dueOn])).to.deep.equal([
      ['PRE_NOTIFICATION', '2026-12-01'],
    ]);
    const { consent, first: firstOne, earlier, notices } = evidence;
    const ids = [consent, firstOne, ...earlier, ...notices].map(({ eventId }) => eventId);
    const stored = await dashboard.ask('auditor', 'GET', `/dashboard/api/streams/agreement-${id}/events`);
    for (const eventId of ids) expect(stored.text).to.include(`"${eventId.replace('evt_', '')}"`);
    const none = await dashboard.ask('support', 'GET', `/dashboard/api/payments/${first.id}/agreement-evidence`);
    expect(none.status).to.equal(404);
  });

  it('answer it with the 3-D Secure result of the first payment, and the event that has it', async () => {
    const clientToken = await shop.session({ customerId: 'challenged', paymentMethod: { vaultOnSuccess: true } });
    const paymentMethodToken = await shop.tokenize(clientToken, CARDS.challenged);
    const waiting = ChallengedBody.parse(await shop.ask('/payments', { clientToken, paymentMethodToken }));
    const page = new URL(waiting.requiredAction.url).pathname;
    const resumeToken = resumeTokenIn(await answered({ port: Number(new URL(dashboard.url).port) }, page));
    await shop.ask(`/payments/${waiting.id}/resume`, { resumeToken });
    const { id } = await agreedOn(shop, waiting.id, { terms: BEGUN });
    const { id: charged } = await chargedIn(shop, id, 'one');
    const { first } = await read(`/payments/${charged}/agreement-evidence`, Evidence);
    expect(first.paymentId).to.equal(waiting.id);
    expect(first['threeDSecureAuthentication']).to.include({ responseCode: 'AUTH_SUCCESS', challengeIssued: true });
    const stored = await dashboard.ask('auditor', 'GET', `/dashboard/api/payments/${waiting.id}/stored-events`);
    expect(stored.text).to.include(String(first['authenticationEventId']).replace('evt_', ''));
  });

  it('are proved as a file for counterfoil-verify, by those who may read proofs', async () => {
    const { id, first } = await agreedIn(shop, { customerId: 'proved' });
    const { id: paymentId } = await chargedIn(shop, id, 'one');
    const path = `/dashboard/api/agreements/${id}/proof`;
    const { text } = await dashboard.ask('auditor', 'GET', path);
    const last = z.looseObject({ proof: z.unknown() }).parse(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''));
    const proof = readProof(last.proof);
    expect(proof).to.include({ agreementId: id });
    expect(proof.streams.map(({ stream }) => stream)).to.include.members([
      `agreement-${id}`,
      `payment-${first.id}`,
      `payment-${paymentId}`,
    ]);
    const none = await dashboard.ask('auditor', 'GET', '/dashboard/api/agreements/agr_none/proof');
    expect(none.status).to.equal(404);
    expect((await dashboard.ask('support', 'GET', path)).status).to.equal(403);
  });
});
