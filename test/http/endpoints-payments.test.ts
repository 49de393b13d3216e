// The endpoints of payments without faults: their answers, and the events in the log (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy, expectCausedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS, paymentOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Money = z.looseObject({ status: z.string(), processor: z.record(z.string(), z.unknown()) });
const Transactions = z.looseObject({
  transactions: z.array(
    z.looseObject({
      id: z.string(),
      transactionType: z.string(),
      events: z.array(z.record(z.string(), z.unknown())).optional(),
    }),
  ),
});
const History = z.strictObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      revision: z.number(),
      actor: z.looseObject({}),
      data: z.looseObject({}),
    }),
  ),
  nextCursor: z.string().optional(),
});

describe('payments over HTTP', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const actor = (): { kind: string; id: string } => ({ kind: 'apiKey', id: http.shop.keyId });
  /** status, authorized, capturable, captured, refundable, refunded */
  const money = (answer: Parameters<typeof bodyOf>[0]): unknown => {
    const { status, processor } = bodyOf(answer, Money);
    const of = ['amountAuthorized', 'amountCapturable', 'amountCaptured', 'amountRefundable', 'amountRefunded'];
    return [status, ...of.map((name) => processor[name])];
  };

  describe('POST /payments', () => {
    it('claims the session, then the token, then makes and authorizes the payment', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session({ customer: { firstName: 'Ada' }, metadata: { a: 1 } });
      const paymentMethodToken = await shop.tokenize(clientToken);
      const paid = await appendedBy(stores.events, () =>
        shop.ask('POST', '/payments', { paymentMethodToken, clientToken }),
      );
      expect(paid.types).to.deep.equal([
        'clientSession ClientSessionClaimed',
        'paymentInstrument InstrumentClaimed',
        'payment PaymentCreated',
        'payment AuthorizationRequested',
        'payment PaymentAuthorized',
      ]);
      expectCausedBy(paid, shop.accountId, actor());
      const { id } = paymentOf(paid.answer);
      expect(paid.events.slice(2).map(({ stream }) => stream)).to.deep.equal([
        `payment-${id}`,
        `payment-${id}`,
        `payment-${id}`,
      ]);
      expect([paid.answer.status, paid.answer.headers.etag]).to.deep.equal([200, '"2"']);
      expect(money(paid.answer)).to.deep.equal(['AUTHORIZED', 1000, 1000, 0, 0, 0]);
      expect(paid.answer.body).to.deep.include({
        orderId: 'o-1',
        currencyCode: 'EUR',
        amount: 1000,
        version: 2,
        customer: { firstName: 'Ada' },
        metadata: { a: 1 },
      });
      expect(paid.answer.body)
        .to.have.property('paymentMethod')
        .that.deep.equals({
          paymentMethodToken,
          paymentMethodType: 'PAYMENT_CARD',
          paymentMethodData: {
            network: 'VISA',
            first6Digits: '424242',
            last4Digits: '4242',
            expirationMonth: '12',
            expirationYear: '2039',
            cardholderName: 'Ada Lovelace',
          },
          isVaulted: false,
          authorizationType: 'FINAL',
          captureMode: 'MANUAL',
        });
      expect(paid.answer.text).not.to.contain(CARDS.approved);
    });

    it('without a session takes everything from the request', async () => {
      const { shop, stores } = http;
      const paymentMethodToken = await shop.tokenize(await shop.session());
      const fields = {
        paymentMethodToken,
        orderId: 'o-2',
        currencyCode: 'JPY',
        order: { lineItems: [{ amount: 250, quantity: 2 }], fees: [{ amount: 1 }] },
        customerId: 'c-2',
        customer: { lastName: 'Li' },
        metadata: { list: [1.5, null] },
        paymentMethod: { descriptor: 'SHOP', paymentType: 'ECOMMERCE', authorizationType: 'ESTIMATED' },
        returnUrl: 'app://back',
      };
      const paid = await appendedBy(stores.events, () => shop.ask('POST', '/payments', fields));
      expect(paid.types.slice(0, 2)).to.deep.equal(['paymentInstrument InstrumentClaimed', 'payment PaymentCreated']);
      const { paymentMethod, paymentMethodToken: _token, returnUrl: _url, ...same } = fields;
      expect(paid.answer.body).to.deep.include({ ...same, amount: 501 });
      expect(paid.answer.body).to.have.property('paymentMethod').that.includes(paymentMethod);
    });

    it('lets the request win over the session: scalars, customer and metadata by member, order and paymentMethod as a whole', async () => {
      const { shop } = http;
      const session = {
        customer: { firstName: 'Ada', lastName: 'L' },
        metadata: { a: 1, b: { c: 2 } },
        order: { countryCode: 'FR', fees: [{ amount: 5 }] },
        paymentMethod: { descriptor: 'SHOP', authorizationType: 'ESTIMATED' },
      };
      const fields = {
        orderId: 'o-3',
        amount: 77,
        customer: { firstName: 'Bo' },
        metadata: { b: 3 },
        order: { countryCode: 'DE' },
        paymentMethod: { paymentType: 'ECOMMERCE' },
      };
      const { body } = await shop.pay({ session, fields });
      expect(body).to.deep.include({
        orderId: 'o-3',
        amount: 77,
        customer: { firstName: 'Bo', lastName: 'L' },
        metadata: { a: 1, b: 3 },
        order: { countryCode: 'DE' },
      });
      expect(body).to.nested.include({
        'paymentMethod.authorizationType': 'FINAL',
        'paymentMethod.paymentType': 'ECOMMERCE',
      });
      expect(body).not.to.have.nested.property('paymentMethod.descriptor');
    });

    it('captures at once when the captureMode is AUTOMATIC', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session({ paymentMethod: { captureMode: 'AUTOMATIC' } });
      const paymentMethodToken = await shop.tokenize(clientToken);
      const paid = await appendedBy(stores.events, () =>
        shop.ask('POST', '/payments', { paymentMethodToken, clientToken }),
      );
      expect(money(paid.answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 1000, 0]);
      expect(paid.types.slice(2)).to.deep.equal([
        'payment PaymentCreated',
        'payment AuthorizationRequested',
        'payment PaymentAuthorized',
        'payment CaptureRequested',
        'payment PaymentCaptured',
      ]);
    });

    it('that is declined is a 200 that says why, and opens the session again', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session();
      const paymentMethodToken = await shop.tokenize(clientToken, CARDS.declined);
      const paid = await appendedBy(stores.events, () =>
        shop.ask('POST', '/payments', { paymentMethodToken, clientToken }),
      );
      expect(paid.answer.status).to.equal(200);
      expect(money(paid.answer)).to.deep.equal(['DECLINED', 0, 0, 0, 0, 0]);
      expect(paid.answer.body).to.nested.include({
        'statusReason.type': 'ISSUER_DECLINE',
        'statusReason.declineType': 'HARD',
        'statusReason.code': 'GENERIC_DECLINE',
      });
      expect(paid.types.slice(-2)).to.deep.equal([
        'payment AuthorizationDeclined',
        'clientSession ClientSessionReleased',
      ]);
      const again = await shop.ask('POST', '/payments', {
        paymentMethodToken: await shop.tokenize(clientToken),
        clientToken,
      });
      expect(paymentOf(again).status).to.equal('AUTHORIZED');
    });

    it('that never reached the processor is FAILED, and gives session and token back', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session();
      const paymentMethodToken = await shop.tokenize(clientToken, CARDS.notSent);
      const paid = await appendedBy(stores.events, () =>
        shop.ask('POST', '/payments', { paymentMethodToken, clientToken }),
      );
      expect(paid.answer.status).to.equal(200);
      expect(paid.answer.body).to.deep.include({ status: 'FAILED' });
      expect(paid.answer.body).to.nested.include({ 'statusReason.type': 'GATEWAY_UNAVAILABLE' });
      expect(paid.types.slice(-3)).to.deep.equal([
        'payment AuthorizationNotSent',
        'clientSession ClientSessionReleased',
        'paymentInstrument InstrumentReleased',
      ]);
      const again = await shop.ask('POST', '/payments', { paymentMethodToken, clientToken });
      expect(paymentOf(again).status).to.equal('FAILED');
    });

    it('with an unknown outcome is a 202 and stays PENDING', async () => {
      const paid = await http.shop.pay({ card: CARDS.unknown });
      expect([paid.status, paymentOf(paid).status]).to.deep.equal([202, 'PENDING']);
      expect(paid.body).to.nested.include({ 'statusReason.type': 'GATEWAY_TIMEOUT' });
    });

    it('that the processor accepted and has not decided is a 200 and PENDING', async () => {
      const paid = await http.shop.pay({ card: CARDS.pendingForEver });
      expect([paid.status, paymentOf(paid).status]).to.deep.equal([200, 'PENDING']);
    });

    it('vaults the card of an authorized payment when that was asked for', async () => {
      const { shop, stores } = http;
      const clientToken = await shop.session({ customerId: 'c-vault', paymentMethod: { vaultOnSuccess: true } });
      const paymentMethodToken = await shop.tokenize(clientToken);
      const paid = await appendedBy(stores.events, () =>
        shop.ask('POST', '/payments', { paymentMethodToken, clientToken }),
      );
      expect(paid.types.slice(-5)).to.deep.equal([
        'paymentInstrument VaultingRequested',
        'customerWallet InstrumentAdded',
        'customerWallet DefaultInstrumentChanged',
        'paymentInstrument InstrumentVaulted',
        'payment VaultingRecorded',
      ]);
      const { id } = paymentOf(paid.answer);
      expect((await shop.ask('GET', `/payments/${id}`)).body).to.nested.include({ 'paymentMethod.isVaulted': true });
      expect((await shop.ask('GET', `/payment-instruments/${paymentMethodToken}`)).body).to.include({
        tokenType: 'MULTI_USE',
        customerId: 'c-vault',
      });
    });

    it('takes a vaulted instrument as often as it is asked to', async () => {
      const { shop } = http;
      const paymentMethodToken = await shop.vaulted('c-often');
      for (const orderId of ['o-1', 'o-2']) {
        const paid = await shop.ask('POST', '/payments', {
          paymentMethodToken,
          orderId,
          currencyCode: 'EUR',
          amount: 5,
        });
        expect(paymentOf(paid).status).to.equal('AUTHORIZED');
      }
    });

    it('with a vaulted instrument belongs to the instrument’s customer where none is named, and is found by that customer', async () => {
      const { shop } = http;
      const paymentMethodToken = await shop.vaulted('c-owner');
      const fields = { paymentMethodToken, orderId: 'o', currencyCode: 'EUR', amount: 5 };
      const direct = await shop.ask('POST', '/payments', fields);
      const inSession = await shop.ask('POST', '/payments', { paymentMethodToken, clientToken: await shop.session() });
      for (const paid of [direct, inSession])
        expect(paid.body).to.include({ status: 'AUTHORIZED', customerId: 'c-owner' });
      const found = await shop.ask('GET', '/payments?customer_id=c-owner');
      expect(
        bodyOf(found, z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) })).data.map(({ id }) => id),
      ).to.have.members([direct, inSession].map((paid) => paymentOf(paid).id));
    });
  });

  describe('GET /payments/{id}', () => {
    it('repeats the answer of the last change, under its version as ETag', async () => {
      const { shop, stores } = http;
      const paid = await shop.pay();
      const { id } = paymentOf(paid);
      const read = await appendedBy(stores.events, () => shop.ask('GET', `/payments/${id}`));
      expect([read.answer.status, read.answer.headers.etag, read.types]).to.deep.equal([200, '"2"', []]);
      expect(read.answer.text).to.equal(paid.text);
    });

    it('expands the events of each transaction when it is asked to', async () => {
      const { shop } = http;
      const { id } = await shop.captured();
      await shop.ask('POST', `/payments/${id}/refund`, { amount: 100, orderId: 'r-1', reason: 'late' });
      const plain = bodyOf(await shop.ask('GET', `/payments/${id}`), Transactions);
      expect(plain.transactions.map(({ events }) => events)).to.deep.equal([undefined, undefined]);
      const { transactions } = bodyOf(
        await shop.ask('GET', `/payments/${id}?expand=transactions.events`),
        Transactions,
      );
      expect(
        transactions.map(({ transactionType, events = [] }) => [
          transactionType,
          events.map(({ type, amount, final, evidence }) => [type, amount, final, evidence]),
        ]),
      ).to.deep.equal([
        [
          'SALE',
          [
            ['AUTHORIZATION_REQUESTED', 1000, undefined, undefined],
            ['AUTHORIZATION_SUCCEEDED', 1000, undefined, 'answer'],
            ['CAPTURE_REQUESTED', 1000, true, undefined],
            ['CAPTURE_SUCCEEDED', 1000, true, 'answer'],
          ],
        ],
        [
          'REFUND',
          [
            ['REFUND_REQUESTED', 100, undefined, undefined],
            ['REFUND_SUCCEEDED', 100, undefined, 'answer'],
          ],
        ],
      ]);
    });
  });

  describe('GET /payments/{id}/events', () => {
    it('is the history as it was appended, oldest first', async () => {
      const { shop, stores } = http;
      const paid = await appendedBy(stores.events, () => shop.paid());
      const read = await appendedBy(stores.events, () => shop.ask('GET', `/payments/${paid.answer.id}/events`));
      const { data, nextCursor } = bodyOf(read.answer, History);
      expect([read.types, nextCursor]).to.deep.equal([[], undefined]);
      const stored = paid.events.filter(({ stream }) => stream === `payment-${paid.answer.id}`);
      expect(data.map(({ id, type, revision }) => [id, type, revision])).to.deep.equal(
        stored.map(({ id, type, revision }) => [`evt_${id}`, type, revision]),
      );
      expect(data.map(({ actor: who }) => who)).to.deep.equal(data.map(() => actor()));
    });

    it('comes page by page, each event once', async () => {
      const { shop } = http;
      const { id } = await shop.captured();
      const types: string[] = [];
      let cursor = '';
      for (let pages = 0; pages < 10; pages += 1) {
        const page = bodyOf(await shop.ask('GET', `/payments/${id}/events?limit=2${cursor}`), History);
        types.push(...page.data.map(({ type }) => type));
        if (page.nextCursor === undefined) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(types).to.deep.equal([
        'PaymentCreated',
        'AuthorizationRequested',
        'PaymentAuthorized',
        'CaptureRequested',
        'PaymentCaptured',
      ]);
    });

    it('has no internal member', async () => {
      const { shop } = http;
      const { id } = await shop.paid();
      const { text } = await shop.ask('GET', `/payments/${id}/events`);
      for (const secret of ['fingerprint', 'processorToken', shop.accountId]) expect(text).not.to.contain(secret);
    });
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
