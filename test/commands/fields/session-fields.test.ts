// Every limit on the fields of a client session, at its edge and one past it (contract §§1, 3).
import { expect } from 'chai';
import { z } from 'zod';
import { ClientSessionPatch, CreateClientSessionFields } from '../../../src/commands/fields/session-fields.ts';
import { amountOf } from '../../../src/domain/client-session/queries.ts';
import { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';

const line = (members: object) => ({ order: { lineItems: [{ amount: 1, ...members }] } });
const method = (members: object) => ({ paymentMethod: members });
const address = (members: object) => ({ customer: { billingAddress: members } });
const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) });
/** A metadata object of so many bytes of JSON. */
const sized = (bytes: number, character = 'x') => ({
  m: character.repeat((bytes - '{"m":""}'.length) / Buffer.byteLength(character)),
});

const TAKEN: readonly (readonly [string, unknown])[] = [
  ['nothing', {}],
  ['an amount of 0', { amount: 0 }],
  ['an amount of 2^53 - 1', { amount: 9_007_199_254_740_991 }],
  ['an amount written 10.0', JSON.parse('{"amount": 10.0}')],
  ['an amount written 1e3', JSON.parse('{"amount": 1e3}')],
  ['an orderId of one character', { orderId: 'x' }],
  ['an orderId of 255 characters', { orderId: 'x'.repeat(255) }],
  ['255 characters outside the basic plane', { orderId: '😀'.repeat(255) }],
  ['an empty descriptor', method({ descriptor: '' })],
  ['franc and dollar codes that begin with X', { currencyCode: 'XOF' }],
  ['a quantity of 10^6', line({ quantity: 1_000_000 })],
  ['a discount of the whole line', line({ discountAmount: 1 })],
  ['500 line items', { order: { lineItems: Array(500).fill({ amount: 1 }) } }],
  ['50 fees', { order: { fees: Array(50).fill({ amount: 1, type: 't', description: '' }) } }],
  ['a page URL of 1,024 characters', line({ productData: { pageUrl: 'x'.repeat(1_024) } })],
  ['a weight with decimals', line({ productData: { weight: 1.25, weightUnit: 'kg' } })],
  [
    'every member of a line',
    line({
      quantity: 1,
      taxAmount: 0,
      itemId: 'i',
      name: '',
      description: '',
      taxCode: '',
      productType: 'DIGITAL',
      productData: { sku: '', brand: '', color: '', globalTradeItemNumber: '', manufacturerPartNumber: '' },
    }),
  ],
  [
    'every member of a customer',
    {
      customer: {
        emailAddress: 'ä@ö.io',
        mobileNumber: '',
        firstName: '',
        lastName: '',
        billingAddress: {},
        shippingAddress: {},
        taxId: '',
        nationalDocumentId: '',
      },
    },
  ],
  [
    'every member of an address',
    address({
      firstName: '',
      lastName: '',
      addressLine1: '',
      addressLine2: '',
      city: '',
      state: '',
      postalCode: '',
      countryCode: 'GB',
    }),
  ],
  [
    'every member of a shipping',
    {
      order: {
        shipping: { amount: 0, methodId: 'm', methodName: '', methodDescription: '' },
        countryCode: 'DE',
        retailerCountryCode: 'AT',
      },
    },
  ],
  [
    'every member of a payment method',
    method({
      vaultOnSuccess: true,
      captureMode: 'AUTOMATIC',
      descriptor: 'S',
      paymentType: 'SUBSCRIPTION',
      orderedAllowedCardNetworks: ['VISA', 'AMEX'],
      authorizationType: 'ESTIMATED',
      options: { PAYMENT_CARD: { a: [null, 1.5] } },
    }),
  ],
  ['a return URL of an app', { returnUrl: 'shop.example://back?x=1' }],
  ['metadata of any JSON', { metadata: { a: null, b: [1.5, [], {}, 'x', true] } }],
  ['metadata with keys of 64 characters', { metadata: { ['k'.repeat(64)]: 1 } }],
  ['metadata with keys of 64 characters outside the basic plane', { metadata: { ['😀'.repeat(64)]: 1 } }],
  ['metadata of 8 levels', { metadata: nested(8) }],
  ['metadata of 16 KiB', { metadata: sized(16_384) }],
  ['metadata of 16 KiB in two-byte characters', { metadata: sized(16_384, 'é') }],
];

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['an amount of 2^53', { amount: 2 ** 53 }, 'amount'],
  ['a negative amount', { amount: -1 }, 'amount'],
  ['a fraction of an amount', { amount: 10.5 }, 'amount'],
  ['an amount in a string', { amount: '10' }, 'amount'],
  ['a null', { amount: null }, 'amount'],
  ['an empty orderId', { orderId: '' }, 'orderId'],
  ['an empty customerId', { customerId: '' }, 'customerId'],
  ['an orderId of 256 characters', { orderId: 'x'.repeat(256) }, 'orderId'],
  ['256 characters outside the basic plane', { orderId: '😀'.repeat(256) }, 'orderId'],
  ['a descriptor of 256 characters', method({ descriptor: 'x'.repeat(256) }), 'paymentMethod.descriptor'],
  ['a currency in lower case', { currencyCode: 'eur' }, 'currencyCode'],
  ['a currency code of a metal', { currencyCode: 'XAU' }, 'currencyCode'],
  ['a currency code of a fund', { currencyCode: 'CLF' }, 'currencyCode'],
  ['the currency code for tests', { currencyCode: 'XTS' }, 'currencyCode'],
  ['a withdrawn currency', { currencyCode: 'BGN' }, 'currencyCode'],
  ['an unknown country', address({ countryCode: 'XX' }), 'customer.billingAddress.countryCode'],
  ['an unknown country of the order', { order: { countryCode: 'fr' } }, 'order.countryCode'],
  ['no e-mail address', { customer: { emailAddress: 'nobody' } }, 'customer.emailAddress'],
  ['a return URL that runs', { returnUrl: 'JavaScript://%0aalert(1)' }, 'returnUrl'],
  ['a return URL without a host', { returnUrl: '/back' }, 'returnUrl'],
  ['a quantity of 0', line({ quantity: 0 }), 'order.lineItems.0.quantity'],
  ['a quantity past 10^6', line({ quantity: 1_000_001 }), 'order.lineItems.0.quantity'],
  ['a line without an amount', { order: { lineItems: [{ quantity: 1 }] } }, 'order.lineItems.0.amount'],
  ['a discount larger than the line', line({ discountAmount: 2 }), 'order.lineItems.0.discountAmount'],
  [
    'a line past 2^53 - 1',
    { order: { lineItems: [{ amount: 2 ** 53 - 1, quantity: 2 }] } },
    'order.lineItems.0.amount',
  ],
  [
    'an order past 2^53 - 1, also beside an amount',
    { amount: 5, order: { lineItems: [{ amount: 2 ** 53 - 1 }], fees: [{ amount: 1 }] } },
    'order',
  ],
  ['an order past 2^53 - 1', { order: { lineItems: [{ amount: 2 ** 53 - 1 }], fees: [{ amount: 1 }] } }, 'order'],
  ['a negative amount of a line', line({ amount: -1 }), 'order.lineItems.0.amount'],
  ['an amount of 2^53 of a line', line({ amount: 2 ** 53 }), 'order.lineItems.0.amount'],
  ['a quantity of 0 beside a discount', line({ quantity: 0, discountAmount: 1 }), 'order.lineItems.0.quantity'],
  ['an amount of 2^53 of a fee', { order: { fees: [{ amount: 2 ** 53 }] } }, 'order.fees.0.amount'],
  ['an amount of 2^53 of shipping', { order: { shipping: { amount: 2 ** 53 } } }, 'order.shipping.amount'],
  ['an empty itemId', line({ itemId: '' }), 'order.lineItems.0.itemId'],
  ['an unknown product type', line({ productType: 'SERVICE' }), 'order.lineItems.0.productType'],
  ['a negative weight', line({ productData: { weight: -1 } }), 'order.lineItems.0.productData.weight'],
  [
    'a page URL of 1,025 characters',
    line({ productData: { pageUrl: 'x'.repeat(1_025) } }),
    'order.lineItems.0.productData.pageUrl',
  ],
  ['501 line items', { order: { lineItems: Array(501).fill({ amount: 1 }) } }, 'order.lineItems'],
  ['51 fees', { order: { fees: Array(51).fill({ amount: 1 }) } }, 'order.fees'],
  ['a fee without an amount', { order: { fees: [{ type: 't' }] } }, 'order.fees.0.amount'],
  ['an unknown capture mode', method({ captureMode: 'LATER' }), 'paymentMethod.captureMode'],
  ['an unknown payment type', method({ paymentType: 'MOTO' }), 'paymentMethod.paymentType'],
  ['an unknown authorization type', method({ authorizationType: 'FULL' }), 'paymentMethod.authorizationType'],
  [
    'a network twice',
    method({ orderedAllowedCardNetworks: ['VISA', 'VISA'] }),
    'paymentMethod.orderedAllowedCardNetworks',
  ],
  ['options that are not objects', method({ options: { PAYMENT_CARD: true } }), 'paymentMethod.options'],
  ['a truthy string for a boolean', method({ vaultOnSuccess: 'true' }), 'paymentMethod.vaultOnSuccess'],
  ['a list for metadata', { metadata: [] }, 'metadata'],
  [
    'metadata with a key of 65 characters',
    { metadata: { a: { ['k'.repeat(65)]: 1 } } },
    `metadata.a.${'k'.repeat(65)}`,
  ],
  ['metadata of 9 levels', { metadata: nested(9) }, 'metadata.a.a.a.a.a.a.a.a'],
  ['metadata of 9 levels of lists', { metadata: { a: [[[[[[[[]]]]]]]] } }, 'metadata.a.0.0.0.0.0.0.0'],
  ['metadata past 16 KiB', { metadata: sized(16_385) }, 'metadata'],
  ['metadata past 16 KiB in two-byte characters', { metadata: sized(16_386, 'é') }, 'metadata'],
];

