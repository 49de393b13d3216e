// JSON of a session whose order is long: to the character as JSON.stringify writes it, though the order is written
// once.
import { expect } from 'chai';
import fc from 'fast-check';
import { CreateClientSessionFields } from '../../../src/commands/fields/session-fields.ts';
import { areTooLarge, jsonOf, MOST_FIELDS_BYTES } from '../../../src/domain/client-session/fields-json.ts';
import type { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';
import { copyOf } from '../../../src/projections/engine/generations/copy.ts';
import { clientSessions } from '../../../src/projections/models/client-sessions.ts';
import { AT, expiry, frozen, sessionA } from './sessions.ts';

const line = fc.record({ itemId: fc.string(), name: fc.string({ unit: 'binary' }), amount: fc.nat() });
const order = fc.record(
  { lineItems: fc.array(line, { maxLength: 30, size: 'max' }), countryCode: fc.constantFrom('', 'FR') },
  { requiredKeys: ['lineItems'] },
);
/** Members after the order, and before it. */
const fields = fc
  .record(
    { orderId: fc.string(), order, metadata: fc.dictionary(fc.string(), fc.jsonValue()) },
    { requiredKeys: ['order'] },
  )
  .map((made): SessionFields => frozen(made));

const many = { countryCode: 'FR', lineItems: Array.from({ length: 50 }, () => ({ itemId: 'shirt', amount: 2_500 })) };
const inMetadata = { x: { countryCode: '' } };

const alone = (of: SessionFields): string => jsonOf(of, of, (changed) => changed);

describe('JSON of a session', () => {
  it('is as JSON.stringify writes it, even after changes outside the order', () =>
    fc.assert(
      fc.property(fields, fc.array(fc.string()), (made, orderIds) => {
        for (const changed of [made, ...orderIds.map((orderId) => ({ ...made, orderId }))]) {
          expect(alone(changed)).to.equal(JSON.stringify(changed));
          const holder = { before: 'it', held: changed, after: [] };
          expect(jsonOf(holder, changed, (held) => ({ ...holder, held }))).to.equal(JSON.stringify(holder));
        }
      }),
    ));

  it('is of the new order after a change of the order', () => {
    const before = { ...sessionA, order: many };
    const after = { ...before, order: { ...many, lineItems: [...many.lineItems, { amount: 1 }] } };
    expect([before, after, before].map(alone)).to.deep.equal([before, after, before].map((one) => JSON.stringify(one)));
  });

  for (const [where, held] of [
    ['before', { metadata: inMetadata, order: many }],
    ['after', { order: many, metadata: inMetadata }],
  ] as const)
    it(`is whole where metadata ${where} the order look like what stands for it`, () =>
      expect(alone(held)).to.equal(JSON.stringify(held)));

  it('writes a long order once', () => {
    let written = 0;
    const counting = { toJSON: () => ++written };
    const counted = { ...sessionA, order: { ...many, ...counting } };
    for (const orderId of ['o-1', 'o-2', 'o-3']) alone({ ...counted, orderId });
    expect(written).to.equal(1);
  });

  it('is the document’s text in each generation of the read model', () => {
    const session = {
      status: 'open',
      accountId: 'acc_1',
      fields: { ...sessionA, order: many },
      createdAt: AT,
      ...expiry(AT),
    } as const;
    const documents = [{ status: 'absent' }, { ...session, tokenIssuedAt: AT }] as const;
    const { text } = copyOf(clientSessions, 2);
    for (const document of documents) expect(text?.(document)).to.equal(JSON.stringify(document));
  });
});

describe('the bound of the fields of a session', () => {
  const text = '\u0001'.repeat(255);
  const address = {
    firstName: text,
    lastName: text,
    addressLine1: text,
    addressLine2: text,
    city: text,
    state: text,
    postalCode: text,
    countryCode: 'FR',
  };
  const line = {
    amount: 1,
    itemId: text,
    name: text,
    description: text,
    taxCode: text,
    productData: {
      sku: text,
      brand: text,
      color: text,
      globalTradeItemNumber: text,
      manufacturerPartNumber: text,
      weight: 0.1 + 0.2,
      weightUnit: text,
      pageUrl: '\u0001'.repeat(1_024),
    },
  };
  /** The longest that a request may have, besides its line items. */
  const longest = {
    orderId: text,
    customerId: text,
    currencyCode: 'EUR',
    amount: Number.MAX_SAFE_INTEGER,
    returnUrl: `a://${'"'.repeat(251)}`,
    metadata: { a: 'x'.repeat(16_376) },
    customer: {
      emailAddress: `${'\u0001'.repeat(253)}@a`,
      mobileNumber: text,
      firstName: text,
      lastName: text,
      taxId: text,
      nationalDocumentId: text,
      billingAddress: address,
      shippingAddress: address,
    },
    order: {
      countryCode: 'FR',
      retailerCountryCode: 'FR',
      fees: Array.from({ length: 50 }, () => ({ amount: 1, type: text, description: text })),
      shipping: { amount: 1, methodId: text, methodName: text, methodDescription: text },
    },
    paymentMethod: {
      vaultOnSuccess: false,
      captureMode: 'AUTOMATIC',
      descriptor: text,
      paymentType: 'FIRST_PAYMENT',
      orderedAllowedCardNetworks: ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER'],
      authorizationType: 'ESTIMATED',
      options: { PAYMENT_CARD: { a: 'x'.repeat(16_350) } },
    },
  };
  const withLines = (lineItems: readonly object[]): SessionFields =>
    CreateClientSessionFields.parse({ ...longest, order: { ...longest.order, lineItems } });
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

  it('has room for seven line items of the longest texts beside the longest of all others, which are not measured', () => {
    expect(bytesOf(withLines([]))).to.be.above(228_000);
    const seven = withLines(Array.from({ length: 7 }, () => line));
    expect(bytesOf(seven)).to.be.below(MOST_FIELDS_BYTES);
    expect(areTooLarge(seven)).to.equal(false);
  });

  it('leaves the others more room than they take', () => {
    const { order: _measured, ...others } = withLines([]);
    expect(bytesOf(others)).to.be.within(69_000, 100_000);
  });

  for (const [what, name] of [
    ['of one byte', 'x'.repeat(1_050)],
    ['of three bytes', '€'.repeat(350)],
    ['that are escaped', '\u0001'.repeat(175)],
  ] as const)
    it(`is counted to the byte in texts with characters ${what}`, () => {
      const lineItems = Array.from({ length: 425 }, () => ({ amount: 1, name }));
      const filled = (bytes: number): SessionFields => {
        const padded = (pad: string) => ({ metadata: { pad }, order: { lineItems } });
        return padded('x'.repeat(bytes - bytesOf(padded(''))));
      };
      expect(areTooLarge(filled(MOST_FIELDS_BYTES))).to.equal(false);
      expect(areTooLarge(filled(MOST_FIELDS_BYTES + 1))).to.equal(true);
    });
});
