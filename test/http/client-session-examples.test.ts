// The worked examples of PATCH /client-session, each over HTTP: one session, one PATCH, and the answer of GET after it
// (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, SessionBody } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const OPTIONS = { PAYMENT_CARD: { captureVaultedCardCvv: true } };
const CUSTOMER = { firstName: 'Ada', emailAddress: 'a@x.io', billingAddress: { city: 'Paris', countryCode: 'FR' } };
const ORDER = {
  countryCode: 'FR',
  lineItems: [{ itemId: 'i-1', amount: 500, quantity: 1 }],
  fees: [{ amount: 100 }],
  shipping: { amount: 50 },
};
const PAYMENT_METHOD = { vaultOnSuccess: false, descriptor: 'SHOP', options: OPTIONS };
const A = {
  orderId: 'o-1',
  currencyCode: 'EUR',
  customerId: 'c-1',
  customer: CUSTOMER,
  order: ORDER,
  metadata: { a: 1, b: 'x' },
  paymentMethod: PAYMENT_METHOD,
};
/** The answer of GET before any PATCH. */
const BEFORE = { ...A, amount: 650 };

interface Row {
  readonly patch: object;
  /** Members of the answer that differ from before; undefined: gone. */
  readonly after: { readonly [member: string]: unknown };
  readonly warnings?: readonly string[];
}

const { countryCode, lineItems, fees, shipping } = ORDER;
const CHANGES: readonly Row[] = [
  { patch: { orderId: 'o-2' }, after: { orderId: 'o-2' } },
  { patch: { customer: { emailAddress: 'b@x.io' } }, after: { customer: { ...CUSTOMER, emailAddress: 'b@x.io' } } },
  {
    patch: { customer: { billingAddress: { city: 'Lyon' } } },
    after: { customer: { ...CUSTOMER, billingAddress: { city: 'Lyon' } } },
  },
  {
    patch: { customer: { firstName: 'Bo', lastName: 'Li' } },
    after: { customer: { firstName: 'Bo', lastName: 'Li' } },
    warnings: ['$.customer.emailAddress', '$.customer.billingAddress'],
  },
  {
    patch: { customer: { firstName: 'Bo', emailAddress: null } },
    after: { customer: { firstName: 'Bo' } },
    warnings: ['$.customer.billingAddress'],
  },
  {
    patch: { customer: { emailAddress: null } },
    after: { customer: { firstName: 'Ada', billingAddress: CUSTOMER.billingAddress } },
  },
  { patch: { customer: null }, after: { customer: undefined } },
  {
    patch: { customer: {} },
    after: { customer: undefined },
    warnings: ['$.customer.firstName', '$.customer.emailAddress', '$.customer.billingAddress'],
  },
  { patch: { metadata: { c: 2 } }, after: { metadata: { c: 2 } } },
  { patch: { metadata: { c: null, d: [1.5, { e: null }] } }, after: { metadata: { c: null, d: [1.5, { e: null }] } } },
  { patch: { metadata: null }, after: { metadata: undefined } },
  { patch: { metadata: {} }, after: { metadata: undefined } },
  {
    patch: { order: { lineItems: [{ itemId: 'i-2', amount: 200, quantity: 3 }] } },
    after: { order: { ...ORDER, lineItems: [{ itemId: 'i-2', amount: 200, quantity: 3 }] }, amount: 750 },
  },
  {
    patch: { order: { countryCode: 'DE', lineItems: [{ amount: 10 }] } },
    after: { order: { countryCode: 'DE', lineItems: [{ amount: 10 }] }, amount: 10 },
    warnings: ['$.order.fees', '$.order.shipping'],
  },
  { patch: { amount: 999 }, after: { amount: 999 } },
  { patch: { order: null }, after: { order: undefined, amount: undefined } },
  { patch: { order: { shipping: null } }, after: { order: { countryCode, lineItems, fees }, amount: 600 } },
  { patch: { order: { lineItems: [] } }, after: { order: { countryCode, fees, shipping }, amount: 150 } },
  {
    patch: { order: { lineItems: [{ itemId: 'i-1', amount: 500 }], fees: null } },
    after: { order: { lineItems: [{ itemId: 'i-1', amount: 500 }] }, amount: 500 },
    warnings: ['$.order.countryCode', '$.order.shipping'],
  },
  { patch: { currencyCode: 'JPY' }, after: { currencyCode: 'JPY' } },
  {
    patch: { paymentMethod: { vaultOnSuccess: true } },
    after: { paymentMethod: { ...PAYMENT_METHOD, vaultOnSuccess: true } },
  },
  {
    patch: { paymentMethod: { vaultOnSuccess: true, paymentType: 'ECOMMERCE' } },
    after: { paymentMethod: { vaultOnSuccess: true, paymentType: 'ECOMMERCE', options: OPTIONS } },
    warnings: ['$.paymentMethod.descriptor'],
  },
  { patch: { paymentMethod: null }, after: { paymentMethod: { options: OPTIONS } } },
  {
    patch: { paymentMethod: { vaultOnSuccess: true, options: OPTIONS } },
    after: { paymentMethod: { ...PAYMENT_METHOD, vaultOnSuccess: true } },
  },
];

