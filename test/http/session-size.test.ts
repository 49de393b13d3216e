// How large a session and its payment may be (contract §§1, 3, 7): 500 line items of ordinary length fit everywhere,
// and nothing grows past 512 KiB.
import { expect } from 'chai';
import { z } from 'zod';
import { MOST_FIELDS_BYTES } from '../../src/domain/client-session/fields-json.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, paymentOf, SessionBody } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const LINES = 500;
/** Some 880 bytes of JSON. */
const ordinary = (at: number) => ({
  itemId: `SKU-${100_000 + at}-L-NAVY`,
  name: `Organic cotton crew-neck sweater, navy blue, size L, batch ${at}`,
  description: 'A soft sweater, knitted in Portugal. '.repeat(6).trim(),
  amount: 5_490,
  quantity: 2,
  discountAmount: 500,
  taxAmount: 1_990,
  taxCode: 'apparel-20010',
  productType: 'PHYSICAL',
  productData: {
    sku: `100${at}-navy-l`,
    brand: 'Søstrene Fjord',
    color: 'navy blue',
    globalTradeItemNumber: '04012345678901',
    manufacturerPartNumber: `MPN-${at}-2026-AW`,
    weight: 0.45,
    weightUnit: 'kilogram',
    pageUrl: `https://shop.example/en/clothing/sweaters/organic-cotton-crew-neck-sweater-${at}?colour=navy&size=l&utm_source=checkout`,
  },
});
const lines = Array.from({ length: LINES }, (_, at) => ordinary(at));
const LONG = '\u0001'.repeat(255);
const longest = {
  amount: 1,
  itemId: LONG,
  name: LONG,
  description: LONG,
  taxCode: LONG,
  productData: { sku: LONG, brand: LONG, color: LONG, pageUrl: '\u0001'.repeat(1_024) },
};
/** 150 KiB of JSON, in a body of its own. */
const fees = Array.from({ length: 50 }, () => ({ amount: 1, type: LONG, description: LONG }));
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** Fields whose JSON has exactly so many bytes, with at least 8 line items. */
const fieldsOf = (bytes: number, others: object = {}) => {
  const lineItems = Array.from({ length: 499 }, () => ({
    amount: 1,
    name: '',
    description: '',
    itemId: '1',
    taxCode: '',
  }));
  let left = bytes - bytesOf({ ...others, order: { lineItems } });
  for (const line of lineItems)
    for (const name of ['name', 'description', 'taxCode'] as const) {
      line[name] = 'x'.repeat(Math.min(left, 255));
      left -= line[name].length;
    }
  for (const line of lineItems) {
    line.itemId = `1${'x'.repeat(Math.min(left, 254))}`;
    left -= line.itemId.length - 1;
  }
  const fields = { ...others, order: { lineItems } };
  expect(bytesOf(fields)).to.equal(bytes);
  return fields;
};
const SCALARS = { orderId: 'o-1', currencyCode: 'EUR' };
const SessionShown = z.looseObject({ order: z.looseObject({ lineItems: z.array(z.unknown()) }) });
const TOO_LARGE = [
  {
    path: '$',
    description: `Must not be larger than ${MOST_FIELDS_BYTES} bytes of JSON, all fields together.`,
  },
];

