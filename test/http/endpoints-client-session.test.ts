// The endpoints of client sessions without faults: their answers, and the events in the log (contract §3).
import { expect } from 'chai';
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { appendedBy, expectCausedBy } from '../support/http-appended.ts';
import { bodyOf, SessionBody } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const FIELDS = {
  orderId: 'o-1',
  customerId: 'c-1',
  currencyCode: 'EUR',
  metadata: { note: null, list: [1.5, {}], nothing: [] },
  customer: { firstName: 'Ada', emailAddress: 'ada@example.com', billingAddress: { city: 'Paris', countryCode: 'FR' } },
  order: {
    lineItems: [
      {
        itemId: 'i-1',
        amount: 500,
        quantity: 2,
        discountAmount: 100,
        taxAmount: 20,
        productType: 'PHYSICAL',
        productData: { sku: 's', weight: 1.5 },
      },
    ],
    countryCode: 'FR',
    fees: [{ amount: 30, type: 'SURCHARGE' }],
    shipping: { amount: 50, methodName: 'Post' },
  },
  paymentMethod: {
    captureMode: 'MANUAL',
    orderedAllowedCardNetworks: ['VISA', 'AMEX'],
    options: { PAYMENT_CARD: { cvv: true } },
  },
  returnUrl: 'https://shop.example/back',
};
const DAY_MS = 86_400_000;