const UNKNOWN: readonly unknown[] = [
  { unknown: 1 },
  { customer: { unknown: 1 } },
  address({ unknown: 1 }),
  { order: { unknown: 1 } },
  { order: { shipping: { unknown: 1 } } },
  { order: { fees: [{ amount: 1, unknown: 1 }] } },
  line({ unknown: 1 }),
  line({ productData: { unknown: 1 } }),
  method({ unknown: 1 }),
];

describe('the fields of POST /client-session', () => {
  for (const [name, body] of TAKEN)
    it(`takes ${name}`, () => expect(CreateClientSessionFields.parse(body)).to.deep.equal(body));
  for (const [name, body, path] of REFUSED) {
    it(`refuses ${name}`, () => {
      const { error } = CreateClientSessionFields.safeParse(body);
      expect(error?.issues.map((issue) => issue.path.join('.'))).to.deep.equal([path]);
    });
  }
  for (const body of UNKNOWN) {
    it(`refuses an unknown member in ${JSON.stringify(body)}`, () => {
      const { error } = CreateClientSessionFields.safeParse(body);
      expect(error?.issues).to.have.length(1).and.to.have.nested.property('[0].code', 'unrecognized_keys');
    });
  }

  it('tells an empty key in metadata from every other violation', () => {
    const { error } = CreateClientSessionFields.safeParse({ metadata: { a: [{ '': 1 }] } });
    expect(error?.issues).to.have.length(1);
    expect(error?.issues[0]).to.deep.include({
      path: ['metadata', 'a', 0, ''],
      params: { errorId: 'MetadataContainsEmptyKey' },
    });
  });

  it('takes an empty key in options for an ordinary violation', () => {
    const { error } = CreateClientSessionFields.safeParse(method({ options: { '': {} } }));
    expect(error?.issues).to.have.length(1);
    expect(error?.issues[0]).not.to.have.property('params');
  });
});

