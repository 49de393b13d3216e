// Contract §1, the order of checks, at real endpoints: each request has two neighbouring faults, and the first one
// answers.
import { expect } from 'chai';
import type { Ask } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE = JSON.stringify({ a: 'x'.repeat(513 * 1024) });

describe('the order of checks at real endpoints', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const first = async (errorId: string, method: string, path: string, ask: Ask): Promise<void> => {
    const before = await http.stores.events.head();
    const answer = await http.request(method, path, ask);
    expect(answer.error?.errorId, answer.text).to.equal(errorId);
    expect(await http.stores.events.head()).to.equal(before);
  };

  it('404 and 405 before 400 of a header', async () => {
    const headers = { 'x-api-version': '9' };
    await first('NotFound', 'POST', '/payment', { headers });
    await first('MethodNotAllowed', 'PUT', '/payments', { headers });
  });

  it('400 of a header before 401', async () => {
    await first('UnsupportedApiVersion', 'POST', '/payments', { headers: { 'x-api-version': '9' } });
    await first('ConflictingCredentials', 'POST', '/checkout/payments', { key: 'x', token: 'x' });
    await first('ConflictingIdempotencyKeys', 'POST', '/payments', {
      headers: { 'x-idempotency-key': 'a', 'idempotency-key': 'b' },
    });
    await first('ConflictingIdempotencyKeys', 'POST', '/payments', { headers: { 'idempotency-key': '' }, text: LARGE });
  });

  it('401 before 403, and 403 before 413, 415 and 400 of the body', async () => {
    const { key } = await http.shop.keyFor('transactions:refund');
    await first('Unauthorized', 'POST', '/payments', { key: 'x', text: '{', headers: JSON_TYPE });
    await first('InsufficientScope', 'POST', '/payments', { key, text: LARGE });
    await first('InsufficientScope', 'POST', '/payments', { key, text: '{', headers: JSON_TYPE });
  });

  it('413 before 415, before 400, before 422', async () => {
    const { key } = http.shop;
    await first('PayloadTooLarge', 'POST', '/payments', {
      key,
      text: LARGE,
      headers: { 'content-type': 'text/plain' },
    });
    await first('UnsupportedMediaType', 'POST', '/payments', {
      key,
      text: '{',
      headers: { 'content-type': 'text/plain' },
    });
    await first('MalformedJson', 'POST', '/payments', { key, text: '{"unknown":1', headers: JSON_TYPE });
  });

  it('422 before 404 of the resource and 400 of a token', async () => {
    const { key } = http.shop;
    await first('RequestValidationError', 'POST', '/payments/pay_0/capture', { key, body: { amount: 0 } });
    await first('RequestValidationError', 'GET', '/payments/pay_0?unknown=1', { key });
    await first('RequestValidationError', 'PATCH', '/client-session', {
      key,
      body: { clientToken: 'forged', amount: -1 },
    });
    await first('CardNumberNotAllowed', 'POST', '/payments/pay_0/refund', {
      key,
      body: { reason: '4242424242424242' },
    });
  });

  it('404 of a resource, and 400 of a wrong client token, before an idempotency key that is taken', async () => {
    const { shop } = http;
    const headers = { 'x-idempotency-key': 'taken' };
    await shop.ask('POST', '/client-session', { orderId: 'o' }, headers);
    await first('NotFound', 'POST', '/payments/pay_0/capture', { key: shop.key, body: {}, headers });
    await first('NotFound', 'DELETE', '/payment-instruments/pm_0', { key: shop.key, headers });
    await first('ClientSessionValidationError', 'PATCH', '/client-session', {
      key: shop.key,
      body: { clientToken: 'forged' },
      headers,
    });
  });

  it('400 of a wrong token before 403 of a scope that the body decides', async () => {
    const { shop } = http;
    const { key } = await shop.keyFor('transactions:authorize');
    const paymentMethodToken = await shop.tokenize(await shop.session());
    const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
    await first('ClientSessionValidationError', 'POST', '/payments', {
      key,
      body: { clientToken: 'forged', paymentMethodToken, ...AUTOMATIC },
    });
    const sessions = await shop.keyFor('client_tokens:write');
    await first('ClientSessionValidationError', 'PATCH', '/client-session', {
      key: sessions.key,
      body: { clientToken: 'forged', ...AUTOMATIC },
    });
  });

  it("400 of another account's payment method token before 403 of a scope that the body decides", async () => {
    const { shop, other } = http;
    const { key } = await shop.keyFor('transactions:authorize');
    const fields = { orderId: 'o', currencyCode: 'EUR', amount: 1, paymentMethod: { captureMode: 'AUTOMATIC' } };
    for (const paymentMethodToken of ['pm_0', await other.tokenize(await other.session())]) {
      await first('InvalidPaymentInstrumentToken', 'POST', '/payments', {
        key,
        body: { paymentMethodToken, ...fields },
      });
    }
  });

  it('an idempotent replay before 412, and that before the same key with another request', async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    const headers = { 'x-idempotency-key': 'patched once', 'if-match': '"0"' };
    const body = { clientToken, amount: 5 };
    const patched = await shop.ask('PATCH', '/client-session', body, headers);
    const replayed = await shop.ask('PATCH', '/client-session', body, headers);
    expect([replayed.status, replayed.text, replayed.headers['idempotent-replayed']]).to.deep.equal([
      200,
      patched.text,
      'true',
    ]);
    await first('IdempotencyKeyReused', 'PATCH', '/client-session', {
      key: shop.key,
      body: { clientToken, amount: 6 },
      headers,
    });
  });

  it('403 of a scope that the body decides before an idempotency key that is taken, and that before the state', async () => {
    const { shop } = http;
    const { key } = await shop.keyFor('transactions:authorize');
    const headers = { 'x-idempotency-key': 'taken too' };
    await shop.ask('POST', '/client-session', { orderId: 'o' }, headers);
    const clientToken = await shop.session();
    const paymentMethodToken = await shop.tokenize(clientToken);
    const body = { clientToken, paymentMethodToken };
    await first('InsufficientScope', 'POST', '/payments', {
      key,
      body: { ...body, paymentMethod: { captureMode: 'AUTOMATIC' } },
      headers,
    });
    const automatic = { paymentMethod: { captureMode: 'AUTOMATIC' } };
    const sessions = await shop.keyFor('client_tokens:write');
    await first('InsufficientScope', 'POST', '/client-session', { key: sessions.key, body: automatic, headers });
    const stale = { ...headers, 'if-match': '"99"' };
    await first('InsufficientScope', 'PATCH', '/client-session', {
      key: sessions.key,
      body: { clientToken, ...automatic },
      headers: stale,
    });
    await shop.ask('POST', '/payments', body);
    await first('IdempotencyKeyReused', 'POST', '/payments', { key, body, headers });
    await first('ClientSessionCompleted', 'POST', '/payments', { key, body });
  });

  it('412 before the state of the session', async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    await shop.ask('POST', '/payments', { clientToken, paymentMethodToken: await shop.tokenize(clientToken) });
    const body = { clientToken, amount: 1 };
    await first('PreconditionFailed', 'PATCH', '/client-session', {
      key: shop.key,
      body,
      headers: { 'if-match': '"0"' },
    });
    await first('ClientSessionCompleted', 'PATCH', '/client-session', { key: shop.key, body });
  });
});
