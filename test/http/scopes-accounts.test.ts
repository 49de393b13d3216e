// Resources reached by tokens in a body, a query or a header instead of a path: of another account or session
// (contract §§1, 2, 3).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf } from '../support/http-merchant.ts';
import type { Answer, Ask } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

const Ids = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const SAME = { 'x-request-id': 'same' };
const PAYMENT = { orderId: 'o-1', currencyCode: 'EUR', amount: 5 };

describe("another account's tokens", () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  /** Refused, without an append, in the same words as a token that never existed. */
  const expectAlike = async (
    errorId: string,
    foreign: () => Promise<Answer>,
    unknown: () => Promise<Answer>,
  ): Promise<void> => {
    const refused = await appendedBy(http.stores.events, foreign);
    expect([refused.answer.error?.errorId, refused.types]).to.deep.equal([errorId, []]);
    const never = await unknown();
    expect([never.status, never.text]).to.deep.equal([refused.answer.status, refused.answer.text]);
  };
  const forged = (token: string): string => `${token.slice(0, -8)}AAAAAAAA`;

  const BY_CLIENT_TOKEN: { readonly [name: string]: (clientToken: string) => Promise<readonly [string, string, Ask]> } =
    {
      'GET /client-session by its query': async (clientToken) => [
        'GET',
        `/client-session?clientToken=${clientToken}`,
        {},
      ],
      'GET /client-session by X-Client-Token': async (token) => ['GET', '/client-session', { token }],
      'PATCH /client-session': async (clientToken) => [
        'PATCH',
        '/client-session',
        { body: { clientToken, amount: 1 } },
      ],
      'POST /client-session/client-token': async (clientToken) => [
        'POST',
        '/client-session/client-token',
        { body: { clientToken } },
      ],
      'POST /payments': async (clientToken) => {
        const { shop } = http;
        const paymentMethodToken = await shop.tokenize(await shop.session());
        return ['POST', '/payments', { body: { paymentMethodToken, clientToken } }];
      },
    };
  for (const [name, make] of Object.entries(BY_CLIENT_TOKEN)) {
    it(`${name} is the same 400 for a foreign and a forged client token`, async () => {
      const { shop, other, request } = http;
      const theirs = await other.session();
      const [method, path, foreign] = await make(theirs);
      const [, forgedPath, never] = await make(forged(theirs));
      await expectAlike(
        'ClientSessionValidationError',
        () => request(method, path, { key: shop.key, headers: SAME, ...foreign }),
        () => request(method, forgedPath, { key: shop.key, headers: SAME, ...never }),
      );
    });
  }

  it('POST /payments is the same 400 for a foreign, a missing and a malformed payment method token', async () => {
    const { shop, other, request } = http;
    const ask = (paymentMethodToken: string) => () =>
      request('POST', '/payments', { key: shop.key, headers: SAME, body: { ...PAYMENT, paymentMethodToken } });
    for (const theirs of [await other.tokenize(await other.session()), await other.vaulted('c-1')]) {
      await expectAlike('InvalidPaymentInstrumentToken', ask(theirs), ask(`${theirs.slice(0, -6)}000000`));
      await expectAlike('InvalidPaymentInstrumentToken', ask(theirs), ask('whatever'));
    }
  });

  it("lists hold one account's own alone, whatever they are asked for", async () => {
    const { shop, other } = http;
    const ours = await shop.paid({ session: { orderId: 'shared', customerId: 'shared' } });
    const theirs = await other.paid({ session: { orderId: 'shared', customerId: 'shared' } });
    for (const query of ['', '?order_id=shared', '?customer_id=shared', '?status=AUTHORIZED&limit=100']) {
      const ids = bodyOf(await shop.ask('GET', `/payments${query}`), Ids).data.map(({ id }) => id);
      expect(ids, query).to.include(ours.id).and.not.to.include(theirs.id);
    }
    await other.vaulted('shared');
    expect((await shop.ask('GET', '/payment-instruments?customer_id=shared')).body).to.deep.equal({ data: [] });
  });

  it("a cursor of another account's list is not accepted", async () => {
    const { shop, other } = http;
    await other.paid();
    await other.paid();
    const page = bodyOf(await other.ask('GET', '/payments?limit=1'), z.looseObject({ nextCursor: z.string() }));
    expect((await shop.ask('GET', `/payments?limit=1&cursor=${page.nextCursor}`)).error?.errorId).to.equal(
      'InvalidCursor',
    );
  });

  it('one idempotency key is two in two accounts', async () => {
    const headers = { 'x-idempotency-key': 'shared' };
    const [ours, theirs] = [
      await http.shop.ask('POST', '/client-session', { orderId: 'a' }, headers),
      await http.other.ask('POST', '/client-session', { orderId: 'b' }, headers),
    ];
    expect([ours.status, theirs.status, theirs.headers['idempotent-replayed']]).to.deep.equal([200, 200, undefined]);
    expect(theirs.body).to.include({ orderId: 'b' });
  });
});

