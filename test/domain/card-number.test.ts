// Card numbers in free strings: what is one, where it is looked for, and what looks like one (contract §7).
import { expect } from 'chai';
import fc from 'fast-check';
import { cardNumbers, holdsCardNumber, isCardNumber } from '../../src/domain/card-number.ts';

const pathsIn = (body: unknown): readonly string[] => cardNumbers(JSON.stringify(body), body).map(({ path }) => path.join('.'));

/** Numbers that issuers and processors publish for tests. */
const PUBLISHED: readonly (readonly [string, string])[] = [
  ['Visa', '4242424242424242'],
  ['Visa', '4000009900001044'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard of the 2-series', '2223003122003222'],
  ['American Express', '378282246310005'],
  ['Discover', '6011111111111117'],
  ['Diners Club', '3056930009020004'],
  ['Diners Club of 14 digits', '36227206271667'],
  ['JCB', '3566002020360505'],
  ['UnionPay', '6200000000000005'],
  ['UnionPay of 19 digits', '6205500000000000004'],
  ['Maestro', '6759649826438453'],
  ['Mir', '2200000000000004'],
];

describe('a card number', () => {
  for (const [issuer, digits] of PUBLISHED) {
    it(`is one of ${issuer}: ${digits}`, () => expect(isCardNumber(digits)).to.equal(true));
    it(`is none with a wrong last digit: ${digits}`, () =>
      expect(isCardNumber(`${digits.slice(0, -1)}${(Number(digits.at(-1)) + 1) % 10}`)).to.equal(false));
  }
  it('has a length that its issuer gives out', () => expect(isCardNumber('4222222222222')).to.equal(false));
  it('begins like an issuer’s', () => expect(isCardNumber('1234567812345670')).to.equal(false));
});

describe('a text with a card number', () => {
  const TEXTS = [
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    '4242 - 4242 - 4242 - 4242',
    '4242.4242.4242.4242',
    '4242\u00a04242\u00a04242\u00a04242',
    '4242–4242–4242–4242',
    '3782 822463 10005',
    'card: 4242424242424242, exp 12/30',
    '4242424242424242 12 30 123',
    'order 17 4242 4242 4242 4242',
    'x4242424242424242x',
    '42 42 42 42 42 42 42 42',
    '4242\n4242\n4242\n4242',
  ];
  for (const text of TEXTS) {
    it(`is ${JSON.stringify(text)}`, () => {
      expect(holdsCardNumber(text)).to.equal(true);
      expect(pathsIn({ description: text })).to.deep.equal(['description']);
    });
  }

  const OTHERS = [
    '',
    '4242424242424241',
    '424242424242424242424242',
    '42424242424242420',
    '4242, 4242, 4242, 4242',
    '2026-01-01 12:00:00',
    '+63 917 123 4567',
    '+378282246310005',
    '550e8400-e29b-41d4-a716-446655440000',
    '1700000000000000',
    '4006381333931',
  ];
  for (const text of OTHERS) it(`is not ${JSON.stringify(text)}`, () => expect(holdsCardNumber(text)).to.equal(false));

  it('is found when it is written with escapes', () => {
    const raw = '{"description": "\\u0034242424242424242"}';
    expect(cardNumbers(raw, JSON.parse(raw)).map(({ path }) => path)).to.deep.equal([['description']]);
  });
});

describe('the search for card numbers in a body', () => {
  const card = '4242424242424242';
  const WHERE: readonly (readonly [unknown, readonly string[]])[] = [
    [{ customer: { firstName: card, billingAddress: { city: card } } }, ['customer.firstName', 'customer.billingAddress.city']],
    [{ order: { lineItems: [{ amount: 1 }, { amount: 1, name: card }] } }, ['order.lineItems.1.name']],
    [{ order: { lineItems: [{ amount: 1, productData: { brand: card } }] } }, ['order.lineItems.0.productData.brand']],
    [{ customerId: card }, ['customerId']],
    [{ reason: card }, ['reason']],
    [
      { paymentMethod: { descriptor: card, options: { PAYMENT_CARD: { x: [card] } } } },
      ['paymentMethod.descriptor', 'paymentMethod.options.PAYMENT_CARD.x.0'],
    ],
    [{ metadata: { a: { b: [card] } } }, ['metadata.a.b.0']],
    [{ metadata: { [card]: 1 } }, [`metadata.${card}`]],
    [{ metadata: { a: Number(card) } }, ['metadata.a']],
    [{ metadata: { orderId: card, sku: card } }, ['metadata.orderId', 'metadata.sku']],
  ];
  for (const [body, paths] of WHERE) it(`finds it in ${JSON.stringify(body)}`, () => expect(pathsIn(body)).to.deep.equal(paths));

  const ALLOWED: readonly unknown[] = [
    { orderId: card },
    { order: { lineItems: [{ amount: 1, itemId: card }] } },
    { order: { lineItems: [{ amount: 1, productData: { sku: card, globalTradeItemNumber: card, manufacturerPartNumber: card } }] } },
    { amount: Number(card) },
    { clientToken: card, paymentMethodToken: `pm_${card}`, transactionEventId: card, resumeToken: card },
  ];
  for (const body of ALLOWED) it(`does not look at ${JSON.stringify(body)}`, () => expect(pathsIn(body)).to.deep.equal([]));

  it('finds a number between any other words', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...PUBLISHED.map(([, digits]) => digits)),
        fc.constantFrom('', ' ', '-'),
        fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\\') }),
        (digits, separator, word) => {
          const grouped = digits.replaceAll(/\d{4}(?=\d)/g, `$&${separator}`);
          expect(pathsIn({ description: `${word},${grouped},${word}` })).to.deep.equal(['description']);
        },
      ),
    ));
});
