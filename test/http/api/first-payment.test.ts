// A payment from its session to its refund over HTTP; every answer is held against /openapi.json on the way
// (serve-api.ts).
import { expect } from 'chai';
import { z } from 'zod';
import { card } from '../../support/node.ts';
import { type Answered, errorOf } from '../frame/serve.ts';
import { type ServedApi, serveApi } from './serve-api.ts';

const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.string(), version: z.number() });

describe('a first payment over HTTP', () => {
  let api: ServedApi;
  before(async () => {
    api = await serveApi();
  });
  after(() => api.close());

  const refusal = (answer: Answered): unknown => [answer.status, errorOf(answer).errorId];
  const session = async (fields: object = {}): Promise<string> => {
    const made = await api.call('POST', '/client-session', {
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 1000,
      ...fields,
    });
    expect(made.status).to.equal(200);
    return Session.parse(made.body).clientToken;
  };
  const inCheckout = (token: string, method: string, path: string, body?: object) =>
    api.ask({
      method,
      path,
      headers: { 'x-client-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const tokenize = async (clientToken: string, number?: string): Promise<string> => {
    const answer = await inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card(number));
    expect(answer.status).to.equal(200);
    return Token.parse(answer.body).token;
  };
  const pay = async (fields: object = {}, number?: string) => {
    const clientToken = await session(fields);
    const answer = await api.call('POST', '/payments', {
      paymentMethodToken: await tokenize(clientToken, number),
      clientToken,
    });
    return { ...answer, payment: Payment.parse(answer.body) };
  };

  it('is authorized, captured and refunded', async () => {
    const clientToken = await session();
    expect((await api.call('PATCH', '/client-session', { clientToken, amount: 1200 })).body).to.include({
      amount: 1200,
    });
    expect((await api.call('GET', `/client-session?clientToken=${clientToken}`)).body).to.include({
      amount: 1200,
      orderId: 'o-1',
    });
    expect((await inCheckout(clientToken, 'GET', '/checkout/session')).body).to.include({
      amount: 1200,
      currencyCode: 'EUR',
    });
    const token = await tokenize(clientToken);
    const paid = await api.call('POST', '/payments', { paymentMethodToken: token, clientToken });
    expect(paid.body).to.include({ status: 'AUTHORIZED', amount: 1200 });
    const { id } = Payment.parse(paid.body);
    const captured = await api.call('POST', `/payments/${id}/capture`);
    expect(captured.body).to.include({ status: 'SETTLED' });
    const refunded = await api.call('POST', `/payments/${id}/refund`, { amount: 200, reason: 'damaged' });
    expect(refunded.body).to.nested.include({ 'processor.amountRefunded': 200 });
    const read = await api.call('GET', `/payments/${id}?expand=transactions.events`);
    expect(read.headers.etag).to.equal(`"${Payment.parse(read.body).version}"`);
    const history = await api.call('GET', `/payments/${id}/events?limit=2`);
    expect(history.body).to.have.property('nextCursor');
    const { nextCursor } = z.looseObject({ nextCursor: z.string() }).parse(history.body);
    expect((await api.call('GET', `/payments/${id}/events?cursor=${nextCursor}`)).status).to.equal(200);
  });

  it('is made by the browser, which learns no more than it must', async () => {
    const clientToken = await session();
    const paid = await inCheckout(clientToken, 'POST', '/checkout/payments', {
      paymentMethodToken: await tokenize(clientToken),
    });
    expect(paid.body).to.have.keys('id', 'status', 'amount', 'currencyCode', 'paymentMethodType');
  });

  it('is declined as a 200 that says why', async () => {
    const { status, payment } = await pay({}, '4000000000000002');
    expect([status, payment.status]).to.deep.equal([200, 'DECLINED']);
    expect(payment).to.nested.include({ 'statusReason.code': 'GENERIC_DECLINE' });
  });

  it('is voided, and adjusted where it was estimated', async () => {
    const { payment } = await pay({ paymentMethod: { authorizationType: 'ESTIMATED' } });
    expect((await api.call('POST', `/payments/${payment.id}/adjust-authorization`, { amount: 1500 })).body).to.include({
      amount: 1500,
    });
    expect((await api.call('POST', `/payments/${payment.id}/cancel`, { reason: 'changed my mind' })).body).to.include({
      status: 'CANCELLED',
    });
  });

  it('vaults the instrument, which is listed, made the default and deleted', async () => {
    const clientToken = await session({ customerId: 'c-1' });
    const token = await tokenize(clientToken, '5555555555554444');
    expect((await api.call('POST', `/payment-instruments/${token}/vault`, { customerId: 'c-1' })).body).to.include({
      tokenType: 'MULTI_USE',
    });
    expect((await api.call('POST', `/payment-instruments/${token}/default`)).body).to.include({ default: true });
    const listed = await api.call('GET', '/payment-instruments?customer_id=c-1');
    expect(listed.body).to.have.property('data').with.length(1);
    expect((await inCheckout(clientToken, 'GET', '/checkout/session')).body)
      .to.have.property('paymentInstruments')
      .with.length(1);
    expect((await api.call('GET', `/payment-instruments/${token}`)).body).to.include({ token });
    expect((await api.call('DELETE', `/payment-instruments/${token}`)).body).to.include({ deleted: true });
  });

  it('answers again for the same idempotency key', async () => {
    const clientToken = await session();
    const body = { paymentMethodToken: await tokenize(clientToken), clientToken };
    const [first, second] = [
      await api.call('POST', '/payments', body, { 'x-idempotency-key': 'once' }),
      await api.call('POST', '/payments', body, { 'x-idempotency-key': 'once' }),
    ];
    expect([second.status, second.text]).to.deep.equal([first.status, first.text]);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).to.deep.equal([
      undefined,
      'true',
    ]);
    const other = await api.call('POST', '/payments', { ...body, amount: 5 }, { 'x-idempotency-key': 'once' });
    expect(refusal(other)).to.deep.equal([422, 'IdempotencyKeyReused']);
  });

  it('is found in the list by every filter, page by page', async () => {
    const { payment } = await pay({ orderId: 'findme', customerId: 'c-9', currencyCode: 'USD', amount: 4321 });
    await pay({ orderId: 'findme', customerId: 'c-9', currencyCode: 'USD', amount: 4322 });
    const ids = z.looseObject({ data: z.array(Payment), nextCursor: z.string().optional() });
    const query =
      'status=AUTHORIZED,SETTLED&order_id=findme&customer_id=c-9&currency_code=USD&currency_code=EUR&processor=sandbox&last_4_digits=4242&payment_method_type=PAYMENT_CARD&min_amount=4321&max_amount=4400&from_date=2020-01-01T00:00:00%2B01:00&to_date=2100-01-01T00:00:00Z';
    const first = ids.parse((await api.call('GET', `/payments?limit=1&${query}`)).body);
    expect(first.data).to.have.length(1);
    const second = ids.parse((await api.call('GET', `/payments?limit=1&cursor=${first.nextCursor}&${query}`)).body);
    expect(second.data.map(({ id }) => id)).to.deep.equal([payment.id]);
    expect(second.nextCursor).to.equal(undefined);
    const other = await api.call('GET', `/payments?cursor=${first.nextCursor}&status=SETTLED`);
    expect(refusal(other)).to.deep.equal([400, 'InvalidCursor']);
  });

  it('and its webhooks: a bad signature is 401, an unknown processor 404', async () => {
    expect((await api.call('POST', '/webhooks/sandbox', {})).status).to.equal(401);
    expect((await api.call('POST', '/webhooks/nobody', {})).status).to.equal(404);
  });

  it('is in the books of the sandbox', async () => {
    expect((await api.call('GET', '/sandbox/ledger')).status).to.equal(200);
    expect((await api.call('GET', '/sandbox/scenarios')).status).to.equal(200);
  });

  it('refuses card numbers in free text, but not in a card', async () => {
    const answer = await api.call('POST', '/client-session', { customer: { firstName: '4242 4242 4242 4242' } });
    expect(refusal(answer)).to.deep.equal([422, 'CardNumberNotAllowed']);
    const named = await inCheckout(await session(), 'POST', '/checkout/payment-instruments', {
      card: { ...card().card, cardholderName: '4242424242424242' },
    });
    expect(refusal(named)).to.deep.equal([422, 'CardNumberNotAllowed']);
  });

  it('answers a tokenization again whatever the number, which is in no fingerprint', async () => {
    const headers = {
      'x-client-token': await session(),
      'content-type': 'application/json',
      'x-idempotency-key': 'card',
    };
    const tokenizing = (body: unknown) =>
      api.ask({
        method: 'POST',
        path: '/checkout/payment-instruments',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const [first, again] = [await tokenizing(card()), await tokenizing(card('5555555555554444'))];
    expect([again.status, again.text, again.headers['idempotent-replayed']]).to.deep.equal([200, first.text, 'true']);
    const other = await tokenizing({ card: { ...card().card, expirationYear: '2040' } });
    expect(refusal(other)).to.deep.equal([422, 'IdempotencyKeyReused']);
    const deep = await tokenizing(`{"card":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(refusal(deep)).to.deep.equal([422, 'RequestValidationError']);
  });

  it('never met a fault', () => {
    expect(api.faults).to.deep.equal([]);
  });
});