describe('the checkout and whose it is', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const CALLS: readonly (readonly [string, string, object | undefined])[] = [
    ['GET', '/checkout/session', undefined],
    ['POST', '/checkout/payment-instruments', card()],
    ['POST', '/checkout/payments', { paymentMethodToken: 'pm_1' }],
  ];
  for (const [method, path, body] of CALLS) {
    it(`${method} ${path} takes a client token and no other credential`, async () => {
      const { shop, request, stores } = http;
      const token = await shop.session();
      const ask = (by: Ask) =>
        appendedBy(stores.events, () =>
          request(method, path, { ...(body !== undefined && { body }), headers: SAME, ...by }),
        );
      const texts = new Set<string>();
      const [head, , signature] = token.split('.');
      const foreignClaims = Buffer.from(
        JSON.stringify({ sub: 'cs_1', acc: shop.accountId, intent: 'CHECKOUT', env: 'test', iat: 0, exp: 9e9 }),
      );
      const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${token.split('.')[1]}.`;
      for (const by of [
        {},
        { key: shop.key },
        { token: '' },
        { token: 'x' },
        { token: `${token.slice(0, -4)}AAAA` },
        { token: `${token}=` },
        { token: `${head}.${foreignClaims.toString('base64url')}.${signature}` },
        { token: unsigned },
        { token: 'x'.repeat(3_000) },
        { token: shop.key },
      ]) {
        const refused = await ask(by);
        expect([refused.answer.status, refused.answer.error?.errorId, refused.types], JSON.stringify(by)).to.deep.equal(
          [401, 'Unauthorized', []],
        );
        texts.add(refused.answer.text);
      }
      expect(texts.size).to.equal(1);
      const both = await ask({ key: shop.key, token });
      expect([both.answer.status, both.answer.error?.errorId, both.types]).to.deep.equal([
        400,
        'ConflictingCredentials',
        [],
      ]);
      const badBoth = await ask({ key: 'x', token: 'x' });
      expect([badBoth.answer.status, badBoth.answer.error?.errorId]).to.deep.equal([400, 'ConflictingCredentials']);
    });
  }

  it('a token made in another session, of the same account or another, is as good as none', async () => {
    const { shop, other, request } = http;
    const token = await shop.session({ customerId: 'c-1' });
    const texts = new Set<string>();
    for (const paymentMethodToken of [
      await shop.tokenize(await shop.session({ customerId: 'c-1' })),
      await other.tokenize(await other.session({ customerId: 'c-1' })),
      await shop.vaulted('c-2'),
      await other.vaulted('c-1'),
      'pm_0000',
    ]) {
      const refused = await request('POST', '/checkout/payments', {
        token,
        body: { paymentMethodToken },
        headers: SAME,
      });
      expect([refused.status, refused.error?.errorId]).to.deep.equal([400, 'InvalidPaymentInstrumentToken']);
      texts.add(refused.text);
    }
    expect(texts.size).to.equal(1);
    const { data } = bodyOf(await shop.ask('GET', '/payments'), Ids);
    expect(data).to.deep.equal([]);
    const own = await request('POST', '/checkout/payments', {
      token,
      body: { paymentMethodToken: await shop.vaulted('c-1') },
    });
    expect(own.status).to.equal(200);
  });

  it("shows a customer's instruments to sessions of that customer alone", async () => {
    const { shop, other, request } = http;
    await shop.vaulted('c-seen');
    for (const token of [
      await shop.session(),
      await shop.session({ customerId: 'c-else' }),
      await other.session({ customerId: 'c-seen' }),
    ]) {
      expect((await request('GET', '/checkout/session', { token })).body).not.to.have.property('paymentInstruments');
    }
  });

  it('an API key is of no use where a client token is wanted, nor the other way round', async () => {
    const { shop, request } = http;
    const token = await shop.session();
    expect((await request('GET', '/payments', { token })).status).to.equal(401);
    expect((await request('GET', '/payments', { key: token })).status).to.equal(401);
  });

  it('an expired client token is a 401', async () => {
    const { shop, request, world } = http;
    const token = await shop.session();
    world.advance(86_400_000);
    expect((await request('GET', '/checkout/session', { token })).error?.errorId).to.equal('Unauthorized');
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
