// PATCH /agreements/{id} and its notices over HTTP, and what a period's key may be (contract §14, "Changes").
import { expect } from 'chai';
import { z } from 'zod';
import { formatTime } from '../../src/world.ts';
import { agreementOf, CONSENT, firstPayment, TERMS } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const HOUR_MS = 3_600_000;
const NO_FUNDS = '4000009900005045';

const Agreement = z.looseObject({
  id: z.string(),
  version: z.number(),
  terms: z.looseObject({ amount: z.number().optional(), startsAt: z.string() }),
  periods: z.array(z.looseObject({ periodKey: z.string(), retryAt: z.string().optional() })).default([]),
});
const Payment = z.looseObject({ id: z.string(), status: z.string(), amount: z.number() });

describe('an agreement that is changed', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const ask = (method: string, path: string, body?: object, headers?: { readonly [name: string]: string }) =>
    http.shop.ask(method, path, body, headers);
  const made = async (fields: object = {}, card = '4242424242424242'): Promise<string> =>
    agreementOf(http, await firstPayment(http, undefined, { card }), fields);
  const patch = (id: string, body: object, headers?: { readonly [name: string]: string }) =>
    ask('PATCH', `/agreements/${id}`, body, headers);
  const charge = (id: string, periodKey: string, fields: object = {}) =>
    ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: 'order', ...fields });
  const read = async (id: string): Promise<z.infer<typeof Agreement>> =>
    bodyOf(await ask('GET', `/agreements/${id}`), Agreement);
  const told = () => ({ noticeGivenAt: formatTime(http.world.now() - HOUR_MS) });
  const authorizations = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

  it('charges the new amount from then on, and repeats what was charged before', async () => {
    const id = await made({ terms: { ...TERMS, frequency: 'DAY' } });
    const first = bodyOf(await charge(id, 'p'), Payment);
    const before = await read(id);
    const changed = await patch(id, { terms: { ...TERMS, frequency: 'DAY', amount: 1_700 }, ...told() });
    expect(changed.status, changed.text).to.equal(200);
    const { terms, version } = bodyOf(changed, Agreement);
    expect(changed.headers.etag).to.equal(`"${version}"`);
    expect(terms).to.include({ amount: 1_700, startsAt: before.terms.startsAt });
    const calls = await authorizations();
    expect(bodyOf(await charge(id, 'p'), Payment)).to.deep.equal(first);
    expect(bodyOf(await charge(id, 'p', { amount: 1_900 }), Payment)).to.deep.equal(first);
    expect((await charge(id, 'p', { amount: 1_700 })).error?.errorId).to.equal('PeriodKeyReused');
    expect(await authorizations()).to.equal(calls);
    http.world.advance(24 * HOUR_MS);
    expect(bodyOf(await charge(id, 'q'), Payment)).to.include({ amount: 1_700, status: 'SETTLED' });
  });

  it('needs the customer where more may be charged, and says which terms allow it', async () => {
    const id = await made();
    const wider = { terms: { ...TERMS, amount: 2_100, frequency: 'WEEK' } };
    const refused = await patch(id, { ...wider, ...told() });
    expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'OutsideAgreementTerms']);
    expect(refused.text).to.include('$.terms.amount').and.include('$.terms.frequency');
    const consent = { ...CONSENT, acceptedAt: formatTime(http.world.now()), textDigest: 'cd'.repeat(32) };
    const accepted = await patch(id, { ...wider, consent });
    expect(accepted.body).to.have.nested.property('consent.textDigest', consent.textDigest);
    expect(accepted.body).to.have.nested.property('terms.frequency', 'WEEK');
  });

  it('is refused without a notice, with a time to come, after the end, and without its own terms', async () => {
    const id = await made();
    const lower = { terms: { ...TERMS, amount: 1_000 } };
    for (const [path, body] of [
      ['$.noticeGivenAt', lower],
      ['$.noticeGivenAt', { ...lower, noticeGivenAt: formatTime(http.world.now() + HOUR_MS) }],
      ['$.terms', told()],
      ['$.terms.amount', { terms: { ...TERMS, amountRule: 'VARIABLE' }, ...told() }],
      ['$.terms.frequency', { terms: { ...TERMS, frequency: undefined }, ...told() }],
      ['$.retry.days', { retry: { policy: 'DAYS' } }],
      ['$.status', { status: 'ACTIVE' }],
    ] as const) {
      const { status, text } = await patch(id, body);
      expect(status, text).to.equal(422);
      expect(text).to.include(`"${path}"`);
    }
    await ask('POST', `/agreements/${id}/cancel`, {});
    expect((await patch(id, { metadata: {} })).error).to.include({
      errorId: 'InvalidAgreementStatus',
      agreementStatus: 'CANCELLED',
    });
    expect((await http.other.ask('PATCH', `/agreements/${id}`, { metadata: {} })).error?.errorId).to.equal('NotFound');
  });

  it('is changed by one of two who saw the same version', async () => {
    const id = await made();
    const { headers } = await ask('GET', `/agreements/${id}`);
    const seen = { 'if-match': String(headers.etag) };
    const answers = await Promise.all(
      ['a', 'b'].map((plan) => patch(id, { metadata: { plan } }, { ...seen, 'x-idempotency-key': `${plan}-${id}` })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
    expect(answers.find(({ status }) => status === 412)?.error?.errorId).to.equal('PreconditionFailed');
    const winner = answers.find(({ status }) => status === 200);
    expect((await ask('GET', `/agreements/${id}`)).body).to.deep.equal(winner?.body);
  });

  it('is changed once for an idempotency key, and not at all by what it has already', async () => {
    const id = await made();
    const key = { 'x-idempotency-key': `change-${id}` };
    const first = await patch(id, { metadata: { plan: 'web' } }, key);
    const again = await patch(id, { metadata: { plan: 'web' } }, key);
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true']);
    expect((await patch(id, { metadata: { plan: 'web' } })).body).to.deep.equal(first.body);
    const cleared = await patch(id, { metadata: null });
    expect(cleared.body).to.not.have.any.keys('metadata');
  });

  it('withdraws the tries that it had planned, with the policy NONE', async () => {
    const id = await made({ retry: { policy: 'DAYS', days: [2] } }, NO_FUNDS);
    await charge(id, 'p');
    expect((await read(id)).periods[0]?.retryAt).to.be.a('string');
    const none = await patch(id, { retry: null });
    expect(none.body).to.have.nested.property('retry.policy', 'NONE');
    expect((await read(id)).periods[0]).to.not.have.any.keys('retryAt');
  });

  it('keeps on record what the customer was told', async () => {
    const id = await made();
    const sentAt = formatTime(http.world.now() - HOUR_MS);
    const notice = { kind: 'PRE_NOTIFICATION', sentAt, channel: 'EMAIL', dueOn: '2026-12-01', amount: 1_900 };
    const { body } = await ask('POST', `/agreements/${id}/notices`, notice);
    expect(body).to.have.property('notices').that.deep.equals([notice]);
    for (const wrong of [
      { ...notice, dueOn: undefined },
      { ...notice, dueOn: '2026-13-01' },
      { ...notice, kind: 'TERMS' },
      { ...notice, channel: 'PIGEON' },
      { ...notice, sentAt: formatTime(http.world.now() + HOUR_MS) },
    ]) {
      const { status, error } = await ask('POST', `/agreements/${id}/notices`, wrong);
      expect([status, error?.errorId], JSON.stringify(wrong)).to.deep.equal([422, 'RequestValidationError']);
    }
    expect((await read(id))['notices']).to.deep.equal([notice]);
  });
});

describe('the key of a period', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const charge = (id: string, periodKey: unknown) =>
    http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: 'order' });

  it('has 1 to 255 characters, of which one is not a blank', async () => {
    const id = await agreementOf(http, await firstPayment(http));
    for (const wrong of ['', ' ', '\t\u00a0', 'x'.repeat(256), 7, null, undefined]) {
      const { status, text } = await charge(id, wrong);
      expect(status, text).to.equal(422);
      expect(text).to.include('"$.periodKey"');
    }
    const longest = '\u{1f9fe}'.repeat(255);
    const first = bodyOf(await charge(id, longest), Payment);
    expect(first).to.include({ status: 'SETTLED', periodKey: longest });
    expect(bodyOf(await charge(id, longest), Payment)).to.deep.equal(first);
  });

  it('is its agreement’s own: another one charges its own period of that name', async () => {
    const ids = [await agreementOf(http, await firstPayment(http)), await agreementOf(http, await firstPayment(http))];
    const paid = await Promise.all(ids.map(async (id) => bodyOf(await charge(id, 'p'), Payment)));
    expect(paid.map((payment) => payment['agreementId'])).to.deep.equal(ids);
    expect(paid[0]?.id).to.not.equal(paid[1]?.id);
  });
});
