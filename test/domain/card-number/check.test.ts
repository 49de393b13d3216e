// Where card numbers are looked for in a body (contract §7).
import { expect } from 'chai';
import fc from 'fast-check';
import { cardNumberCheck } from '../../../src/domain/card-number/check.ts';
import { textFaults } from '../../../src/domain/json-strings.ts';

function pathsOf(raw: string): readonly string[] {
  const check = cardNumberCheck(raw);
  const [found = []] = check === undefined ? [] : textFaults(JSON.parse(raw), [check]).faults;
  return found.map(({ path }) => path.join('.'));
}
const pathsIn = (body: unknown): readonly string[] => pathsOf(JSON.stringify(body));

describe('the search for card numbers in a body', () => {
  const card = '4242424242424242';
  const WHERE: readonly (readonly [unknown, readonly string[]])[] = [
    [
      { customer: { firstName: card, billingAddress: { city: card } } },
      ['customer.firstName', 'customer.billingAddress.city'],
    ],
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
    [{ metadata: { a: -Number(card) } }, ['metadata.a']],
    [{ metadata: { mobileNumber: '+378282246310005' } }, ['metadata.mobileNumber']],
    [{ description: '+378282246310005' }, ['description']],
    [{ metadata: { orderId: card, sku: card } }, ['metadata.orderId', 'metadata.sku']],
  ];
  for (const [body, paths] of WHERE)
    it(`finds it in ${JSON.stringify(body)}`, () => expect(pathsIn(body)).to.deep.equal(paths));

  const ALLOWED: readonly unknown[] = [
    { orderId: card },
    { method: { type: 'SEPA_DEBIT', iban: 'DE35 3704 0044 0532 0130 02' } },
    { order: { lineItems: [{ amount: 1, itemId: card }] } },
    {
      order: {
        lineItems: [
          { amount: 1, productData: { sku: card, globalTradeItemNumber: card, manufacturerPartNumber: card } },
        ],
      },
    },
    { amount: Number(card) },
    { customer: { mobileNumber: '+378282246310005' } },
    { metadata: { latitude: 48.85837009999992, price: 1e300, small: 4.242424242424242e-7 } },
    { metadata: { token: '507f4242424242424242f19c' } },
    { clientToken: card, paymentMethodToken: `pm_${card}`, transactionEventId: card, resumeToken: card },
  ];
  for (const body of ALLOWED)
    it(`does not look at ${JSON.stringify(body)}`, () => expect(pathsIn(body)).to.deep.equal([]));

  it('finds a number between any other words', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('4242424242424242', '378282246310005', '5555555555554444', '6759649826438453'),
        fc.constantFrom('', ' ', '-'),
        fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\\') }),
        (digits, separator, word) => {
          const grouped = digits.replaceAll(/\d{4}(?=\d)/g, `$&${separator}`);
          expect(pathsIn({ description: `${word},${grouped},${word}` })).to.deep.equal(['description']);
        },
      ),
    ));

  it('finds one that is written with escapes', () => {
    expect(pathsOf('{"description": "\\u0034242424242424242"}')).to.deep.equal(['description']);
    expect(pathsOf('{"description": "4242\\u200b4242\\u200b4242\\u200b4242"}')).to.deep.equal(['description']);
    expect(pathsOf('{"description": "4242\\n4242\\t4242\\n4242"}')).to.deep.equal(['description']);
  });

  it('takes no look at a body whose text cannot hold one', () => {
    expect(cardNumberCheck('{"orderId":"o-1","amount":1999,"customer":{"firstName":"Zoë"}}')).to.equal(undefined);
  });
});