describe('a large client session', function largeSession() {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const violationsOf = ({
    error,
  }: {
    readonly error: { readonly validationErrors?: readonly { errors: unknown }[] | undefined } | undefined;
  }) => error?.validationErrors?.flatMap(({ errors }) => errors);

  it('of 500 line items of ordinary length is made, changed, read and paid', async () => {
    const { shop } = http;
    expect(bytesOf(lines), 'more than the body of any other request').to.be.above(256 * 1024);
    const made = await shop.ask('POST', '/client-session', { ...SCALARS, order: { lineItems: lines } });
    const { clientToken } = bodyOf(made, SessionBody);
    const patched = await shop.ask('PATCH', '/client-session', {
      clientToken,
      order: { lineItems: lines.toReversed() },
    });
    expect(bodyOf(patched, SessionShown).order.lineItems).to.deep.equal(lines.toReversed());
    const read = await shop.ask('GET', `/client-session?clientToken=${clientToken}`);
    expect(bodyOf(read, SessionShown).order.lineItems).to.deep.equal(lines.toReversed());
    const checkout = await http.request('GET', '/checkout/session', { token: clientToken });
    expect(checkout.status, checkout.text.slice(0, 300)).to.equal(200);
    const paymentMethodToken = await shop.tokenize(clientToken);
    const { id, status } = paymentOf(await shop.ask('POST', '/payments', { clientToken, paymentMethodToken }));
    expect(status).to.equal('AUTHORIZED');
    expect(paymentOf(await shop.ask('POST', `/payments/${id}/capture`)).status).to.equal('SETTLED');
    expect(bodyOf(await shop.ask('GET', `/payments/${id}`), SessionShown).order.lineItems).to.have.length(LINES);
  });

  it('may also come with the payment', async () => {
    const { shop } = http;
    const answer = await shop.pay({ session: { amount: null }, fields: { order: { lineItems: lines } } });
    expect(bodyOf(answer, SessionShown).order.lineItems).to.deep.equal(lines);
  });

  it('of 500 of the longest texts is refused with a sentence that names the bound', async () => {
    const { shop } = http;
    const lineItems = Array.from({ length: LINES }, () => longest);
    for (const [method, path] of [
      ['POST', '/client-session'],
      ['PATCH', '/client-session'],
      ['POST', '/payments'],
    ] as const) {
      const { status, error } = await shop.ask(method, path, { order: { lineItems } });
      expect([status, error?.errorId]).to.deep.equal([413, 'PayloadTooLarge']);
      expect(error?.description).to.equal('A request body may have at most 524288 bytes.');
    }
  });

  it('may have 512 KiB to the byte, in one append for each of its events, and no member more', async () => {
    const { shop, stores } = http;
    const fields = fieldsOf(MOST_FIELDS_BYTES, SCALARS);
    const { clientToken } = bodyOf(await shop.ask('POST', '/client-session', fields), SessionBody);
    const refused = await appendedBy(stores.events, () =>
      shop.ask('PATCH', '/client-session', { clientToken, customerId: 'c' }),
    );
    expect([refused.answer.status, refused.answer.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
    expect(violationsOf(refused.answer)).to.deep.equal(TOO_LARGE);
    expect(refused.types).to.deep.equal([]);
    const paymentMethodToken = await shop.tokenize(clientToken);
    expect(paymentOf(await shop.ask('POST', '/payments', { clientToken, paymentMethodToken })).status).to.equal(
      'AUTHORIZED',
    );
  });

  it('cannot grow past it by one PATCH after another', async () => {
    const { shop } = http;
    const clientToken = await shop.session(fieldsOf(400 * 1024));
    const order = { lineItems: fieldsOf(500 * 1024).order.lineItems };
    expect((await shop.ask('PATCH', '/client-session', { clientToken, order })).status).to.equal(200);
    const grown = await shop.ask('PATCH', '/client-session', { clientToken, order: { fees } });
    expect([grown.status, violationsOf(grown)]).to.deep.equal([422, TOO_LARGE]);
    const { order: kept } = bodyOf(await shop.ask('GET', `/client-session?clientToken=${clientToken}`), SessionShown);
    expect(kept).to.deep.equal(order);
    const smaller = { clientToken, order: { lineItems: lines.slice(0, 3), fees } };
    expect((await shop.ask('PATCH', '/client-session', smaller)).status).to.equal(200);
  });

  it('cannot be made of a body that fits, and is longer as it is kept', async () => {
    const sent = fieldsOf(MOST_FIELDS_BYTES - 2 * 499, SCALARS);
    const text = JSON.stringify(sent).replaceAll('"amount":1,', '"amount":1e9,'); // 1000000000, once it is read
    expect(Buffer.byteLength(text)).to.equal(512 * 1024);
    const { key } = http.shop;
    const answer = await http.request('POST', '/client-session', {
      key,
      text,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, violationsOf(answer)]).to.deep.equal([422, TOO_LARGE]);
  });

  it('is not enlarged by the fields of its payment either', async () => {
    const { shop, stores } = http;
    const clientToken = await shop.session(fieldsOf(MOST_FIELDS_BYTES - 16_000));
    const paymentMethodToken = await shop.tokenize(clientToken);
    const fields = { clientToken, paymentMethodToken, metadata: { a: 'x'.repeat(16_300) } };
    const refused = await appendedBy(stores.events, () => shop.ask('POST', '/payments', fields));
    expect([refused.answer.status, violationsOf(refused.answer)]).to.deep.equal([422, TOO_LARGE]);
    expect(refused.types).to.deep.equal([]);
    expect(paymentOf(await shop.ask('POST', '/payments', { clientToken, paymentMethodToken })).status).to.equal(
      'AUTHORIZED',
    );
  });

  it('leaves the bodies of all other requests at 256 KiB', async () => {
    const { shop } = http;
    const { id } = await shop.paid();
    const { error } = await shop.ask('POST', `/payments/${id}/refund`, { reason: 'x'.repeat(256 * 1024) });
    expect([error?.errorId, error?.description]).to.deep.equal([
      'PayloadTooLarge',
      'A request body may have at most 262144 bytes.',
    ]);
  });
});