type Part = z.core.JSONSchema._JSONSchema;

/** The paths of all members that a schema names; parts that it refers to included. */
function membersOf(schema: z.ZodType): readonly string[] {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const below = (part: z.core.JSONSchema.BaseSchema, path: string): readonly string[] => {
    const { properties = {}, items } = $defs[part.$ref?.split('/').at(-1) ?? ''] ?? part;
    const inside = (member: Part | Part[] | undefined, of: string): readonly string[] =>
      typeof member === 'object' && !Array.isArray(member) ? below(member, of) : [];
    const named = Object.entries(properties).flatMap(([name, member]) => [
      `${path}.${name}`,
      ...inside(member, `${path}.${name}`),
    ]);
    return [...named, ...inside(items, `${path}[]`)];
  };
  return below(whole, '$');
}

describe('the fields of a recorded session', () => {
  it('have every member that a request may send', () => {
    const recorded = membersOf(SessionFields);
    const sent = membersOf(CreateClientSessionFields);
    expect(sent).to.include.members([
      '$.customer.billingAddress.city',
      '$.order.lineItems[].productData.sku',
      '$.paymentMethod.descriptor',
    ]);
    expect(sent.filter((path) => !recorded.includes(path))).to.deep.equal([]);
  });

  it('stay readable when their currency is withdrawn', () =>
    expect(SessionFields.parse({ currencyCode: 'HRK' })).to.deep.equal({ currencyCode: 'HRK' }));
  it('stay readable when the limits on metadata change', () =>
    expect(SessionFields.parse({ metadata: sized(20_000) })).to.deep.equal({ metadata: sized(20_000) }));
});

describe('the amount of a session', () => {
  it('is the top-level one where there is one, 0 included', () => {
    expect(amountOf({ amount: 7, order: { fees: [{ amount: 1 }] } })).to.equal(7);
    expect(amountOf({ amount: 0, order: { fees: [{ amount: 1 }] } })).to.equal(0);
  });
  it('is the calculated one otherwise', () => expect(amountOf({ order: { fees: [{ amount: 1 }] } })).to.equal(1));
  it('is none without either', () => {
    expect(amountOf({})).to.equal(undefined);
    expect(amountOf({ order: { countryCode: 'FR' } })).to.equal(undefined);
  });
});

describe('the record of a session', () => {
  /** Each member, by its path from the fields. */
  function membersOf(schema: unknown, path = ''): readonly string[] {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return membersOf(schema.unwrap(), path);
    if (schema instanceof z.ZodArray) return membersOf(schema.element, `${path}[]`);
    if (!(schema instanceof z.ZodObject)) return [];
    return Object.entries(schema.shape).flatMap(([name, member]) => [
      `${path}.${name}`,
      ...membersOf(member, `${path}.${name}`),
    ]);
  }

  it('has every member that a request may send', () => {
    const recorded = new Set(membersOf(SessionFields));
    const missing = [CreateClientSessionFields, ClientSessionPatch].flatMap((of) =>
      membersOf(of).filter((path) => !recorded.has(path)),
    );
    const what =
      'add these to src/domain/client-session/recorded-fields.ts, `carried` where nothing is decided by them (src/domain/growing.ts)';
    expect([...new Set(missing)], what).to.deep.equal([]);
    expect(recorded).to.include('.order.lineItems[].productData.sku');
  });
});
