// Idempotency keys over HTTP: remembered answers, repeated answers and refusals (contract §6).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS, paymentOf, SessionBody } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

const Id = z.looseObject({ id: z.string() });

describe('idempotency keys', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  let keys = 0;
  const newKey = (): { 'x-idempotency-key': string } => {
    keys += 1;
    return { 'x-idempotency-key': `key-${keys}` };
  };
  const isEffect = (type: string): boolean => !type.startsWith('idempotency ');
  const expectReplayed = (again: Answer, first: Answer): void => {
    // Word for word: an error names the request that was refused, the second time too.
    expect([again.status, again.text, again.headers.etag, again.headers['idempotent-replayed']]).to.deep.equal([
      first.status,
      first.text,
      first.headers.etag,
      'true',
    ]);
    expect(again.requestId).not.to.equal(first.requestId);
    expect(first.headers).not.to.have.property('idempotent-replayed');
  };

  /**
   * Calls with an answer of their own kind, as method, path and body on fresh resources; the matrix of scopes repeats
   * each operation.
   */
  const OPERATIONS: { readonly [name: string]: () => Promise<readonly [string, string, object | undefined]> } = {
    'PATCH /client-session, with a warning': async () => {
      const clientToken = await http.shop.session({ customer: { firstName: 'A', lastName: 'B', taxId: 'C' } });
      return ['PATCH', '/client-session', { clientToken, customer: { firstName: 'D', lastName: 'E' } }];
    },
    'POST /client-session/client-token': async () => {
      const clientToken = await http.shop.session();
      http.world.advance(2_000);
      return ['POST', '/client-session/client-token', { clientToken }];
    },
    'POST /payments': async () => {
      const clientToken = await http.shop.session();
      return ['POST', '/payments', { clientToken, paymentMethodToken: await http.shop.tokenize(clientToken) }];
    },
    'POST /payments, declined': async () => {
      const clientToken = await http.shop.session();
      return [
        'POST',
        '/payments',
        { clientToken, paymentMethodToken: await http.shop.tokenize(clientToken, CARDS.declined) },
      ];
    },
    'POST /payments, captured at once': async () => {
      const clientToken = await http.shop.session({ paymentMethod: { captureMode: 'AUTOMATIC' } });
      return ['POST', '/payments', { clientToken, paymentMethodToken: await http.shop.tokenize(clientToken) }];
    },
    'POST /payments/{id}/refund, which the processor refuses': async () => [
      'POST',
      `/payments/${(await http.shop.captured({ card: CARDS.refundDeclined })).id}/refund`,
      undefined,
    ],
  };
  for (const [name, make] of Object.entries(OPERATIONS)) {
    it(`${name}: the second call has no effect and the first answer`, async () => {
      const { shop, stores } = http;
      const [method, path, body] = await make();
      const headers = newKey();
      const first = await appendedBy(stores.events, () => shop.ask(method, path, body, headers));
      expect(first.types.filter(isEffect)).not.to.deep.equal([]);
      const second = await appendedBy(stores.events, () => shop.ask(method, path, body, headers));
      expectReplayed(second.answer, first.answer);
      expect(second.types).to.deep.equal([]);
    });
  }

  it('belong to a path: the same body under the same key to another payment is refused, and has no effect', async () => {
    const { shop, stores } = http;
    const headers = newKey();
    const [one, other] = [await shop.paid(), await shop.paid()];
    expect((await shop.ask('POST', `/payments/${one.id}/capture`, { amount: 100 }, headers)).status).to.equal(200);
    const reused = await appendedBy(stores.events, () =>
      shop.ask('POST', `/payments/${other.id}/capture`, { amount: 100 }, headers),
    );
    expect([reused.answer.status, reused.answer.error?.errorId, reused.types]).to.deep.equal([
      422,
      'IdempotencyKeyReused',
      [],
    ]);
  });

  it('in the checkout belong to the session, and number and code are not part of a fingerprint', async () => {
    const { shop, request, stores } = http;
    const headers = newKey();
    const [token, another] = [await shop.session(), await shop.session()];
    const tokenize = (by: string, cvc: string) =>
      request('POST', '/checkout/payment-instruments', { token: by, body: { card: { ...card().card, cvc } }, headers });
    const first = await tokenize(token, '123');
    expectReplayed(await tokenize(token, '321'), first);
    const elsewhere = await tokenize(another, '123');
    expect([elsewhere.status, elsewhere.headers['idempotent-replayed'], elsewhere.text === first.text]).to.deep.equal([
      200,
      undefined,
      false,
    ]);
    const { token: paymentMethodToken } = bodyOf(first, z.looseObject({ token: z.string() }));
    const pay = () =>
      request('POST', '/checkout/payments', {
        token,
        body: { paymentMethodToken },
        headers: { 'idempotency-key': '"pay"' },
      });
    const paid = await pay();
    const again = await appendedBy(stores.events, pay);
    expectReplayed(again.answer, paid);
    expect(again.types).to.deep.equal([]);
  });

  it('repeat the first answer, however much has happened since', async () => {
    const { shop } = http;
    const headers = newKey();
    const { id } = await shop.paid();
    const capture = () => shop.ask('POST', `/payments/${id}/capture`, { amount: 100, final: false }, headers);
    const first = await capture();
    await shop.ask('POST', `/payments/${id}/capture`);
    await shop.ask('POST', `/payments/${id}/refund`);
    expectReplayed(await capture(), first);
  });

  it('are asked before If-Match and before the state, as contract §1 has it', async () => {
    const { shop } = http;
    const headers = { ...newKey(), 'if-match': '"0"' };
    const clientToken = await shop.session();
    const first = await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }, headers);
    expect(first.headers.etag).to.equal('"1"');
    await shop.ask('POST', '/payments', { clientToken, paymentMethodToken: await shop.tokenize(clientToken) });
    expectReplayed(await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 }, headers), first);
  });

  it('answer again also when the client token has expired meanwhile', async () => {
    const { shop, world } = http;
    for (const make of [OPERATIONS['POST /payments'], OPERATIONS['PATCH /client-session, with a warning']]) {
      const [method = '', path = '', body] = (await make?.()) ?? [];
      const headers = newKey();
      const first = await shop.ask(method, path, body, headers);
      world.advance(86_400_000);
      expectReplayed(await shop.ask(method, path, body, headers), first);
    }
  });

  it('answer a first 202 with the payment as it is now', async () => {
    const { shop, stores } = http;
    const [method, path] = ['POST', '/payments'];
    const clientToken = await shop.session();
    const body = { clientToken, paymentMethodToken: await shop.tokenize(clientToken, CARDS.unknown) };
    const headers = newKey();
    const first = await shop.ask(method, path, body, headers);
    expect([first.status, paymentOf(first).status]).to.deep.equal([202, 'PENDING']);
    const unsettled = await shop.ask(method, path, body, headers);
    expect([unsettled.status, unsettled.headers['idempotent-replayed']]).to.deep.equal([202, 'true']);
    http.world.advance(31_000);
    const { id } = bodyOf(first, Id);
    // asks the processor about the authorization first
    await shop.ask('POST', `/payments/${id}/capture`, { amount: 1, final: false });
    const settled = await appendedBy(stores.events, () => shop.ask(method, path, body, headers));
    expect([settled.answer.status, settled.answer.headers['idempotent-replayed'], settled.types]).to.deep.equal([
      200,
      'true',
      [],
    ]);
    expect(bodyOf(settled.answer, Id).id).to.equal(id);
  });

  it('are good for thirty days, and then for another request', async () => {
    const { shop, world } = http;
    const headers = newKey();
    const first = await shop.ask('POST', '/client-session', { orderId: 'a' }, headers);
    world.advance(29 * 86_400_000);
    expectReplayed(await shop.ask('POST', '/client-session', { orderId: 'a' }, headers), first);
    world.advance(2 * 86_400_000);
    const other = await shop.ask('POST', '/client-session', { orderId: 'b' }, headers);
    expect([other.status, other.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
  });

  describe('do not remember', () => {
    it('a refusal: the same request is evaluated again, and another body may take the key', async () => {
      const { shop } = http;
      const headers = newKey();
      const { id } = await shop.paid();
      const tooMuch = await shop.ask('POST', `/payments/${id}/capture`, { amount: 5_000 }, headers);
      expect(tooMuch.error?.errorId).to.equal('UnprocessableCaptureAmount');
      const again = await shop.ask('POST', `/payments/${id}/capture`, { amount: 5_000 }, headers);
      expect([again.error?.errorId, again.headers['idempotent-replayed']]).to.deep.equal([
        'UnprocessableCaptureAmount',
        undefined,
      ]);
      const enough = await shop.ask('POST', `/payments/${id}/capture`, { amount: 500 }, headers);
      expect([enough.status, enough.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
    });

    it('a PATCH without a change', async () => {
      const { shop } = http;
      const headers = newKey();
      const clientToken = await shop.session();
      for (const body of [{ clientToken }, { clientToken }, { clientToken, amount: 7 }]) {
        const answer = await shop.ask('PATCH', '/client-session', body, headers);
        expect([answer.status, answer.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
      }
    });

    it('a refusal from before any look at the state: 401, 403, 415, 422', async () => {
      const { shop, request, stores } = http;
      const headers = newKey();
      const ask = { body: { orderId: 'o' }, headers };
      const { key } = await shop.keyFor('transactions:refund');
      const { answer, types } = await appendedBy(stores.events, async () => [
        (await request('POST', '/client-session', ask)).status,
        (await request('POST', '/client-session', { ...ask, key })).status,
        (await request('POST', '/client-session', { key: shop.key, text: '{}', headers })).status,
        (await request('POST', '/client-session', { key: shop.key, body: { amount: -1 }, headers })).status,
      ]);
      expect([answer, types]).to.deep.equal([[401, 403, 415, 422], []]);
      expect(
        (await request('POST', '/client-session', { ...ask, key: shop.key })).headers['idempotent-replayed'],
      ).to.equal(undefined);
    });
  });

  describe('422 IdempotencyKeyReused', () => {
    it('is for another body, path or method under the same key', async () => {
      const { shop, stores } = http;
      const headers = newKey();
      const clientToken = await shop.session();
      await shop.ask('PATCH', '/client-session', { clientToken, amount: 1 }, headers);
      for (const [method, path, body] of [
        ['PATCH', '/client-session', { clientToken, amount: 2 }],
        ['POST', '/client-session', { amount: 1 }],
        ['POST', '/client-session/client-token', { clientToken }],
        ['POST', `/payments/${(await shop.paid()).id}/capture`, {}],
      ] as const) {
        const { answer, types } = await appendedBy(stores.events, () => shop.ask(method, path, body, headers));
        expect([answer.status, answer.error?.errorId, types]).to.deep.equal([422, 'IdempotencyKeyReused', []]);
      }
    });

    it('goes by the body as it was sent, character by character', async () => {
      const { shop, request } = http;
      const headers = { ...newKey(), 'content-type': 'application/json' };
      await request('POST', '/client-session', { key: shop.key, text: '{"amount":1}', headers });
      const spaced = await request('POST', '/client-session', { key: shop.key, text: '{"amount": 1}', headers });
      expect(spaced.error?.errorId).to.equal('IdempotencyKeyReused');
    });
  });

  it('409 IdempotencyKeyInProgress while the first call runs, and one effect however many call at once', async () => {
    const { shop, stores } = http;
    const headers = newKey();
    const body = bodyOf(
      await shop.ask('POST', '/client-session', { orderId: 'o', currencyCode: 'EUR', amount: 7 }),
      SessionBody,
    );
    const { clientToken } = body;
    const paymentMethodToken = await shop.tokenize(clientToken);
    const { answer: answers, types } = await appendedBy(stores.events, () =>
      Promise.all(
        Array.from({ length: 8 }, () => shop.ask('POST', '/payments', { clientToken, paymentMethodToken }, headers)),
      ),
    );
    expect(types.filter((type) => type === 'payment AuthorizationRequested')).to.have.length(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others).not.to.deep.equal([]);
    for (const { status, error } of others)
      expect([status, error?.errorId]).to.deep.equal([409, 'IdempotencyKeyInProgress']);
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).to.equal(1);
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
