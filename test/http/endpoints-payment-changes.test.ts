// Capture, cancel, refund and adjust without faults: their answers, and the events in the log (contract §4).
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

describe('changes of payments over HTTP', () => {
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

  describe('POST /payments/{id}/capture', () => {
    it('without an amount takes the rest, and the payment is SETTLED', async () => {
      const { shop, stores } = http;
      const { id } = await shop.paid();
      const captured = await appendedBy(stores.events, () => shop.ask('POST', `/payments/${id}/capture`));
      expect([captured.answer.status, captured.answer.headers.etag]).to.deep.equal([200, '"4"']);
      expect(money(captured.answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 1000, 0]);
      expect(captured.types).to.deep.equal(['payment CaptureRequested', 'payment PaymentCaptured']);
      expectCausedBy(captured, shop.accountId, actor());
    });

    it('takes parts while they are not final, and then the rest', async () => {
      const { shop } = http;
      const { id } = await shop.paid();
      const capture = async (body: object): Promise<unknown> =>
        money(await shop.ask('POST', `/payments/${id}/capture`, body));
      expect(await capture({ amount: 300, final: false })).to.deep.equal(['PARTIALLY_SETTLED', 1000, 700, 300, 300, 0]);
      expect(await capture({ amount: 200, final: false })).to.deep.equal(['PARTIALLY_SETTLED', 1000, 500, 500, 500, 0]);
      expect(await capture({})).to.deep.equal(['SETTLED', 1000, 0, 1000, 1000, 0]);
    });

    it('releases the rest with a final part', async () => {
      const { shop } = http;
      const { id } = await shop.paid();
      const answer = await shop.ask('POST', `/payments/${id}/capture`, { amount: 400 });
      expect(money(answer)).to.deep.equal(['PARTIALLY_SETTLED', 1000, 0, 400, 400, 0]);
    });

    it('merges its metadata by key', async () => {
      const { shop } = http;
      const { id } = await shop.paid({ session: { metadata: { a: 1, b: { c: 2 } } } });
      const answer = await shop.ask('POST', `/payments/${id}/capture`, { metadata: { b: null, d: [] } });
      expect(answer.body).to.deep.include({ metadata: { a: 1, b: null, d: [] } });
    });

    it('that the processor confirms later is SETTLING', async () => {
      const { shop, stores } = http;
      const { id } = await shop.paid({ card: CARDS.captureLater });
      const captured = await appendedBy(stores.events, () => shop.ask('POST', `/payments/${id}/capture`));
      expect(captured.answer.status).to.equal(200);
      expect(money(captured.answer)).to.deep.equal(['SETTLING', 1000, 0, 0, 0, 0]);
      expect(captured.types).to.deep.equal(['payment CaptureRequested', 'payment CapturePending']);
    });
  });

  describe('POST /payments/{id}/cancel', () => {
    it('voids an authorization', async () => {
      const { shop, stores } = http;
      const { id } = await shop.paid();
      const cancelled = await appendedBy(stores.events, () =>
        shop.ask('POST', `/payments/${id}/cancel`, { reason: 'changed my mind' }),
      );
      expect([cancelled.answer.status, cancelled.answer.headers.etag]).to.deep.equal([200, '"4"']);
      expect(money(cancelled.answer)).to.deep.equal(['CANCELLED', 1000, 0, 0, 0, 0]);
      expect(cancelled.types).to.deep.equal([
        'payment CancellationRequested',
        'payment AuthorizationVoided',
        'clientSession ClientSessionReleased',
      ]);
      expectCausedBy(cancelled, shop.accountId, actor());
    });

    it('releases the open rest of a partly captured payment, whose status stays', async () => {
      const { shop } = http;
      const { id } = await shop.paid();
      await shop.ask('POST', `/payments/${id}/capture`, { amount: 300, final: false });
      expect(money(await shop.ask('POST', `/payments/${id}/cancel`))).to.deep.equal([
        'PARTIALLY_SETTLED',
        1000,
        0,
        300,
        300,
        0,
      ]);
    });

    it('of a payment whose authorization is under way is a 202 that waits for it', async () => {
      const { shop, stores } = http;
      const { id } = paymentOf(await shop.pay({ card: CARDS.pendingForEver }));
      const cancelled = await appendedBy(stores.events, () => shop.ask('POST', `/payments/${id}/cancel`));
      expect([cancelled.answer.status, paymentOf(cancelled.answer).status]).to.deep.equal([202, 'PENDING']);
      expect(cancelled.types).to.deep.equal(['payment CancellationIntended']);
    });
  });

  describe('POST /payments/{id}/refund', () => {
    it('without an amount gives back the rest', async () => {
      const { shop, stores } = http;
      const { id } = await shop.captured();
      const refunded = await appendedBy(stores.events, () => shop.ask('POST', `/payments/${id}/refund`));
      expect([refunded.answer.status, refunded.answer.headers.etag]).to.deep.equal([200, '"6"']);
      expect(money(refunded.answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 0, 1000]);
      expect(refunded.types).to.deep.equal(['payment RefundRequested', 'payment RefundSucceeded']);
      expectCausedBy(refunded, shop.accountId, actor());
    });

    it('gives back parts, each a transaction of its own', async () => {
      const { shop } = http;
      const { id } = await shop.captured();
      await shop.ask('POST', `/payments/${id}/refund`, { amount: 100, orderId: 'r-1', reason: 'scratched' });
      const answer = await shop.ask('POST', `/payments/${id}/refund`, { amount: 250 });
      expect(money(answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 650, 350]);
      const { transactions } = bodyOf(answer, Transactions);
      expect(
        transactions.map(({ transactionType, amount, status, orderId, reason }) => [
          transactionType,
          amount,
          status,
          orderId,
          reason,
        ]),
      ).to.deep.equal([
        ['SALE', 1000, 'SETTLED', 'o-1', undefined],
        ['REFUND', 100, 'SETTLED', 'r-1', 'scratched'],
        ['REFUND', 250, 'SETTLED', undefined, undefined],
      ]);
    });

    it('is taken from the capture that its event is named of', async () => {
      const { shop } = http;
      const { id } = await shop.paid();
      await shop.ask('POST', `/payments/${id}/capture`, { amount: 300, final: false });
      await shop.ask('POST', `/payments/${id}/capture`, { amount: 700 });
      const { transactions } = bodyOf(
        await shop.ask('GET', `/payments/${id}?expand=transactions.events`),
        Transactions,
      );
      const first = transactions[0]?.events?.find(({ type, amount }) => type === 'CAPTURE_REQUESTED' && amount === 300);
      const transactionEventId = String(first?.['id']);
      const tooMuch = await shop.ask('POST', `/payments/${id}/refund`, { amount: 301, transactionEventId });
      expect(tooMuch.error?.errorId).to.equal('UnprocessableRefundAmount');
      const answer = await shop.ask('POST', `/payments/${id}/refund`, { transactionEventId });
      expect(money(answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 700, 300]);
    });

    it('that the processor decides later is PENDING, and reserves', async () => {
      const { shop } = http;
      const { id } = await shop.captured({ card: CARDS.refundLater });
      const answer = await shop.ask('POST', `/payments/${id}/refund`, { amount: 400 });
      expect(answer.status).to.equal(200);
      expect(money(answer)).to.deep.equal(['SETTLED', 1000, 0, 1000, 600, 0]);
      expect(bodyOf(answer, Transactions).transactions[1]).to.include({
        transactionType: 'REFUND',
        status: 'PENDING',
        amount: 400,
      });
    });
  });

  describe('POST /payments/{id}/adjust-authorization', () => {
    it('authorizes another total, higher or lower', async () => {
      const { shop, stores } = http;
      const { id } = await shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } });
      const raised = await appendedBy(stores.events, () =>
        shop.ask('POST', `/payments/${id}/adjust-authorization`, { amount: 1500 }),
      );
      expect([raised.answer.status, raised.answer.headers.etag]).to.deep.equal([200, '"4"']);
      expect(money(raised.answer)).to.deep.equal(['AUTHORIZED', 1500, 1500, 0, 0, 0]);
      expect(raised.types).to.deep.equal(['payment AdjustmentRequested', 'payment AuthorizationAdjusted']);
      expectCausedBy(raised, shop.accountId, actor());
      const lowered = await shop.ask('POST', `/payments/${id}/adjust-authorization`, { amount: 1 });
      expect(money(lowered)).to.deep.equal(['AUTHORIZED', 1, 1, 0, 0, 0]);
      expect(lowered.body).to.include({ amount: 1 });
    });
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