describe('client sessions over HTTP', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  describe('POST /client-session', () => {
    it('answers the fields as they were sent, the resulting amount, and a token for a day', async () => {
      const { shop, stores, world } = http;
      const asked = world.now();
      const made = await appendedBy(stores.events, () => shop.ask('POST', '/client-session', FIELDS));
      expect(made.answer.status).to.equal(200);
      expect(made.answer.headers.etag).to.equal('"0"');
      const { clientToken, clientTokenExpirationDate, ...echo } = bodyOf(made.answer, SessionBody);
      expect(echo).to.deep.equal({ ...FIELDS, amount: 1000 });
      expect(Date.parse(clientTokenExpirationDate)).to.be.within(asked + DAY_MS, world.now() + DAY_MS);
      expect(made.types).to.deep.equal(['clientSession ClientSessionCreated']);
      expectCausedBy(made, shop.accountId, { kind: 'apiKey', id: shop.keyId });
      expect(clientToken.length).to.be.at.most(2_048);
    });

    it('takes an absent body as {} and leaves null, {} and [] out of its answer', async () => {
      const { shop } = http;
      expect(bodyOf(await shop.ask('POST', '/client-session'), SessionBody)).to.have.all.keys(
        'clientToken',
        'clientTokenExpirationDate',
      );
      const empty = { customer: {}, order: { lineItems: [], fees: [] }, metadata: {}, paymentMethod: { options: {} } };
      expect(bodyOf(await shop.ask('POST', '/client-session', empty), SessionBody)).to.have.all.keys(
        'clientToken',
        'clientTokenExpirationDate',
      );
      const kept = { amount: 0, customer: { lastName: '' }, paymentMethod: { vaultOnSuccess: false } };
      expect((await shop.ask('POST', '/client-session', kept)).body).to.deep.include(kept);
    });

    it('makes tokens that any JWT library verifies, without personal data', async () => {
      const { shop, stores } = http;
      const token = await shop.session(FIELDS);
      const [secret = Buffer.alloc(0)] = stores.secrets.keys('client-token');
      const { payload, protectedHeader } = await jwtVerify(token, secret, { algorithms: ['HS256'] });
      expect(protectedHeader.alg).to.equal('HS256');
      expect(payload).to.have.all.keys('sub', 'acc', 'intent', 'env', 'iat', 'exp');
      expect(payload).to.include({ acc: shop.accountId, intent: 'CHECKOUT', env: 'test' });
      expect(payload.sub).to.match(/^cs_/);
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(DAY_MS / 1000);
    });

    it('takes any spelling of an integer, and any offset in a date of a filter', async () => {
      const { shop, request } = http;
      for (const [spelled, amount] of [
        ['10.0', 10],
        ['1e3', 1000],
        ['-0', 0],
        ['9007199254740991', 9007199254740991],
      ] as const) {
        const made = await request('POST', '/client-session', {
          key: shop.key,
          text: `{"amount": ${spelled}}`,
          headers: { 'content-type': 'application/json' },
        });
        expect(bodyOf(made, z.looseObject({ amount: z.number() })).amount, spelled).to.equal(amount);
      }
    });
  });

  describe('GET /client-session', () => {
    it('answers all fields for the token in the query or in X-Client-Token, and changes nothing', async () => {
      const { shop, stores, request } = http;
      const token = await shop.session(FIELDS);
      const read = await appendedBy(stores.events, () => shop.ask('GET', `/client-session?clientToken=${token}`));
      expect(read.answer.status).to.equal(200);
      expect(read.answer.headers.etag).to.equal('"0"');
      expect(read.answer.body).to.deep.equal({ ...FIELDS, amount: 1000 });
      expect(read.types).to.deep.equal([]);
      expect((await request('GET', '/client-session', { key: shop.key, token })).text).to.equal(read.answer.text);
    });

    it('is a 422 without any token', async () => {
      const answer = await http.shop.ask('GET', '/client-session');
      expect(answer.error?.errorId).to.equal('RequestValidationError');
      expect(answer.error?.validationErrors?.[0]?.errors[0]?.path).to.equal('$.clientToken');
    });
  });

  describe('PATCH /client-session', () => {
    it('answers all fields with the changes, never the token, under a new ETag', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session(FIELDS);
      const patched = await appendedBy(stores.events, () =>
        shop.ask('PATCH', '/client-session', { clientToken, amount: 700 }),
      );
      expect(patched.answer.status).to.equal(200);
      expect(patched.answer.headers.etag).to.equal('"1"');
      expect(patched.answer.body).to.deep.equal({ ...FIELDS, amount: 700 });
      expect(patched.types).to.deep.equal(['clientSession ClientSessionUpdated']);
      expectCausedBy(patched, shop.accountId, { kind: 'apiKey', id: shop.keyId });
      expect(JSON.parse(patched.events[0]?.data ?? '')).to.deep.equal({ set: { amount: 700 }, cleared: [] });
      const read = await shop.ask('GET', `/client-session?clientToken=${clientToken}`);
      expect([read.text, read.headers.etag]).to.deep.equal([patched.answer.text, '"1"']);
    });

    it('answers all lines of a long order, before and after it is changed', async () => {
      const { shop } = http;
      const order = {
        ...FIELDS.order,
        lineItems: Array.from({ length: 50 }, (_, n) => ({ itemId: `i-${n}`, amount: n })),
      };
      const shorter = { ...order, lineItems: order.lineItems.slice(0, 40) };
      const clientToken = await shop.session({ ...FIELDS, order, amount: 1 });
      const changes = [{ orderId: 'o-2' }, { orderId: 'o-3' }, { order: shorter }, { orderId: 'o-4' }];
      let expected: object = { ...FIELDS, order, amount: 1 };
      for (const change of changes) {
        expected = { ...expected, ...change };
        const patched = await shop.ask('PATCH', '/client-session', { clientToken, ...change });
        expect(patched.body).to.deep.equal(expected);
        expect((await shop.ask('GET', `/client-session?clientToken=${clientToken}`)).text).to.equal(patched.text);
      }
    });

    it('of a session with automatic capture needs transactions:capture only if it names that mode or changes the captured amount', async () => {
      const { shop, request } = http;
      const { key } = await shop.keyFor('client_tokens:write');
      const clientToken = await shop.session({ paymentMethod: { captureMode: 'AUTOMATIC', descriptor: 'SHOP' } });
      const patched = (body: object) => request('PATCH', '/client-session', { key, body: { clientToken, ...body } });
      for (const body of [{ orderId: 'o-2' }, { paymentMethod: { descriptor: 'STORE' } }])
        expect((await patched(body)).status, JSON.stringify(body)).to.equal(200);
      const named = await patched({ orderId: 'o-3', paymentMethod: { captureMode: 'AUTOMATIC' } });
      expect([named.status, named.error?.errorId]).to.deep.equal([403, 'InsufficientScope']);
      const echo = bodyOf(await shop.ask('GET', `/client-session?clientToken=${clientToken}`), z.looseObject({}));
      expect(echo).to.deep.include({
        orderId: 'o-2',
        paymentMethod: { captureMode: 'AUTOMATIC', descriptor: 'STORE' },
      });
    });

    it('without a change makes no event and keeps the ETag', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session(FIELDS);
      const same = await appendedBy(stores.events, () =>
        shop.ask('PATCH', '/client-session', { clientToken, orderId: 'o-1', order: FIELDS.order }),
      );
      expect([same.answer.status, same.answer.headers.etag, same.types]).to.deep.equal([200, '"0"', []]);
    });

    it('is done where If-Match names the current revision, one of several, or any', async () => {
      const { shop } = http;
      const clientToken = await shop.session();
      for (const [index, match] of ['"0"', '"7", "1"', '*'].entries()) {
        const answer = await shop.ask(
          'PATCH',
          '/client-session',
          { clientToken, amount: index },
          { 'if-match': match },
        );
        expect([answer.status, answer.headers.etag], match).to.deep.equal([200, `"${index + 1}"`]);
      }
    });
  });

  describe('POST /client-session/client-token', () => {
    it('answers a fresh token for a day, and the earlier token stays good', async () => {
      const { shop, stores, world } = http;
      const clientToken = await shop.session();
      world.advance(3_600_000);
      const issued = await appendedBy(stores.events, () =>
        shop.ask('POST', '/client-session/client-token', { clientToken }),
      );
      expect([issued.answer.status, issued.answer.headers.etag]).to.deep.equal([200, '"1"']);
      const fresh = bodyOf(issued.answer, SessionBody);
      expect(fresh).to.have.all.keys('clientToken', 'clientTokenExpirationDate');
      expect(fresh.clientToken).not.to.equal(clientToken);
      expect(issued.types).to.deep.equal(['clientSession ClientTokenIssued']);
      expectCausedBy(issued, shop.accountId, { kind: 'apiKey', id: shop.keyId });
      for (const token of [clientToken, fresh.clientToken]) {
        expect((await shop.ask('GET', `/client-session?clientToken=${token}`)).body).to.deep.include({
          orderId: 'o-1',
        });
      }
    });

    it('also renews a token that expired less than 30 days ago, and no older token', async () => {
      const { shop, world } = http;
      const clientToken = await shop.session();
      world.advance(DAY_MS);
      expect((await shop.ask('GET', `/client-session?clientToken=${clientToken}`)).error?.errorId).to.equal(
        'ClientSessionValidationError',
      );
      world.advance(28 * DAY_MS);
      const fresh = bodyOf(
        await shop.ask('POST', '/client-session/client-token', { clientToken }),
        SessionBody,
      ).clientToken;
      expect((await shop.ask('GET', `/client-session?clientToken=${fresh}`)).status).to.equal(200);
      world.advance(32 * DAY_MS);
      const late = await shop.ask('POST', '/client-session/client-token', { clientToken: fresh });
      expect(late.error?.errorId).to.equal('ClientSessionValidationError');
    });
  });
});