const NO_CHANGE: readonly object[] = [{}, { paymentMethod: { options: OPTIONS } }];

const INVALID: readonly (readonly [string, string])[] = [
  ['{"order":{"lineItems":[{"itemId":"i-1","amount":null}]}}', '$.order.lineItems[0].amount'],
  ['{"amount":10.5}', '$.amount'],
  ['{"amount":"10"}', '$.amount'],
  ['{"amount":-1}', '$.amount'],
  ['{"amount":9007199254740992}', '$.amount'],
  ['{"currencyCode":"XXQ"}', '$.currencyCode'],
  ['{"unknown":1}', '$.unknown'],
];

const Warned = z.looseObject({
  warnings: z.array(z.strictObject({ code: z.string(), paths: z.array(z.string()) })).optional(),
});
const withoutAbsent = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const violationsOf = ({ error }: Answer): readonly string[] =>
  error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path)) ?? [];

describe('the examples of PATCH /client-session', () => {
  let http: HttpService;
  let clientToken: string;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());
  beforeEach(async () => {
    const made = await http.shop.ask('POST', '/client-session', A);
    clientToken = bodyOf(made, SessionBody).clientToken;
  });

  const get = (): Promise<Answer> => http.shop.ask('GET', `/client-session?clientToken=${clientToken}`);
  const patch = (members: object) =>
    appendedBy(http.stores.events, () => http.shop.ask('PATCH', '/client-session', { clientToken, ...members }));
  const expectUnchanged = async (): Promise<void> => {
    const read = await get();
    expect([read.headers.etag, read.body]).to.deep.equal(['"0"', BEFORE]);
  };

  for (const { patch: members, after, warnings } of CHANGES) {
    it(`${JSON.stringify(members)}${warnings === undefined ? '' : ', with a warning'}`, async () => {
      const { answer, types } = await patch(members);
      const expected = withoutAbsent({ ...BEFORE, ...after });
      expect([answer.status, answer.headers.etag, types]).to.deep.equal([
        200,
        '"1"',
        ['clientSession ClientSessionUpdated'],
      ]);
      const { warnings: warned, ...fields } = bodyOf(answer, Warned);
      expect(fields).to.deep.equal(expected);
      expect(warned?.map(({ code, paths }) => [code, [...paths].sort()])).to.deep.equal(
        warnings === undefined ? undefined : [['FIELDS_OVERWRITTEN', [...warnings].sort()]],
      );
      const read = await get();
      expect([read.headers.etag, read.body]).to.deep.equal(['"1"', expected]);
    });
  }

  it('{"amount":999}, then {"amount":null} brings the calculated amount back', async () => {
    await patch({ amount: 999 });
    const { answer } = await patch({ amount: null });
    expect([answer.headers.etag, answer.body]).to.deep.equal(['"2"', BEFORE]);
    expect((await get()).body).to.deep.equal(BEFORE);
  });

  for (const members of NO_CHANGE) {
    it(`${JSON.stringify(members)}: the same, no event, the same ETag`, async () => {
      const { answer, types } = await patch(members);
      expect([answer.status, answer.headers.etag, answer.body, types]).to.deep.equal([200, '"0"', BEFORE, []]);
      await expectUnchanged();
    });
  }

  for (const options of [{}, null, { PAYMENT_CARD: { captureVaultedCardCvv: false } }]) {
    it(`{"paymentMethod":{"options":${JSON.stringify(options)}}} is FieldNotUpdatable, and nothing changes`, async () => {
      const { answer, types } = await patch({ paymentMethod: { options } });
      expect([answer.status, answer.error?.errorId, types]).to.deep.equal([422, 'FieldNotUpdatable', []]);
      expect(violationsOf(answer)).to.deep.equal(['$.paymentMethod.options']);
      await expectUnchanged();
    });
  }

  for (const [members, path] of INVALID) {
    it(`${members} is a 422 on ${path}, and nothing changes`, async () => {
      const text = `{"clientToken":"${clientToken}",${members.slice(1)}`;
      const { answer, types } = await appendedBy(http.stores.events, () =>
        http.request('PATCH', '/client-session', {
          key: http.shop.key,
          text,
          headers: { 'content-type': 'application/json' },
        }),
      );
      expect([answer.status, answer.error?.errorId, violationsOf(answer), types]).to.deep.equal([
        422,
        'RequestValidationError',
        [path],
        [],
      ]);
      await expectUnchanged();
    });
  }

  it('several bad members are all listed, each with its path', async () => {
    const { answer } = await patch({
      amount: '10',
      currencyCode: 'XXQ',
      unknown: 1,
      order: { lineItems: [{ amount: 1 }, { amount: -1, quantity: 0 }] },
    });
    expect(violationsOf(answer)).to.have.members([
      '$.amount',
      '$.currencyCode',
      '$.unknown',
      '$.order.lineItems[1].amount',
      '$.order.lineItems[1].quantity',
    ]);
    await expectUnchanged();
  });

  for (const body of ['{"clientToken":null,"amount":1}', '{"amount":1}', '{}']) {
    it(`${body}, without a token, is a 422 on $.clientToken`, async () => {
      const answer = await http.request('PATCH', '/client-session', {
        key: http.shop.key,
        text: body,
        headers: { 'content-type': 'application/json' },
      });
      expect([answer.status, violationsOf(answer)]).to.deep.equal([422, ['$.clientToken']]);
    });
  }

  it('a token that is forged, expired, or of another account is one and the same 400, and nothing changes', async () => {
    const { shop, other, world, request } = http;
    const expired = await shop.session();
    world.advance(86_400_000);
    clientToken = bodyOf(await shop.ask('POST', '/client-session', A), SessionBody).clientToken;
    const foreign = await other.session();
    const texts = new Set<string>();
    for (const bad of [`${clientToken.slice(0, -6)}AAAAAA`, 'forged', expired, foreign]) {
      const { answer, types } = await appendedBy(http.stores.events, () =>
        request('PATCH', '/client-session', {
          key: shop.key,
          body: { clientToken: bad, amount: 1 },
          headers: { 'x-request-id': 'same' },
        }),
      );
      expect([answer.status, answer.error?.errorId, types]).to.deep.equal([400, 'ClientSessionValidationError', []]);
      texts.add(answer.text);
    }
    expect(texts.size).to.equal(1);
    await expectUnchanged();
  });

  it('a forged token and a bad field together are a 422: the schema comes first', async () => {
    const { answer } = await appendedBy(http.stores.events, () =>
      http.shop.ask('PATCH', '/client-session', { clientToken: 'forged', amount: -1 }),
    );
    expect([answer.status, violationsOf(answer)]).to.deep.equal([422, ['$.amount']]);
  });
});
