// Faults of a request itself: headers, credentials, scopes, bodies; each error of contract §7 provoked at a real
// endpoint.
import { expect } from 'chai';
import { formatApiKey } from '../../src/commands/access/api-key-text.ts';
import { appendedBy } from '../support/http-appended.ts';
import type { Answer, Ask } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const violationsOf = ({ error }: Answer): readonly string[] =>
  error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path)) ?? [];

describe('errors of requests', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  /** Asks with the shop's key and expects the error, and a log that is as it was. */
  const refused = async (
    status: number,
    errorId: string,
    method: string,
    path: string,
    ask: Ask = {},
  ): Promise<Answer> => {
    const { answer, types } = await appendedBy(http.stores.events, () =>
      http.request(method, path, { key: http.shop.key, ...ask }),
    );
    expect([answer.status, answer.error?.errorId, types], answer.text).to.deep.equal([status, errorId, []]);
    return answer;
  };

  it('400 MalformedJson, without a word of the body', async () => {
    const answer = await refused(400, 'MalformedJson', 'POST', '/client-session', {
      text: '{"secret": nope}',
      headers: JSON_TYPE,
    });
    expect(answer.text).not.to.contain('secret').and.not.to.contain('nope');
  });

  it('400 UnsupportedApiVersion', async () => {
    await refused(400, 'UnsupportedApiVersion', 'GET', '/payments', { headers: { 'x-api-version': '2.0' } });
  });

  it('400 MetadataContainsEmptyKey, wherever in metadata it is', async () => {
    for (const metadata of [{ '': 1 }, { a: [{ '': 1 }] }]) {
      const answer = await refused(400, 'MetadataContainsEmptyKey', 'POST', '/client-session', { body: { metadata } });
      expect(violationsOf(answer)).to.have.length(1);
    }
    const both = await refused(422, 'RequestValidationError', 'POST', '/client-session', {
      body: { metadata: { '': 1 }, amount: -1 },
    });
    expect(violationsOf(both)).to.have.length(2);
  });

  it('400 ConflictingIdempotencyKeys, for a key of the wrong length too', async () => {
    for (const headers of [{ 'x-idempotency-key': 'a', 'idempotency-key': 'b' }, { 'x-idempotency-key': '' }]) {
      await refused(400, 'ConflictingIdempotencyKeys', 'POST', '/client-session', { body: {}, headers });
    }
  });

  it('400 ConflictingCredentials, on /checkout alone', async () => {
    const { shop, request } = http;
    const token = await shop.session();
    await refused(400, 'ConflictingCredentials', 'GET', '/checkout/session', { token });
    expect((await request('GET', '/client-session', { key: shop.key, token })).status).to.equal(200);
  });

  describe('401 Unauthorized', () => {
    it('is one and the same for a key that is missing, malformed, unknown, expired, revoked or of the other mode', async () => {
      const { shop, service, world, request } = http;
      const expiring = await shop.newKey(['transactions:retrieve'], 1_000);
      const revoked = await shop.newKey(['transactions:retrieve']);
      for (const { key } of [expiring, revoked])
        expect((await request('GET', '/payments', { key })).status).to.equal(200);
      world.advance(1_000);
      await service.access.revokeApiKey(revoked.keyId);
      const unknown = formatApiKey({ env: 'test', keyId: `key_${'0'.repeat(32)}`, secret: '1'.repeat(64) });
      const otherSecret = formatApiKey({ env: 'test', keyId: shop.keyId, secret: '1'.repeat(64) });
      const live = formatApiKey({ env: 'live', keyId: shop.keyId, secret: '1'.repeat(64) });
      const mistyped = `${shop.key.slice(0, -1)}${shop.key.endsWith('0') ? '1' : '0'}`;
      const answers: Answer[] = [];
      for (const key of [
        undefined,
        '',
        'nonsense',
        mistyped,
        unknown,
        otherSecret,
        live,
        expiring.key,
        revoked.key,
        `${shop.key} `.repeat(2),
      ]) {
        answers.push(
          await request('GET', '/payments', { ...(key !== undefined && { key }), headers: { 'x-request-id': 'same' } }),
        );
      }
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401]));
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
      const headers = answers.map(({ headers: { date: _date, ...rest } }) => JSON.stringify(rest));
      expect(new Set(headers).size).to.equal(1);
    });

    it('is there on the next request after a revocation, as a rotation is', async () => {
      const { shop, service, request } = http;
      const { key, keyId } = await shop.newKey(['transactions:retrieve']);
      const rotated = await service.access.rotateApiKey(keyId, 60_000);
      if (rotated.kind === 'rejected') throw new Error(rotated.description);
      for (const either of [key, rotated.key])
        expect((await request('GET', '/payments', { key: either })).status).to.equal(200);
      http.world.advance(60_000);
      expect((await request('GET', '/payments', { key })).status).to.equal(401);
      await service.access.revokeApiKey(keyId);
      expect((await request('GET', '/payments', { key: rotated.key })).status).to.equal(401);
    });

    it('answers a notification that the processor did not sign', async () => {
      await refused(401, 'Unauthorized', 'POST', '/webhooks/sandbox', { body: {} });
    });
  });

  describe('403 InsufficientScope', () => {
    it('names the scope, and is gone on the next request after the scopes were set', async () => {
      const { shop, service, request } = http;
      const { key, keyId } = await shop.newKey(['transactions:refund']);
      const answer = await refused(403, 'InsufficientScope', 'GET', '/payments', { key });
      expect(answer.error?.description).to.contain('transactions:retrieve');
      await service.access.setApiKeyScopes(keyId, ['transactions:retrieve']);
      expect((await request('GET', '/payments', { key })).status).to.equal(200);
      await service.access.setApiKeyScopes(keyId, ['transactions:cancel']);
      expect((await request('GET', '/payments', { key })).status).to.equal(403);
    });

    it('is also for captureMode AUTOMATIC, of the request or of its session, without transactions:capture', async () => {
      const { shop } = http;
      const { key } = await shop.keyFor('transactions:authorize');
      const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
      const clientToken = await shop.session(AUTOMATIC);
      const paymentMethodToken = await shop.tokenize(clientToken);
      const fields = { paymentMethodToken, orderId: 'o', currencyCode: 'EUR', amount: 1 };
      for (const body of [
        { paymentMethodToken, clientToken },
        { ...fields, ...AUTOMATIC },
      ]) {
        const answer = await refused(403, 'InsufficientScope', 'POST', '/payments', { key, body });
        expect(answer.error?.description).to.contain('transactions:capture');
      }
      const manual = { paymentMethodToken, clientToken, paymentMethod: { captureMode: 'MANUAL' } };
      expect((await http.request('POST', '/payments', { key, body: manual })).status).to.equal(200);
    });
  });

  describe('403 InsufficientScope of a session with automatic capture, without transactions:capture', () => {
    const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
    const refusesCapture = async (key: string, method: 'POST' | 'PATCH', path: string, body: object): Promise<void> => {
      const answer = await refused(403, 'InsufficientScope', method, path, { key, body });
      expect(answer.error?.description).to.contain('transactions:capture');
    };
    const patched = (key: string, body: object) => http.request('PATCH', '/client-session', { key, body });

    it('at its creation', async () => {
      const { key } = await http.shop.newKey(['client_tokens:write']);
      await refusesCapture(key, 'POST', '/client-session', { orderId: 'o', ...AUTOMATIC });
      const both = await http.shop.newKey(['client_tokens:write', 'transactions:capture']);
      expect((await http.request('POST', '/client-session', { key: both.key, body: AUTOMATIC })).status).to.equal(200);
    });

    it('where a patch makes it one, with any other members in the patch', async () => {
      const { shop } = http;
      const { key } = await shop.newKey(['client_tokens:write']);
      const clientToken = await shop.session();
      await refusesCapture(key, 'PATCH', '/client-session', { clientToken, ...AUTOMATIC });
      await refusesCapture(key, 'PATCH', '/client-session', {
        clientToken,
        amount: 5,
        paymentMethod: { captureMode: 'AUTOMATIC', descriptor: 'x' },
      });
      expect((await patched(key, { clientToken, paymentMethod: { captureMode: 'MANUAL' } })).status).to.equal(200);
      const { body } = await http.request('GET', `/client-session?clientToken=${clientToken}`, { key });
      expect(body).not.to.include({ amount: 5 });
    });

    it('where a patch leaves it one and changes the captured amount or its currency; not where it changes nothing of them or ends the capture', async () => {
      const { shop } = http;
      const { key } = await shop.newKey(['client_tokens:write']);
      const clientToken = await shop.session({ orderId: 'o', amount: 10, ...AUTOMATIC });
      await refusesCapture(key, 'PATCH', '/client-session', { clientToken, amount: 1_000_000 });
      await refusesCapture(key, 'PATCH', '/client-session', { clientToken, currencyCode: 'USD' });
      expect((await patched(key, { clientToken, orderId: 'o-2' })).status).to.equal(200);
      expect((await patched(key, { clientToken, amount: 10 })).status).to.equal(200);
      expect((await patched(key, { clientToken, amount: 20, paymentMethod: { captureMode: null } })).status).to.equal(
        200,
      );
      expect((await patched(key, { clientToken, amount: 30 })).status).to.equal(200);
    });

    it('where a fresh token would bring it back', async () => {
      const { shop } = http;
      const { key } = await shop.newKey(['client_tokens:write']);
      const clientToken = await shop.session(AUTOMATIC);
      await refusesCapture(key, 'POST', '/client-session/client-token', { clientToken });
      const manual = await shop.session();
      const renewed = await http.request('POST', '/client-session/client-token', {
        key,
        body: { clientToken: manual },
      });
      expect(renewed.status).to.equal(200);
    });
  });

  it('404 NotFound for a path that is none, an id that is none, and a processor that is none', async () => {
    await refused(404, 'NotFound', 'GET', '/nowhere');
    await refused(404, 'NotFound', 'GET', '/payments/pay_0000');
    await refused(404, 'NotFound', 'GET', '/payments/pay_0000/events');
    await refused(404, 'NotFound', 'GET', '/payment-instruments/pm_0000');
    await refused(404, 'NotFound', 'DELETE', '/payment-instruments/pm_0000');
    await refused(404, 'NotFound', 'POST', '/webhooks/nobody', { body: {} });
  });

  it('405 MethodNotAllowed names the allowed methods, at every path', async () => {
    const paths = new Map<string, Set<string>>();
    for (const { method, path } of http.routes) {
      const methods = paths.get(path) ?? new Set();
      for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) methods.add(one);
      paths.set(path, methods);
    }
    for (const [path, methods] of paths) {
      const { headers } = await refused(
        405,
        'MethodNotAllowed',
        methods.has('PUT') ? 'PATCH' : 'PUT',
        path.replaceAll(/:\w+/g, 'x'),
      );
      expect(headers.allow?.split(', '), path).to.have.members([...methods]);
    }
  });

  it('412 PreconditionFailed when the session was changed meanwhile, and for a tag that is weak or no tag', async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    await shop.ask('PATCH', '/client-session', { clientToken, amount: 1 });
    for (const match of ['"0"', 'W/"1"', '1', '"x"', '']) {
      await refused(412, 'PreconditionFailed', 'PATCH', '/client-session', {
        body: { clientToken, amount: 2 },
        headers: { 'if-match': match },
      });
    }
  });

  it('413 PayloadTooLarge above 512 KiB for a session', async () => {
    const text = JSON.stringify({ metadata: { a: 'x'.repeat(513 * 1024) } });
    await refused(413, 'PayloadTooLarge', 'POST', '/client-session', { text, headers: JSON_TYPE });
  });

  it('415 UnsupportedMediaType', async () => {
    await refused(415, 'UnsupportedMediaType', 'POST', '/client-session', {
      text: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    await refused(415, 'UnsupportedMediaType', 'POST', '/client-session', { text: '{}' });
  });

  describe('422 RequestValidationError', () => {
    it('lists every violation with its path, in one answer', async () => {
      const body = {
        orderId: '',
        currencyCode: 'eur',
        amount: 1.5,
        customer: { emailAddress: 'nobody', billingAddress: { countryCode: 'XX', street: 1 } },
        order: { lineItems: [{ amount: 1 }, { quantity: 0, taxAmount: -1 }], fees: 'none' },
        paymentMethod: { captureMode: 'LATER', orderedAllowedCardNetworks: ['VISA', 'VISA'] },
        'not known': 1,
      };
      expect(
        violationsOf(await refused(422, 'RequestValidationError', 'POST', '/client-session', { body })),
      ).to.have.members([
        '$.orderId',
        '$.currencyCode',
        '$.amount',
        '$.customer.emailAddress',
        '$.customer.billingAddress.countryCode',
        '$.customer.billingAddress.street',
        '$.order.lineItems[1].amount',
        '$.order.lineItems[1].quantity',
        '$.order.lineItems[1].taxAmount',
        '$.order.fees',
        '$.paymentMethod.captureMode',
        '$.paymentMethod.orderedAllowedCardNetworks',
        '$["not known"]',
      ]);
    });

    it('is for a number, in metadata too, that would come back with other digits', async () => {
      const text =
        '{"amount": 10.00000000000000000001, "metadata": {"a": [1, 12345678901234567890], "b": 0.1, "c": 1e400, "d": -0}}';
      const answer = await refused(422, 'RequestValidationError', 'POST', '/client-session', {
        text,
        headers: JSON_TYPE,
      });
      expect(violationsOf(answer)).to.have.members(['$.amount', '$.metadata.a[1]', '$.metadata.c']);
      const kept = await http.request('POST', '/client-session', {
        key: http.shop.key,
        text: '{"metadata": {"a": 9007199254740992, "b": 0.10, "c": -0, "d": 1E3}}',
        headers: JSON_TYPE,
      });
      expect(kept.body).to.have.property('metadata').that.deep.equals({ a: 9007199254740992, b: 0.1, c: 0, d: 1000 });
    });

    it('lists body and query each under its own name', async () => {
      const answer = await refused(422, 'RequestValidationError', 'POST', '/client-session?x=1', {
        body: { amount: -1 },
      });
      expect(answer.error?.validationErrors?.map(({ model }) => model)).to.have.members([
        'ClientSessionFields',
        'Query',
      ]);
    });

    it('names the members that neither the request nor the session has', async () => {
      const { shop } = http;
      const clientToken = await shop.session({
        orderId: undefined,
        currencyCode: undefined,
        amount: undefined,
        paymentMethod: { vaultOnSuccess: true },
      });
      const body = { clientToken, paymentMethodToken: await shop.tokenize(clientToken) };
      expect(violationsOf(await refused(422, 'RequestValidationError', 'POST', '/payments', { body }))).to.have.members(
        ['$.orderId', '$.currencyCode', '$.amount', '$.customerId'],
      );
    });

    it("is for an amount below 1, and for another currency than the session's without an amount", async () => {
      const { shop } = http;
      const clientToken = await shop.session({ amount: 0 });
      const body = { clientToken, paymentMethodToken: await shop.tokenize(clientToken) };
      for (const fields of [{}, { amount: 0 }, { currencyCode: 'USD' }]) {
        const answer = await refused(422, 'RequestValidationError', 'POST', '/payments', {
          body: { ...body, ...fields },
        });
        expect(violationsOf(answer)).to.deep.equal(['$.amount']);
      }
    });

    it('is for a card that has expired, is mistyped, or is not a test card', async () => {
      const token = await http.shop.session();
      const good = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      for (const [wrong, path] of [
        [{ expirationYear: '2020' }, '$.card.expirationYear'],
        [{ expirationMonth: '13' }, '$.card.expirationMonth'],
        [{ number: '4242424242424241' }, '$.card.number'],
        [{ number: '4111111111111111' }, '$.card.number'],
        [{ cvc: '12' }, '$.card.cvc'],
      ] as const) {
        const { answer, types } = await appendedBy(http.stores.events, () =>
          http.request('POST', '/checkout/payment-instruments', { token, body: { card: { ...good, ...wrong } } }),
        );
        expect([answer.status, violationsOf(answer), types]).to.deep.equal([422, [path], []]);
      }
    });
  });

  it('422 FieldNotUpdatable', async () => {
    const body = { clientToken: await http.shop.session(), paymentMethod: { options: { PAYMENT_CARD: { a: 1 } } } };
    expect(violationsOf(await refused(422, 'FieldNotUpdatable', 'PATCH', '/client-session', { body }))).to.deep.equal([
      '$.paymentMethod.options',
    ]);
  });

  it('422 CardNumberNotAllowed in any free text, but not in orders, items and product codes', async () => {
    const { shop } = http;
    const number = '4242 4242 4242 4242';
    for (const [fields, path] of [
      [{ customer: { firstName: number } }, '$.customer.firstName'],
      [{ metadata: { a: { b: [`card: ${number}`] } } }, '$.metadata.a.b[0]'],
      [{ metadata: { a: -4242424242424242 } }, '$.metadata.a'],
      [{ customerId: '4242424242424242' }, '$.customerId'],
      [{ order: { lineItems: [{ amount: 1, name: number }] } }, '$.order.lineItems[0].name'],
    ] as const) {
      const answer = await refused(422, 'CardNumberNotAllowed', 'POST', '/client-session', { body: fields });
      expect(violationsOf(answer)).to.deep.equal([path]);
      // the diagnosticsId is hex, which may contain four digits by chance
      expect(answer.text.replaceAll(answer.requestId, '')).not.to.contain('4242');
    }
    const { id } = await shop.paid();
    await refused(422, 'CardNumberNotAllowed', 'POST', `/payments/${id}/cancel`, { body: { reason: number } });
    const codes = {
      amount: 1,
      itemId: number,
      productData: { sku: number, globalTradeItemNumber: number, manufacturerPartNumber: number },
    };
    expect(
      (await shop.ask('POST', '/client-session', { orderId: number, order: { lineItems: [codes] } })).status,
    ).to.equal(200);
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
