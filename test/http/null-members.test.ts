// Null members of a POST count as absent: not in metadata, not as items, not where a member is required (contract §1).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, SessionBody } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

describe('null members of a POST', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const pathsOf = ({ error }: Answer): readonly string[] =>
    error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path)) ?? [];
  const make = (body: unknown): Promise<Answer> => http.shop.ask('POST', '/client-session', body);

  it('count as absent at every depth of a session', async () => {
    const lineItem = { amount: 5, quantity: null, name: null, productData: { sku: null, brand: 'b' } };
    const answer = await make({
      orderId: 'o-1',
      customerId: null,
      amount: null,
      currencyCode: 'EUR',
      metadata: null,
      customer: { emailAddress: null, billingAddress: { city: null, countryCode: null } },
      order: { lineItems: [lineItem], fees: null, shipping: { amount: 1, methodName: null } },
      paymentMethod: { captureMode: null, options: { PAYMENT_CARD: null } },
      returnUrl: null,
    });
    const { clientToken, clientTokenExpirationDate, ...fields } = bodyOf(answer, SessionBody);
    expect(fields, answer.text).to.deep.equal({
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 6,
      order: { lineItems: [{ amount: 5, productData: { brand: 'b' } }], shipping: { amount: 1 } },
    });
  });

  it('are values in metadata', async () => {
    const metadata = { a: null, b: [null, { c: null }], metadata: null };
    expect((await make({ metadata })).body)
      .to.have.property('metadata')
      .that.deep.equals(metadata);
  });

  it('are a 422 where the member is required, is unknown, or is an item of a list', async () => {
    const answer = await make({
      unknown: null,
      order: { lineItems: [{ amount: null }, null, { amount: 1, x: null }], fees: [null] },
    });
    expect(answer.error?.errorId).to.equal('RequestValidationError');
    expect(pathsOf(answer)).to.have.members([
      '$.unknown',
      '$.order.lineItems[0].amount',
      '$.order.lineItems[1]',
      '$.order.lineItems[2].x',
      '$.order.fees[0]',
    ]);
  });

  it('leave the members of a session to the session, in a payment', async () => {
    const { shop } = http;
    const customer = { firstName: 'Ada', lastName: 'Lovelace' };
    const clientToken = await shop.session({ customer, metadata: { a: 1 } });
    const body = { clientToken, paymentMethodToken: await shop.tokenize(clientToken), amount: null, order: null };
    const answer = await shop.ask('POST', '/payments', {
      ...body,
      customer: { firstName: null, taxId: 't' },
      metadata: { a: null },
    });
    expect(answer.body, answer.text).to.deep.include({
      amount: 1000,
      customer: { ...customer, taxId: 't' },
      metadata: { a: null },
    });
  });

  it('are as good as absent in captures, refunds, vaulting and tokenization', async () => {
    const { shop, request } = http;
    const { id } = await shop.paid();
    expect(
      (await shop.ask('POST', `/payments/${id}/capture`, { amount: null, final: null, metadata: null })).body,
    ).to.include({
      status: 'SETTLED',
    });
    expect(
      (await shop.ask('POST', `/payments/${id}/refund`, { amount: null, orderId: null, reason: null })).status,
    ).to.equal(200);
    const token = await shop.session();
    const tokenized = await request('POST', '/checkout/payment-instruments', {
      token,
      body: { card: { ...card().card, cardholderName: null } },
    });
    expect(tokenized.body).not.to.have.nested.property('paymentMethodData.cardholderName');
    expect(
      pathsOf(
        await request('POST', '/checkout/payment-instruments', {
          token,
          body: { card: { ...card().card, cvc: null } },
        }),
      ),
    ).to.deep.equal(['$.card.cvc']);
    const path = `/payment-instruments/${bodyOf(tokenized, z.looseObject({ token: z.string() })).token}/vault`;
    expect(pathsOf(await shop.ask('POST', path, { customerId: null }))).to.deep.equal(['$.customerId']);
    expect((await shop.ask('POST', path, { customerId: 'c', description: null })).status).to.equal(200);
  });

  it('keep tokenizations of different cards apart under one idempotency key', async () => {
    const { shop, request } = http;
    const token = await shop.session();
    const tokenize = (expirationYear: string): Promise<Answer> =>
      request('POST', '/checkout/payment-instruments', {
        token,
        body: { card: { ...card().card, expirationYear, cardholderName: null } },
        headers: { 'x-idempotency-key': 'k' },
      });
    expect((await tokenize('2038')).status).to.equal(200);
    expect((await tokenize('2039')).error?.errorId).to.equal('IdempotencyKeyReused');
  });

  it('clear in a PATCH as ever', async () => {
    const { shop } = http;
    const clientToken = await shop.session({ amount: 7 });
    expect((await shop.ask('PATCH', '/client-session', { clientToken, amount: null })).body).not.to.have.property(
      'amount',
    );
    expect(pathsOf(await shop.ask('PATCH', '/client-session', { clientToken: null }))).to.deep.equal(['$.clientToken']);
  });
});
