// What a payment is made of: the request over its session (contract §4, POST /payments).
import { expect } from 'chai';
import type { PaymentFields } from '../../../src/commands/payments/payment-fields.ts';
import { paymentTerms } from '../../../src/domain/payment/terms.ts';

const session = { orderId: 'order-1', currencyCode: 'EUR', amount: 1_000 };
const order = { lineItems: [{ amount: 700 }] };
const amountOf = (request: PaymentFields, over: Parameters<typeof paymentTerms>[1] = session) => {
  const terms = paymentTerms(request, over);
  return 'kind' in terms ? terms.violations?.map(({ path }) => path) : terms.amount;
};

describe('the amount of a payment', () => {
  it("is the request's, else that of the request's order, else the session's, else that of the session's order", () => {
    expect(amountOf({ amount: 5, order })).to.equal(5);
    expect(amountOf({ order })).to.equal(700);
    expect(amountOf({})).to.equal(1_000);
    expect(amountOf({}, { orderId: 'order-1', currencyCode: 'EUR', order })).to.equal(700);
    expect(amountOf({}, { orderId: 'order-1', currencyCode: 'EUR' })).to.deep.equal(['$.amount']);
  });

  it("is the request's own where its currency is another than the session's: an order in it is not enough", () => {
    expect(amountOf({ currencyCode: 'USD' })).to.deep.equal(['$.amount']);
    expect(amountOf({ currencyCode: 'USD', order })).to.deep.equal(['$.amount']);
    expect(amountOf({ currencyCode: 'USD', order, amount: 5 })).to.equal(5);
    expect(amountOf({ currencyCode: 'EUR', order })).to.equal(700);
    expect(amountOf({ currencyCode: 'USD', order }, { orderId: 'order-1' })).to.equal(700);
  });

  it('is at least 1', () => {
    expect(amountOf({ order: { fees: [{ amount: 0 }] } })).to.deep.equal(['$.amount']);
    expect(amountOf({}, { ...session, amount: 0 })).to.deep.equal(['$.amount']);
  });
});
