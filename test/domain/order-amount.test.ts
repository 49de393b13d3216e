// The calculation of an order's amount, against exact arithmetic (contract §3).
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_AMOUNT } from '../../src/domain/money.ts';
import { lineTotal, orderAmount, type PricedLine, type PricedOrder } from '../../src/domain/order-amount.ts';

const exactLine = ({ amount, quantity = 1, discountAmount = 0, taxAmount = 0 }: PricedLine): bigint =>
  BigInt(amount) * BigInt(quantity) - BigInt(discountAmount) + BigInt(taxAmount);

const exactOrder = ({ lineItems = [], fees = [], shipping }: PricedOrder): bigint =>
  lineItems.reduce((sum, line) => sum + exactLine(line), 0n) +
  fees.reduce((sum, { amount }) => sum + BigInt(amount), 0n) +
  BigInt(shipping?.amount ?? 0);

const amount = fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.maxSafeNat(), fc.constant(MAX_AMOUNT));
const line = fc.record(
  {
    amount,
    quantity: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 1_000_000 })),
    discountAmount: amount,
    taxAmount: amount,
  },
  { requiredKeys: ['amount'] },
);

describe('the total of a line', () => {
  it('is amount × quantity − discount + tax', () => {
    expect(lineTotal({ amount: 500 })).to.equal(500);
    expect(lineTotal({ amount: 500, quantity: 3, discountAmount: 100, taxAmount: 7 })).to.equal(1_407);
  });

  it('is exact where it is in range, and out of range exactly where the true total is', () =>
    fc.assert(
      fc.property(line, (priced) => {
        const exact = exactLine(priced);
        const total = lineTotal(priced);
        if (exact >= 0n && exact <= BigInt(MAX_AMOUNT)) expect(BigInt(total)).to.equal(exact);
        else expect(exact < 0n ? total < 0 : total > MAX_AMOUNT).to.equal(true);
      }),
      { numRuns: 2_000 },
    ));

  it('may have a product out of range that a discount brings back', () =>
    expect(lineTotal({ amount: MAX_AMOUNT, quantity: 2, discountAmount: MAX_AMOUNT })).to.equal(MAX_AMOUNT));
});

describe('the amount of an order', () => {
  const NONE: readonly (readonly [string, PricedOrder | undefined])[] = [
    ['no order', undefined],
    ['an order of nothing', {}],
    ['empty lists', { lineItems: [], fees: [] }],
    ['shipping without an amount', { shipping: {} }],
  ];
  for (const [name, order] of NONE) it(`is none for ${name}`, () => expect(orderAmount(order)).to.equal(undefined));

  it('is there when there is a line item, a fee or a shipping amount, 0 included', () => {
    expect(orderAmount({ lineItems: [{ amount: 0 }] })).to.equal(0);
    expect(orderAmount({ fees: [{ amount: 0 }] })).to.equal(0);
    expect(orderAmount({ shipping: { amount: 0 } })).to.equal(0);
  });

  it('is exact up to 2^53 - 1, and above it exactly when the true sum is', () =>
    fc.assert(
      fc.property(
        fc.array(
          line.filter((one) => exactLine(one) >= 0n),
          { maxLength: 20 },
        ),
        fc.array(fc.record({ amount }), { maxLength: 5 }),
        fc.option(fc.record({ amount }), { nil: undefined }),
        (lineItems, fees, shipping) => {
          const order = { lineItems, fees, shipping };
          const exact = exactOrder(order);
          const total = orderAmount(order) ?? 0;
          if (exact <= BigInt(MAX_AMOUNT)) expect(BigInt(total)).to.equal(exact);
          else expect(total > MAX_AMOUNT).to.equal(true);
        },
      ),
      { numRuns: 1_000 },
    ));
});
