// The checkout's endpoints: the answers to a browser with a client token, and the events in the log (contract §3).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy, expectCausedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS, paymentOf } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

describe('the checkout over HTTP', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const sessionOf = (token: string): string =>
    z
      .object({ sub: z.string() })
      .parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))).sub;

  describe('GET /checkout/session', () => {
    it('answers the data of the checkout, and no personal data', async () => {
      const { shop, request, stores, world } = http;
      const order = {
        lineItems: [{ name: 'Hat', amount: 300, quantity: 2 }],
        fees: [{ amount: 10 }],
        shipping: { amount: 5 },
      };
      const cardNetworks = ['AMEX', 'VISA'];
      const token = await shop.session({
        amount: undefined,
        order,
        metadata: { secret: 1 },
        customer: { emailAddress: 'ada@example.com' },
        paymentMethod: { orderedAllowedCardNetworks: cardNetworks, options: { PAYMENT_CARD: { cvv: false } } },
      });
      const read = await appendedBy(stores.events, () => request('GET', '/checkout/session', { token }));
      expect([read.answer.status, read.answer.headers.etag, read.types]).to.deep.equal([200, '"0"', []]);
      const { now, ...data } = bodyOf(read.answer, z.looseObject({ now: z.string() }));
      expect(Math.abs(Date.parse(now) - world.now())).to.be.below(60_000);
      expect(data).to.deep.equal({
        orderId: 'o-1',
        currencyCode: 'EUR',
        amount: 615,
        ...order,
        paymentMethods: [
          { paymentMethodType: 'PAYMENT_CARD', cardNetworks, options: { cvv: false } },
          { paymentMethodType: 'KLARNA' },
          { paymentMethodType: 'PAYPAL' },
          { paymentMethodType: 'APPLE_PAY', cardNetworks },
          { paymentMethodType: 'GOOGLE_PAY', cardNetworks },
        ],
      });
    });

    it("shows the customer's vaulted instruments, masked", async () => {
      const { shop, request } = http;
      const instrument = await shop.vaulted('c-drawn', CARDS.otherApproved);
      const { body, text } = await request('GET', '/checkout/session', {
        token: await shop.session({ customerId: 'c-drawn' }),
      });
      expect(body)
        .to.have.property('paymentInstruments')
        .that.deep.equals([
          {
            token: instrument,
            paymentMethodType: 'PAYMENT_CARD',
            paymentMethodData: {
              network: 'MASTERCARD',
              last4Digits: '4444',
              expirationMonth: '12',
              expirationYear: '2039',
            },
            default: true,
          },
        ]);
      expect(text).not.to.contain('Lovelace').and.not.to.contain('555555');
    });

    it('shows the payment that the session carries, until it is over', async () => {
      const { shop, request } = http;
      const token = await shop.session();
      const pay = async (number: string) =>
        request('POST', '/checkout/payments', {
          token,
          body: { paymentMethodToken: await shop.tokenize(token, number) },
        });
      const drawn = async () => (await request('GET', '/checkout/session', { token })).body;
      expect(await drawn()).not.to.have.property('payment');
      await pay(CARDS.declined);
      expect(await drawn()).not.to.have.property('payment');
      const { body } = await pay(CARDS.pendingForEver);
      expect(await drawn())
        .to.have.property('payment')
        .that.deep.equals(body)
        .and.includes({ status: 'PENDING' });
    });

    it('may be read by any origin', async () => {
      const { shop, request } = http;
      const token = await shop.session();
      const { headers } = await request('GET', '/checkout/session', {
        token,
        headers: { origin: 'https://shop.example' },
      });
      expect(headers).to.include({ 'access-control-allow-origin': '*' });
      const preflight = await request('OPTIONS', '/checkout/payments', {
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers['access-control-allow-headers']).to.contain('X-Client-Token');
      expect((await shop.ask('GET', `/client-session?clientToken=${token}`)).headers).not.to.have.property(
        'access-control-allow-origin',
      );
    });
  });

  describe('POST /checkout/payment-instruments', () => {
    it('answers a single-use token and masked data; number and code are nowhere afterwards', async () => {
      const { shop, request, stores } = http;
      const token = await shop.session();
      const made = await appendedBy(stores.events, () =>
        request('POST', '/checkout/payment-instruments', {
          token,
          body: { card: { ...card().card, number: '4242 4242 4242 4242', cvc: '987' } },
        }),
      );
      expect([made.answer.status, made.answer.headers.etag]).to.deep.equal([200, '"0"']);
      expect(made.answer.body).to.have.all.keys('token', 'tokenType', 'paymentMethodType', 'paymentMethodData');
      expect(made.answer.body).to.deep.include({
        tokenType: 'SINGLE_USE',
        paymentMethodType: 'PAYMENT_CARD',
        paymentMethodData: {
          network: 'VISA',
          first6Digits: '424242',
          last4Digits: '4242',
          expirationMonth: '12',
          expirationYear: '2039',
          cardholderName: 'Ada Lovelace',
        },
      });
      expect(made.types).to.deep.equal(['paymentInstrument InstrumentTokenized']);
      expectCausedBy(made, shop.accountId, { kind: 'checkout', id: sessionOf(token) });
      expect(JSON.stringify(made.events.map(({ data, metadata }) => [data, metadata]))).not.to.match(
        /4242.?4242.?4242|987"/,
      );
    });
  });

  describe('POST /checkout/payments', () => {
    it('pays the session, and tells the browser only the members that it needs', async () => {
      const { shop, request, stores } = http;
      const token = await shop.session({ metadata: { secret: 1 } });
      const paymentMethodToken = await shop.tokenize(token);
      const paid = await appendedBy(stores.events, () =>
        request('POST', '/checkout/payments', { token, body: { paymentMethodToken } }),
      );
      expect([paid.answer.status, paid.answer.headers.etag]).to.deep.equal([200, '"2"']);
      expect(paid.answer.body).to.have.all.keys('id', 'status', 'amount', 'currencyCode', 'paymentMethodType');
      expect(paid.answer.body).to.include({ status: 'AUTHORIZED', amount: 1000, currencyCode: 'EUR' });
      expect(paid.types).to.deep.equal([
        'clientSession ClientSessionClaimed',
        'paymentInstrument InstrumentClaimed',
        'payment PaymentCreated',
        'payment AuthorizationRequested',
        'payment PaymentAuthorized',
      ]);
      expectCausedBy(paid, shop.accountId, { kind: 'checkout', id: sessionOf(token) });
    });

    for (const [what, number, code] of [
      ['declined', CARDS.declined, 'GENERIC_DECLINE'],
      ['declined for want of funds', '4000000000009995', 'INSUFFICIENT_FUNDS'],
      ['declined as lost', '4000000000009987', 'GENERIC_DECLINE'],
      ['declined as stolen', '4000000000009979', 'GENERIC_DECLINE'],
    ] as const)
      it(`that is ${what} says the code ${code} alone`, async () => {
        const { shop, request } = http;
        const token = await shop.session();
        const paid = await request('POST', '/checkout/payments', {
          token,
          body: { paymentMethodToken: await shop.tokenize(token, number) },
        });
        expect(paid.status).to.equal(200);
        expect(paid.body).to.deep.include({ status: 'DECLINED', statusReason: { code } });
      });

    it('by a debit says its method, and that the money is on its way', async () => {
      const { shop, request } = http;
      const token = await shop.session({ paymentMethod: { captureMode: 'AUTOMATIC' } });
      const method = {
        type: 'SEPA_DEBIT',
        iban: 'DE35 3704 0044 0532 0130 02',
        accountHolderName: 'Ada Lovelace',
        mandateAccepted: true,
      };
      const made = await request('POST', '/checkout/payment-instruments', { token, body: { method } });
      const { token: paymentMethodToken } = bodyOf(made, z.looseObject({ token: z.string() }));
      const paid = await request('POST', '/checkout/payments', { token, body: { paymentMethodToken } });
      expect(paid.body).to.deep.include({
        status: 'PENDING',
        paymentMethodType: 'SEPA_DEBIT',
        statusReason: { type: 'AWAITING_FUNDS' },
      });
    });

    it('with an unknown outcome is a 202', async () => {
      const { shop, request } = http;
      const token = await shop.session();
      const paid = await request('POST', '/checkout/payments', {
        token,
        body: { paymentMethodToken: await shop.tokenize(token, CARDS.unknown) },
      });
      expect(paid.status).to.equal(202);
      expect(paid.body).to.deep.include({ status: 'PENDING' });
    });

    it("takes an instrument that the session's customer has vaulted, and captures at once when the session says so", async () => {
      const { shop, request } = http;
      const paymentMethodToken = await shop.vaulted('c-back');
      const token = await shop.session({ customerId: 'c-back', paymentMethod: { captureMode: 'AUTOMATIC' } });
      const paid = await request('POST', '/checkout/payments', { token, body: { paymentMethodToken } });
      expect(paid.body).to.include({ status: 'SETTLED' });
    });
  });

  describe('POST /checkout/payments with vaultOnSuccess', () => {
    const ask = async (fields: object, vaultOnSuccess: boolean): Promise<Answer> => {
      const { shop, request } = http;
      const token = await shop.session(fields);
      return request('POST', '/checkout/payments', {
        token,
        body: { paymentMethodToken: await shop.tokenize(token), vaultOnSuccess },
      });
    };
    const vaultedBy = async (customerId: string): Promise<number> => {
      const answer = await http.shop.ask('GET', `/payment-instruments?customer_id=${customerId}`);
      return bodyOf(answer, z.strictObject({ data: z.array(z.unknown()) })).data.length;
    };

    it("wins over the session's word, and leaves the rest of its payment method", async () => {
      const paymentMethod = { captureMode: 'AUTOMATIC', vaultOnSuccess: false };
      const paid = await ask({ customerId: 'c-keeps', paymentMethod }, true);
      expect(paid.body, paid.text).to.include({ status: 'SETTLED' });
      expect(await vaultedBy('c-keeps')).to.equal(1);
      await ask({ customerId: 'c-refuses', paymentMethod: { vaultOnSuccess: true } }, false);
      expect(await vaultedBy('c-refuses')).to.equal(0);
    });

    it("needs the session's customerId", async () => {
      const refused = await ask({}, true);
      expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect(refused.error?.validationErrors).to.have.nested.property('[0].errors[0].path', '$.vaultOnSuccess');
      expect((await ask({}, false)).status).to.equal(200);
    });
  });

  describe('GET /checkout/payments/{id}', () => {
    it('answers the payment of POST /checkout/payments, as it is now', async () => {
      const { shop, request } = http;
      const token = await shop.session();
      const body = { paymentMethodToken: await shop.tokenize(token) };
      const paid = bodyOf(
        await request('POST', '/checkout/payments', { token, body }),
        z.looseObject({ id: z.string() }),
      );
      const read = await request('GET', `/checkout/payments/${paid.id}`, { token });
      expect([read.body, read.headers.etag]).to.deep.equal([paid, '"2"']);
      await shop.ask('POST', `/payments/${paid.id}/cancel`);
      expect((await request('GET', `/checkout/payments/${paid.id}`, { token })).body).to.deep.equal({
        ...paid,
        status: 'CANCELLED',
      });
    });

    it("is a 404 for another session's payment, and for one without a session", async () => {
      const { shop, request } = http;
      const token = await shop.session();
      const fields = { orderId: 'o', currencyCode: 'EUR', amount: 1 };
      const alone = paymentOf(
        await shop.ask('POST', '/payments', { paymentMethodToken: await shop.vaulted('c-alone'), ...fields }),
      );
      const nowhere = await request('GET', '/checkout/payments/pay_0', { token, headers: { 'x-request-id': 'same' } });
      for (const id of [(await shop.paid()).id, alone.id]) {
        const answer = await request('GET', `/checkout/payments/${id}`, { token, headers: { 'x-request-id': 'same' } });
        expect([answer.status, answer.text]).to.deep.equal([404, nowhere.text]);
      }
    });
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
