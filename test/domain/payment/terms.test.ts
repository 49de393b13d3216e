// The terms of a payment: the request over its session (contract §4, POST /payments).
import { expect } from 'chai';
import type { PaymentFields } from '../../../src/commands/payments/create-payment.ts';
import { isMerchantInitiated } from '../../../src/domain/client-session/queries.ts';
import { lackedBy, paymentTerms, vaultingChosen } from '../../../src/domain/payment/terms.ts';

const session = { orderId: 'order-1', currencyCode: 'EUR', amount: 1_000 };
const order = { lineItems: [{ amount: 700 }] };
const amountOf = (request: PaymentFields, over: Parameters<typeof paymentTerms>[1] = session) => {
  const terms = paymentTerms(request, over);
  return 'kind' in terms ? terms.violations?.map(({ path }) => path) : terms.amount;
};

describe('the amount of a payment', () => {
  it("is the first of these: the request's, that of the request's order, the session's, that of the session's order", () => {
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
    expect(amountOf({ amount: 1 })).to.equal(1);
  });
});

describe('the terms of a payment', () => {
  const address = { city: 'Berlin', countryCode: 'DE' };
  const full = {
    ...session,
    customerId: 'cus-1',
    customer: { firstName: 'Ada', lastName: 'Byron', billingAddress: address },
    order,
    metadata: { shop: 'one', kept: true },
    returnUrl: 'https://shop.example/session',
    paymentMethod: { captureMode: 'AUTOMATIC', descriptor: 'SESSION', paymentType: 'FIRST_PAYMENT' },
  } as const;

  it('are the session’s where the request has none, and leave out what neither has', () => {
    expect(paymentTerms({}, full)).to.deep.equal({
      ...full,
      paymentMethod: { ...full.paymentMethod, vaultOnSuccess: false, authorizationType: 'FINAL' },
    });
    expect(paymentTerms(session)).to.deep.equal({
      ...session,
      paymentMethod: { vaultOnSuccess: false, captureMode: 'MANUAL', authorizationType: 'FINAL' },
    });
  });

  it('are the request’s where it has them: customer and metadata by member, order and payment method as a whole', () => {
    const request = {
      orderId: 'order-2',
      customerId: 'cus-2',
      customer: { firstName: 'Grace' },
      order: { lineItems: [{ amount: 300 }] },
      metadata: { shop: 'two' },
      returnUrl: 'https://shop.example/request',
      paymentMethod: { vaultOnSuccess: true, authorizationType: 'ESTIMATED' as const },
    };
    expect(paymentTerms(request, full)).to.deep.equal({
      ...request,
      currencyCode: 'EUR',
      amount: 300,
      customer: { ...full.customer, firstName: 'Grace' },
      metadata: { shop: 'two', kept: true },
      paymentMethod: { ...request.paymentMethod, captureMode: 'MANUAL' },
    });
    const alone = paymentTerms({ ...request, amount: 5 }, { currencyCode: 'EUR' });
    expect(alone).to.deep.include({ customer: request.customer, metadata: request.metadata });
  });

  it('lack what neither the request nor the session has, all at once', () => {
    const missing = (request: Parameters<typeof paymentTerms>[0], over?: Parameters<typeof paymentTerms>[1]) => {
      const terms = paymentTerms(request, over);
      return 'kind' in terms ? [terms.errorId, ...(terms.violations ?? []).map(({ path }) => path)] : terms;
    };
    expect(missing({})).to.deep.equal(['RequestValidationError', '$.amount', '$.orderId', '$.currencyCode']);
    expect(missing({ orderId: 'o' }, { currencyCode: 'EUR' })).to.deep.equal(['RequestValidationError', '$.amount']);
    expect(missing({ orderId: 'o', amount: 1 })).to.deep.equal(['RequestValidationError', '$.currencyCode']);
    expect(missing({ currencyCode: 'EUR', amount: 1 })).to.deep.equal(['RequestValidationError', '$.orderId']);
    expect(missing({ paymentMethod: { vaultOnSuccess: true } }, session)).to.deep.equal([
      'RequestValidationError',
      '$.customerId',
    ]);
    expect(lackedBy({})).to.deep.equal(['amount', 'orderId', 'currencyCode']);
    expect(lackedBy(session)).to.deep.equal([]);
  });

  it('are refused where session and request together are too large for an event', () => {
    const lines = (length: number) => ({
      lineItems: Array.from({ length }, () => ({ amount: 1, description: 'x'.repeat(2_000) })),
    });
    expect(paymentTerms({ order: lines(500) }, session)).to.deep.include({
      kind: 'rejected',
      errorId: 'RequestValidationError',
    });
    expect(paymentTerms({ order: lines(50) }, session)).to.not.have.property('kind');
  });

  it('of a subscription or an unscheduled charge are the merchant’s alone', () => {
    const types = ['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED', undefined] as const;
    expect(types.filter(isMerchantInitiated)).to.deep.equal(['SUBSCRIPTION', 'UNSCHEDULED']);
  });

  it('take the customer’s choice to vault, which needs a customer of the session', () => {
    const chosen = (wanted: boolean, over: Parameters<typeof vaultingChosen>[0]) => vaultingChosen(over, wanted);
    const method = full.paymentMethod;
    expect(chosen(true, full)).to.deep.equal({ ...full, paymentMethod: { ...method, vaultOnSuccess: true } });
    expect(chosen(false, session)).to.deep.equal({ ...session, paymentMethod: { vaultOnSuccess: false } });
    expect(chosen(true, session)).to.deep.include({ kind: 'rejected', errorId: 'RequestValidationError' });
    expect(chosen(true, session)).to.have.nested.property('violations[0].path', '$.vaultOnSuccess');
  });
});
