// Requests that the state of a session, a token or a payment does not allow: each error of contract §7 provoked for
// real.
import { expect } from 'chai';
import { z } from 'zod';
import { callOf } from '../support/call-of.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const ESTIMATED = { session: { paymentMethod: { authorizationType: 'ESTIMATED' } } };
const DAY_MS = 86_400_000;

describe('errors of sessions, tokens and payments', () => {
  let http: HttpService;
  before(async () => {
    // A silent processor is given up after a few seconds here.
    http = await serveHttp({
      timings: { sendWithinMs: 5_000, answerWithinMs: 2_500, abandonAfterMs: 60_000 },
      sandboxInMemory: true,
    });
  });
  after(() => http.stop());

  /** Expects the error, and a log that is as it was. */
  const refused = async (
    status: number,
    errorId: string,
    path: string,
    body?: object,
    method = 'POST',
  ): Promise<Answer> => {
    const { answer, types } = await appendedBy(http.stores.events, () => http.shop.ask(method, path, body));
    expect([answer.status, answer.error?.errorId, types], answer.text).to.deep.equal([status, errorId, []]);
    return answer;
  };
  const statusOf = async (id: string): Promise<string> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}`), z.looseObject({ status: z.string() })).status;

  describe('400 InvalidPaymentInstrumentToken', () => {
    const pay = (paymentMethodToken: string) =>
      refused(400, 'InvalidPaymentInstrumentToken', '/payments', {
        paymentMethodToken,
        orderId: 'o',
        currencyCode: 'EUR',
        amount: 1,
      });

    it('is for a token that paid, declined or not, and for a token that was never made', async () => {
      const { shop } = http;
      for (const card of [CARDS.approved, CARDS.declined]) await pay((await shop.paid({ card })).paymentMethodToken);
      await pay('pm_0000');
      await pay('anything');
    });

    it('is for a deleted token, vaulted or not', async () => {
      const { shop } = http;
      for (const token of [await shop.vaulted('c-1'), await shop.tokenize(await shop.session())]) {
        await shop.ask('DELETE', `/payment-instruments/${token}`);
        await pay(token);
        await refused(400, 'InvalidPaymentInstrumentToken', `/payment-instruments/${token}/vault`, {
          customerId: 'c-1',
        });
        await refused(400, 'InvalidPaymentInstrumentToken', `/payment-instruments/${token}/default`);
      }
    });

    it('is for vaulting a used token, and for a single-use token as the default', async () => {
      const { shop } = http;
      const { paymentMethodToken } = await shop.paid();
      await refused(400, 'InvalidPaymentInstrumentToken', `/payment-instruments/${paymentMethodToken}/vault`, {
        customerId: 'c-1',
      });
      const token = await shop.tokenize(await shop.session());
      await refused(400, 'InvalidPaymentInstrumentToken', `/payment-instruments/${token}/default`);
    });

    it('is for a single-use token after a day', async () => {
      const { shop, world } = http;
      const token = await shop.tokenize(await shop.session());
      world.advance(DAY_MS);
      await pay(token);
      await refused(400, 'InvalidPaymentInstrumentToken', `/payment-instruments/${token}/vault`, { customerId: 'c-1' });
    });

    it('leaves the session as it was', async () => {
      const { shop } = http;
      const { paymentMethodToken } = await shop.paid();
      const clientToken = await shop.session();
      await refused(400, 'InvalidPaymentInstrumentToken', '/payments', { paymentMethodToken, clientToken });
      expect((await shop.ask('GET', `/client-session?clientToken=${clientToken}`)).headers.etag).to.equal('"0"');
    });
  });

  describe('400 InvalidPaymentStatus', () => {
    const WRONG: readonly (readonly [string, string, () => Promise<{ readonly id: string }>])[] = [
      ['capture', 'DECLINED', () => http.shop.paid({ card: CARDS.declined })],
      ['cancel', 'DECLINED', () => http.shop.paid({ card: CARDS.declined })],
      ['refund', 'DECLINED', () => http.shop.paid({ card: CARDS.declined })],
      ['adjust-authorization', 'DECLINED', () => http.shop.paid({ card: CARDS.declined })],
      ['capture', 'FAILED', () => http.shop.paid({ card: CARDS.notSent })],
      ['capture', 'SETTLED', () => http.shop.captured()],
      ['cancel', 'SETTLED', () => http.shop.captured()],
      ['adjust-authorization', 'SETTLED', () => http.shop.captured(ESTIMATED)],
      ['refund', 'AUTHORIZED', () => http.shop.paid()],
    ];
    for (const [operation, paymentStatus, make] of WRONG) {
      it(`is for ${operation} of a payment that is ${paymentStatus}, which it names`, async () => {
        const { id } = await make();
        const { error } = await refused(
          400,
          'InvalidPaymentStatus',
          `/payments/${id}/${operation}`,
          operation.startsWith('adjust') ? { amount: 5 } : undefined,
        );
        expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, paymentStatus]);
      });
    }

    it('is for a capture after a final one, and for anything after a cancellation', async () => {
      const { shop } = http;
      const partly = await shop.paid();
      await shop.ask('POST', `/payments/${partly.id}/capture`, { amount: 1 });
      await refused(400, 'InvalidPaymentStatus', `/payments/${partly.id}/capture`);
      const cancelled = await shop.paid();
      await shop.ask('POST', `/payments/${cancelled.id}/cancel`);
      for (const operation of ['capture', 'cancel', 'refund'])
        await refused(400, 'InvalidPaymentStatus', `/payments/${cancelled.id}/${operation}`);
    });
  });

  it("422 for a currency other than the session's without an amount, whatever the order costs", async () => {
    const { shop } = http;
    const clientToken = await shop.session();
    const paymentMethodToken = await shop.tokenize(clientToken);
    const order = { lineItems: [{ amount: 700 }] };
    const { error } = await refused(422, 'RequestValidationError', '/payments', {
      clientToken,
      paymentMethodToken,
      currencyCode: 'USD',
      order,
    });
    expect(error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path))).to.deep.equal([
      '$.amount',
    ]);
  });

  it('400 IncorrectPaymentAuthorizationType: a FINAL authorization is not adjusted', async () => {
    const { id } = await http.shop.paid();
    const { error } = await refused(400, 'IncorrectPaymentAuthorizationType', `/payments/${id}/adjust-authorization`, {
      amount: 5,
    });
    expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, 'AUTHORIZED']);
  });

  describe('409 ClientSessionCompleted', () => {
    for (const [what, card] of [
      ['authorized', CARDS.approved],
      ['pending', CARDS.pendingForEver],
      ['unknown', CARDS.unknown],
    ] as const) {
      it(`names the payment, while that is ${what}: no second one, no PATCH, no token`, async () => {
        const { shop, request, stores } = http;
        const clientToken = await shop.session();
        const second = await shop.tokenize(clientToken);
        const paid = await shop.ask('POST', '/payments', {
          clientToken,
          paymentMethodToken: await shop.tokenize(clientToken, card),
        });
        const { id } = bodyOf(paid, z.looseObject({ id: z.string() }));
        const answers = [
          await refused(409, 'ClientSessionCompleted', '/payments', { clientToken, paymentMethodToken: second }),
          await refused(409, 'ClientSessionCompleted', '/client-session', { clientToken, amount: 5 }, 'PATCH'),
          await refused(409, 'ClientSessionCompleted', '/client-session/client-token', { clientToken }),
        ];
        expect(answers.map(({ error }) => error?.paymentId)).to.deep.equal([id, id, id]);
        const { answer, types } = await appendedBy(stores.events, () =>
          request('POST', '/checkout/payments', { token: clientToken, body: { paymentMethodToken: second } }),
        );
        expect([answer.status, answer.error?.errorId, types]).to.deep.equal([409, 'ClientSessionCompleted', []]);
      });
    }

    it('is over when the payment is', async () => {
      const { shop } = http;
      const clientToken = await shop.session();
      const paid = await shop.ask('POST', '/payments', {
        clientToken,
        paymentMethodToken: await shop.tokenize(clientToken),
      });
      await shop.ask('POST', `/payments/${bodyOf(paid, z.looseObject({ id: z.string() })).id}/cancel`);
      expect((await shop.ask('PATCH', '/client-session', { clientToken, amount: 5 })).status).to.equal(200);
    });
  });

  describe('409 PaymentOperationInProgress', () => {
    it('is for capture, adjust and refund while the authorization is unknown; it says when to ask again', async () => {
      const { shop } = http;
      const { id } = await shop.paid({ card: CARDS.lost, ...ESTIMATED });
      for (const [operation, body] of [
        ['capture', undefined],
        ['adjust-authorization', { amount: 5 }],
        ['refund', undefined],
      ] as const) {
        const { error, headers } = await refused(
          409,
          'PaymentOperationInProgress',
          `/payments/${id}/${operation}`,
          body,
        );
        expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, 'PENDING']);
        expect(Number(headers['retry-after'])).to.be.within(1, 30);
      }
    });
  });

  describe('409 PaymentOperationInProgress, while the processor has accepted something and not confirmed it,', () => {
    const SETTLING = { card: CARDS.captureLater, ...ESTIMATED };
    const PENDING = { card: CARDS.pendingForEver, ...ESTIMATED };
    const PENDINGS: readonly (readonly [string, string, () => Promise<{ readonly id: string }>])[] = [
      ['capture', 'PENDING', () => http.shop.paid(PENDING)],
      ['adjust-authorization', 'PENDING', () => http.shop.paid(PENDING)],
      ['refund', 'PENDING', () => http.shop.paid(PENDING)],
      ['capture', 'SETTLING', () => http.shop.captured(SETTLING)],
      ['cancel', 'SETTLING', () => http.shop.captured(SETTLING)],
      ['adjust-authorization', 'SETTLING', () => http.shop.captured(SETTLING)],
      ['refund', 'SETTLING', () => http.shop.captured(SETTLING)],
    ];
    for (const [operation, paymentStatus, make] of PENDINGS) {
      it(`is for ${operation} of a payment that is ${paymentStatus}`, async () => {
        const { id } = await make();
        const body = operation.startsWith('adjust') ? { amount: 5 } : undefined;
        const { error, headers } = await refused(
          409,
          'PaymentOperationInProgress',
          `/payments/${id}/${operation}`,
          body,
        );
        expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, paymentStatus]);
        expect(Number(headers['retry-after'])).to.be.within(1, 30);
      });
    }

    it('is for a further capture beside a pending refund; a further refund passes', async () => {
      const { shop } = http;
      const { id } = await shop.paid({ card: CARDS.refundLater });
      await shop.ask('POST', `/payments/${id}/capture`, { amount: 400, final: false });
      await shop.ask('POST', `/payments/${id}/refund`, { amount: 100 });
      await refused(409, 'PaymentOperationInProgress', `/payments/${id}/capture`);
      expect((await shop.ask('POST', `/payments/${id}/refund`, { amount: 300 })).status).to.equal(200);
    });
  });

  it('409 PaymentAlreadyRefunded says of one capture that it is exhausted', async () => {
    const { shop } = http;
    const { id } = await shop.paid();
    await shop.ask('POST', `/payments/${id}/capture`, { amount: 400, final: false });
    await shop.ask('POST', `/payments/${id}/capture`, { amount: 600 });
    const Events = z.looseObject({
      transactions: z.array(z.looseObject({ events: z.array(z.looseObject({ id: z.string(), type: z.string() })) })),
    });
    const { transactions } = bodyOf(await shop.ask('GET', `/payments/${id}?expand=transactions.events`), Events);
    const transactionEventId = transactions[0]?.events.find(({ type }) => type === 'CAPTURE_SUCCEEDED')?.id;
    expect((await shop.ask('POST', `/payments/${id}/refund`, { transactionEventId })).status).to.equal(200);
    const { error } = await refused(409, 'PaymentAlreadyRefunded', `/payments/${id}/refund`, { transactionEventId });
    expect(error?.description).to.match(
      /^The capture named by transactionEventId is fully refunded or being refunded\. 600 can still be refunded /,
    );
  });

  it('409 PaymentAlreadyRefunded when the whole amount is refunded, even while a refund is pending', async () => {
    const { shop } = http;
    for (const card of [CARDS.approved, CARDS.refundLater]) {
      const { id } = await shop.captured({ card });
      await shop.ask('POST', `/payments/${id}/refund`);
      for (const body of [undefined, { amount: 1 }]) {
        const { error } = await refused(409, 'PaymentAlreadyRefunded', `/payments/${id}/refund`, body);
        expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, 'SETTLED']);
      }
    }
  });

  it('409 PaymentInstrumentVaultedElsewhere', async () => {
    const token = await http.shop.vaulted('c-1', CARDS.otherApproved);
    await refused(409, 'PaymentInstrumentVaultedElsewhere', `/payment-instruments/${token}/vault`, {
      customerId: 'c-2',
    });
  });

  it('422 UnprocessableCaptureAmount for more than is left', async () => {
    const { id } = await http.shop.paid();
    const { error } = await refused(422, 'UnprocessableCaptureAmount', `/payments/${id}/capture`, { amount: 1001 });
    expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, 'AUTHORIZED']);
    await http.shop.ask('POST', `/payments/${id}/capture`, { amount: 600, final: false });
    await refused(422, 'UnprocessableCaptureAmount', `/payments/${id}/capture`, { amount: 401 });
  });

  it('422 UnprocessableRefundAmount for more than is left', async () => {
    const { id } = await http.shop.captured();
    const { error } = await refused(422, 'UnprocessableRefundAmount', `/payments/${id}/refund`, { amount: 1001 });
    expect([error?.paymentId, error?.paymentStatus]).to.deep.equal([id, 'SETTLED']);
  });

  it('422 on $.transactionEventId when no capture has such an event', async () => {
    const { id } = await http.shop.captured();
    const { error } = await refused(422, 'RequestValidationError', `/payments/${id}/refund`, {
      transactionEventId: 'evt_1',
    });
    expect(error?.validationErrors?.[0]?.errors[0]?.path).to.equal('$.transactionEventId');
  });

  describe('refused at once by the processor: 422 with status and reason, and a payment as the processor shows it', () => {
    /** Somebody voids the authorization in the processor's own back office; no notification says so. */
    const voidOverThere = async (id: string): Promise<void> => {
      const { stores, shop } = http;
      const { processor } = bodyOf(
        await shop.ask('GET', `/payments/${id}`),
        z.looseObject({ processor: z.looseObject({ processorTransactionId: z.string() }) }),
      );
      const { processorTransactionId } = processor;
      const request = {
        operation: 'cancellation',
        reference: `${id}.office`,
        accountId: shop.accountId,
        paymentId: id,
        amount: 0,
        currencyCode: 'EUR',
        requestedAt: 0,
      } as const;
      const done = await stores.sandbox.perform({ ...request, authorization: { processorTransactionId } }, callOf());
      expect(done.kind).to.equal('succeeded');
    };
    /** `found`: the fact that the read after the refusal puts on record. */
    const refusedThere = async (
      errorId: string,
      id: string,
      operation: string,
      { body, found }: { readonly body?: object; readonly found?: string } = {},
    ): Promise<void> => {
      const before = await statusOf(id);
      const { answer, types } = await appendedBy(http.stores.events, () =>
        http.shop.ask('POST', `/payments/${id}/${operation}`, body),
      );
      expect([answer.status, answer.error?.errorId]).to.deep.equal([422, errorId]);
      expect(types)
        .to.have.length(found === undefined ? 2 : 4)
        .and.to.include(`payment ${errorId}`);
      if (found !== undefined) expect(types).to.include(`payment ${found}`);
      expect(answer.error).to.include({ paymentId: id, paymentStatus: before });
      expect(answer.error?.statusReason).to.have.property('type');
      expect(await statusOf(id)).to.equal(found === undefined ? before : 'CANCELLED');
    };

    it('CaptureDeclined', async () => {
      const { id } = await http.shop.paid({ card: CARDS.secondCaptureDeclined });
      await http.shop.ask('POST', `/payments/${id}/capture`, { amount: 100, final: false });
      await refusedThere('CaptureDeclined', id, 'capture');
    });
    it('CancellationDeclined', async () => {
      const { id } = await http.shop.paid();
      await voidOverThere(id);
      await refusedThere('CancellationDeclined', id, 'cancel', { found: 'VoidedOutside' });
    });
    it('RefundDeclined', async () => {
      const { id } = await http.shop.captured({ card: CARDS.refundDeclined });
      await refusedThere('RefundDeclined', id, 'refund', { body: { amount: 5 } });
    });
    it('AdjustmentDeclined', async () => {
      const { id } = await http.shop.paid(ESTIMATED);
      await voidOverThere(id);
      await refusedThere('AdjustmentDeclined', id, 'adjust-authorization', {
        body: { amount: 5 },
        found: 'VoidedOutside',
      });
    });
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
