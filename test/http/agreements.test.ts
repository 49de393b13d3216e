// Agreements over HTTP: one period, one success, for ever (contract §14).
import { expect } from 'chai';
import { z } from 'zod';
import { formatTime } from '../../src/world.ts';
import { agreementOf, CONSENT, firstPayment, TERMS } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const DAY_MS = 86_400_000;
const REVOKED = '4000009900005037';
const NO_FUNDS = '4000009900005045';
const EXPIRED = '4000009900005052';
const NEEDS_LINK = '5100099900005075';
const WANTS_CUSTOMER = '4000009900005060';

const Agreement = z.looseObject({
  id: z.string(),
  status: z.string(),
  action: z.string().optional(),
  usage: z.looseObject({ claimed: z.number(), succeeded: z.number() }),
  periods: z.array(z.looseObject({ periodKey: z.string(), tries: z.number() })).default([]),
});
const Payment = z.looseObject({ id: z.string(), status: z.string(), periodKey: z.string().optional() });

describe('agreements', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const ask = (method: string, path: string, body?: object, headers?: { readonly [name: string]: string }) =>
    http.shop.ask(method, path, body, headers);
  const charge = (id: string, periodKey: string, fields: object = {}, headers?: { readonly [name: string]: string }) =>
    ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: `order-${periodKey}`, ...fields }, headers);
  const made = async (card?: string, fields: object = {}): Promise<string> =>
    agreementOf(http, await firstPayment(http, undefined, card === undefined ? {} : { card }), fields);
  const read = async (id: string): Promise<z.infer<typeof Agreement>> =>
    bodyOf(await ask('GET', `/agreements/${id}`), Agreement);
  const authorizations = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

  it('are made from a payment that saved its card, and read again', async () => {
    const first = await firstPayment(http, 'customer-read');
    const id = await agreementOf(http, first, { metadata: { plan: 'print' } });
    const { body } = await ask('GET', `/agreements/${id}`);
    expect(body).to.deep.include({
      id,
      status: 'ACTIVE',
      customerId: 'customer-read',
      kind: 'RECURRING',
      usage: { claimed: 0, succeeded: 0 },
      metadata: { plan: 'print' },
    });
    const listed = await ask('GET', '/agreements?customer_id=customer-read&status=ACTIVE');
    expect(listed.body).to.deep.equal({ data: [body] });
    expect((await ask('GET', '/agreements?customer_id=customer-read&status=PAUSED')).body).to.deep.equal({ data: [] });
  });

  it('show each past state, and nothing before they were created', async () => {
    const before = formatTime(http.world.now());
    http.world.advance(1_000);
    const id = await made();
    const made0 = await ask('GET', `/agreements/${id}`);
    const then = formatTime(http.world.now());
    http.world.advance(60_000);
    await charge(id, 'p');
    await ask('POST', `/agreements/${id}/pause`, {});
    expect((await ask('GET', `/agreements/${id}?at=${then}`)).body).to.deep.equal(made0.body);
    const now = await ask('GET', `/agreements/${id}?at=${formatTime(http.world.now())}`);
    expect(now.body).to.deep.equal((await ask('GET', `/agreements/${id}`)).body);
    expect((await ask('GET', `/agreements/${id}?at=${before}`)).status).to.equal(404);
    expect((await ask('GET', `/agreements/${id}?at=2100-01-01T00:00:00Z`)).status).to.equal(422);
    expect((await http.other.ask('GET', `/agreements/${id}?at=${then}`)).status).to.equal(404);
  });

  it('charge a period once, for every call with any idempotency key', async () => {
    const id = await made();
    const before = await authorizations();
    const first = bodyOf(await charge(id, '2026-12'), Payment);
    expect(first).to.include({ status: 'SETTLED', agreementId: id, periodKey: '2026-12', amount: 1_900 });
    const again = [
      await charge(id, '2026-12'),
      await charge(id, '2026-12', {}, { 'x-idempotency-key': `one-${id}` }),
      await charge(id, '2026-12', {}, { 'x-idempotency-key': `two-${id}` }),
      ...(await Promise.all(Array.from({ length: 20 }, () => charge(id, '2026-12')))),
    ];
    for (const answer of again) expect(bodyOf(answer, Payment)).to.deep.equal(first);
    expect((await authorizations()) - before).to.equal(1);
    expect(await read(id)).to.deep.include({ usage: { claimed: 1, succeeded: 1 } });
  });

  it('charge a period once when twenty ask for it at once', async () => {
    const id = await made();
    const before = await authorizations();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => charge(id, 'p', {}, { 'x-idempotency-key': `${id}-${place}` })),
    );
    const ids = new Set(answers.flatMap(({ status, body }) => (status < 300 ? [Payment.parse(body).id] : [])));
    expect(ids.size).to.equal(1);
    for (const { status, error } of answers) expect([200, 202, 409], error?.errorId).to.include(status);
    expect((await authorizations()) - before).to.equal(1);
  });

  it('refuse a period with other terms, and a charge that the customer has not agreed to', async () => {
    const id = await made(undefined, { terms: { ...TERMS, amountRule: 'MAXIMUM' } });
    await charge(id, 'p', { amount: 1_000 });
    const other = await charge(id, 'p', { amount: 1_001 });
    expect([other.status, other.error?.errorId]).to.deep.equal([422, 'PeriodKeyReused']);
    const outside = await charge(id, 'q', { amount: 1_901 });
    expect([outside.status, outside.error?.errorId]).to.deep.equal([422, 'OutsideAgreementTerms']);
    expect(outside.text).to.include('The customer agreed to at most 1900.');
    expect(outside.text).to.include('By its terms 1 periods of the agreement have begun, and 1 are charged.');
  });

  it('wait for the next try of a declined period, whose payment is another one', async () => {
    const id = await made(NO_FUNDS);
    const first = bodyOf(await charge(id, 'p'), Payment);
    expect(first.status).to.equal('DECLINED');
    const early = await charge(id, 'p');
    expect([early.status, early.error?.errorId]).to.deep.equal([409, 'RetryNotAllowed']);
    expect(early.body).to.have.nested.property('error.statusReason.code', 'INSUFFICIENT_FUNDS');
    expect(early.body).to.have.nested.property('error.paymentId', first.id);
    expect(early.error?.notBefore).to.match(/Z$/);
    // a client that waits and sends again would wait for a day
    expect(early.headers['retry-after']).to.equal(undefined);
    http.world.advance(DAY_MS);
    const second = bodyOf(await charge(id, 'p'), Payment);
    expect(second.status).to.equal('DECLINED');
    expect(second.id).to.not.equal(first.id);
    const agreement = await read(id);
    expect(agreement.usage).to.deep.equal({ claimed: 1, succeeded: 0 });
    expect(agreement.periods).to.have.lengthOf(1);
    expect(agreement.periods[0]).to.include({ periodKey: 'p', tries: 2, outcome: 'DECLINED', paymentId: second.id });
  });

  it('are revoked with the consent, for good', async () => {
    const id = await made(REVOKED);
    expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('DECLINED');
    expect((await read(id)).status).to.equal('REVOKED');
    const refused = await charge(id, 'p');
    expect([refused.status, refused.error?.errorId]).to.deep.equal([400, 'InvalidAgreementStatus']);
    const { status } = await ask('POST', `/agreements/${id}/resume`, {});
    expect(status).to.equal(400);
  });

  for (const [card, action] of [
    [WANTS_CUSTOMER, 'AUTHENTICATE'],
    [EXPIRED, 'NEW_INSTRUMENT'],
  ] as const)
    it(`wait for the customer with ${action}, and go on with another payment method`, async () => {
      const customerId = `customer-${action}`;
      const id = await agreementOf(http, await firstPayment(http, customerId, { card }));
      expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('DECLINED');
      expect(await read(id)).to.include({ status: 'SUSPENDED', action });
      const refused = await charge(id, 'p');
      expect(refused.error).to.include({ errorId: 'InvalidAgreementStatus', agreementStatus: 'SUSPENDED', action });
      const ofAnother = await firstPayment(http);
      const wrong = await ask('POST', `/agreements/${id}/instrument`, { paymentId: ofAnother.id });
      expect(wrong.error?.errorId).to.equal('InitialPaymentNotUsable');
      const second = await firstPayment(http, customerId);
      const replaced = await ask('POST', `/agreements/${id}/instrument`, { paymentId: second.id });
      expect(replaced.body).to.include({ status: 'ACTIVE' });
      expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('SETTLED');
      expect((await read(id)).usage).to.deep.equal({ claimed: 1, succeeded: 1 });
    });

  it('tell the network by which payment they began, even if another one took its place', async () => {
    const id = await agreementOf(http, await firstPayment(http, 'customer-linked', { card: NEEDS_LINK }));
    const initial = async () =>
      bodyOf(
        await ask('GET', `/agreements/${id}`),
        z.looseObject({ initial: z.looseObject({ transactionLinkId: z.string() }) }),
      ).initial;
    const first = await initial();
    expect(first.transactionLinkId).to.match(/^[\w-]{22}$/);
    expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('SETTLED');
    const second = await firstPayment(http, 'customer-linked', { card: NEEDS_LINK });
    await ask('POST', `/agreements/${id}/instrument`, { paymentId: second.id });
    expect((await initial()).transactionLinkId).to.not.equal(first.transactionLinkId);
    http.world.advance(32 * DAY_MS);
    expect(bodyOf(await charge(id, 'q'), Payment).status).to.equal('SETTLED');
  });

  it('are paused, resumed and cancelled; nothing is charged meanwhile or after', async () => {
    const id = await made();
    const step = async (name: string): Promise<string> =>
      bodyOf(await ask('POST', `/agreements/${id}/${name}`, {}), Agreement).status;
    expect(await step('pause')).to.equal('PAUSED');
    expect((await charge(id, 'p')).error?.errorId).to.equal('InvalidAgreementStatus');
    expect(await step('resume')).to.equal('ACTIVE');
    expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('SETTLED');
    expect(await step('cancel')).to.equal('CANCELLED');
    expect(await step('cancel')).to.equal('CANCELLED');
    expect((await charge(id, 'q')).error?.errorId).to.equal('InvalidAgreementStatus');
    expect(bodyOf(await charge(id, 'p'), Payment).status).to.equal('SETTLED');
  });

  it('end with the last period of their count', async () => {
    const id = await made(undefined, { kind: 'INSTALLMENT', terms: { ...TERMS, count: 1 } });
    await charge(id, 'p');
    expect((await read(id)).status).to.equal('ENDED');
  });

  it('are not made from a payment that its customer did not make, or that saved nothing', async () => {
    const create = async (paymentId: string) =>
      ask('POST', '/agreements', { paymentId, kind: 'RECURRING', terms: TERMS, consent: CONSENT });
    const plain = await http.shop.paid();
    expect((await create(plain.id)).error?.errorId).to.equal('InitialPaymentNotUsable');
    const id = await made();
    const charged = bodyOf(await charge(id, 'p'), Payment);
    const absent = await create(charged.id);
    expect(absent.error?.errorId).to.equal('InitialPaymentNotUsable');
    expect(absent.text).to.include('The customer was not present.');
    expect((await create('pay_none')).error?.errorId).to.equal('NotFound');
  });

  it('of another account are not found', async () => {
    const id = await made();
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/charges'],
      ['POST', '/cancel'],
    ] as const) {
      const body = path === '/charges' ? { periodKey: 'p', orderId: 'o' } : {};
      const asked = await http.other.ask(method, `/agreements/${id}${path}`, method === 'GET' ? undefined : body);
      expect(asked.error?.errorId).to.equal('NotFound');
    }
  });

  it('know a period for ever, even if many later ones were charged', async () => {
    const terms = { amountRule: 'VARIABLE', currencyCode: 'EUR', description: 'Top-ups' };
    const id = await made(undefined, { kind: 'UNSCHEDULED', terms });
    const first = bodyOf(await charge(id, 'p-0', { amount: 100 }), Payment);
    for (let number = 1; number <= 61; number += 1) await charge(id, `p-${number}`, { amount: 100 });
    const agreement = await read(id);
    expect(agreement.usage).to.deep.equal({ claimed: 62, succeeded: 62 });
    expect(agreement.periods).to.have.lengthOf(60);
    const before = await authorizations();
    expect(bodyOf(await charge(id, 'p-0', { amount: 100 }), Payment)).to.deep.equal(first);
    expect((await charge(id, 'p-0', { amount: 101 })).error?.errorId).to.equal('PeriodKeyReused');
    expect(await authorizations()).to.equal(before);
  });
});
