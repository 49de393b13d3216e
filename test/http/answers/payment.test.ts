// Payments on their way out: the object, its transactions, the list's item, the checkout's reduced one, and its
// history.
import { expect } from 'chai';
import type { Operation } from '../../../src/domain/operation.ts';
import { declineReason } from '../../../src/domain/payment/decline-reason.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { CheckoutPaymentAnswer, checkoutPaymentAnswer } from '../../../src/http/answers/checkout-session.ts';
import { PaymentAnswer, PaymentListAnswer, paymentAnswer, paymentItem } from '../../../src/http/answers/payment.ts';
import { PaymentEventAnswer, paymentEventAnswer } from '../../../src/http/answers/payment-event.ts';
import {
  adjustmentRequested,
  authorizationRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  created,
  estimated,
  holdExpired,
  id,
  isPending,
  isUnknown,
  known,
  mismatched,
  partlySettled,
  pending,
  place,
  refundRequested,
  settle,
  success,
  wasDeclined,
  wasNotFound,
  wasNotSent,
  wentThrough,
} from '../../domain/payment/story.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(payment);
const of = (...events: readonly PaymentEvent[]) => known(given(...events).state);
/** The answer as JSON, which leaves out members that are undefined. */
const sent = (answer: object): unknown => JSON.parse(JSON.stringify(answer));
const answer = (...events: readonly PaymentEvent[]) =>
  PaymentAnswer.parse(sent(paymentAnswer('pay_1', events.length - 1, of(...events))));

const checkedAs = (avsResult: string, cvcResult: string): PaymentEvent => {
  const told = { processorTransactionId: 'tx_a', amount: 1_000, currencyCode: 'EUR', avsResult, cvcResult };
  const learnt = { attemptId: id('a'), evidence: { source: 'answer' }, ...place } as const;
  return { type: 'PaymentAuthorized', data: { ...learnt, ...told } };
};

describe('the answer about a payment', () => {
  it("has one of the contract's words for each check, and any word of the processor", () => {
    const checked = (avsResult: string, cvcResult: string): object =>
      paymentAnswer('pay_1', 2, of(...pending, checkedAs(avsResult, cvcResult))).processor;
    expect(checked('MATCH', 'NO_MATCH')).to.include({ avsResult: 'MATCH', cvcResult: 'NO_MATCH' });
    expect(checked('NOT_CHECKED', 'M')).to.include({ avsResult: 'NOT_CHECKED', cvcResult: 'UNAVAILABLE' });
  });

  it('is the object of the contract, without internal members', () => {
    expect(answer(...authorized)).to.deep.equal({
      id: 'pay_1',
      date: '1970-01-01T00:00:01.001Z',
      dateUpdated: '1970-01-01T00:00:01.002Z',
      status: 'AUTHORIZED',
      outcomeKnown: true,
      orderId: 'order-1',
      currencyCode: 'EUR',
      amount: 1_000,
      paymentMethod: {
        paymentMethodToken: 'pm_1',
        paymentMethodType: 'PAYMENT_CARD',
        paymentMethodData: {
          network: 'VISA',
          first6Digits: '424242',
          last4Digits: '4242',
          expirationMonth: '12',
          expirationYear: '2030',
        },
        isVaulted: false,
        authorizationType: 'FINAL',
        captureMode: 'MANUAL',
      },
      processor: {
        name: 'sandbox',
        processorTransactionId: 'tx_a',
        amountAuthorized: 1_000,
        amountCapturable: 1_000,
        amountCaptured: 0,
        amountRefundable: 0,
        amountRefunded: 0,
      },
      transactions: [
        {
          id: 'pay_1.a',
          transactionType: 'SALE',
          amount: 1_000,
          currencyCode: 'EUR',
          status: 'AUTHORIZED',
          date: '1970-01-01T00:00:01.001Z',
          orderId: 'order-1',
          processorTransactionId: 'tx_a',
        },
      ],
      version: 2,
    });
  });

  it('explains a decline, at the payment and at its sale', () => {
    const { status, statusReason, transactions } = answer(...pending, wasDeclined('a', 'authorization'));
    const reason = declineReason({ code: 'GENERIC_DECLINE', declineType: 'HARD' }, 'authorization');
    expect({ status, statusReason }).to.deep.equal({ status: 'DECLINED', statusReason: reason });
    expect(transactions[0]).to.deep.include({ status: 'DECLINED', statusReason: reason });
  });

  it('has a transaction for every refund: PENDING, SETTLED or FAILED', () => {
    const refunds = [refundRequested('r', 100, 'c'), refundRequested('s', 100, 'c'), refundRequested('t', 100, 'c')];
    const { transactions, processor } = answer(
      ...partlySettled,
      ...refunds,
      wentThrough('s', 'refund', 100),
      wasDeclined('t', 'refund'),
    );
    expect(
      transactions.map(({ id, transactionType, status, amount }) => [id, transactionType, status, amount]),
    ).to.deep.equal([
      ['pay_1.a', 'SALE', 'PARTIALLY_SETTLED', 1_000],
      ['ref_r', 'REFUND', 'PENDING', 100],
      ['ref_s', 'REFUND', 'SETTLED', 100],
      ['ref_t', 'REFUND', 'FAILED', 100],
    ]);
    expect(processor).to.include({ amountCaptured: 400, amountRefunded: 100, amountRefundable: 200 });
    expect(transactions[3]?.statusReason?.code).to.equal('GENERIC_DECLINE');
  });

  it('tells the events of each transaction when it is asked to', () => {
    const events = [...partlySettled, refundRequested('r', 100, 'c'), wentThrough('r', 'refund', 100)];
    const { transactions } = PaymentAnswer.parse(
      sent(paymentAnswer('pay_1', 6, of(...events), { expandEvents: true })),
    );
    const told = transactions.map((one) =>
      one.events?.map(({ id, type, amount, final, evidence }) => [id, type, amount, final, evidence]),
    );
    expect(told).to.deep.equal([
      [
        ['evt_event-1', 'AUTHORIZATION_REQUESTED', 1_000, undefined, undefined],
        ['evt_event-2', 'AUTHORIZATION_SUCCEEDED', 1_000, undefined, 'answer'],
        ['evt_event-3', 'CAPTURE_REQUESTED', 400, false, undefined],
        ['evt_event-4', 'CAPTURE_SUCCEEDED', 400, false, 'answer'],
      ],
      [
        ['evt_event-5', 'REFUND_REQUESTED', 100, undefined, undefined],
        ['evt_event-6', 'REFUND_SUCCEEDED', 100, undefined, 'answer'],
      ],
    ]);
    expect(answer(...events).transactions[0]).to.not.have.property('events');
  });

  it('names an event by its operation and its outcome', () => {
    const types = (...events: readonly PaymentEvent[]) =>
      paymentAnswer('pay_1', 0, of(...events), { expandEvents: true }).transactions.flatMap(
        (one) => one.events?.map(({ type }) => type) ?? [],
      );
    const doubted = (name: string, operation: Operation) => [isUnknown(name, operation), isPending(name, operation)];
    expect(types(...pending, ...doubted('a', 'authorization'), wasNotSent('a', 'authorization'))).to.deep.equal([
      'AUTHORIZATION_REQUESTED',
      'AUTHORIZATION_UNKNOWN',
      'AUTHORIZATION_PENDING',
      'AUTHORIZATION_NOT_SENT',
    ]);
    expect(types(...mismatched, cancellationRequested('v'), wasDeclined('v', 'cancellation')).slice(1)).to.deep.equal([
      'AUTHORIZATION_UNKNOWN',
      'CANCELLATION_REQUESTED',
      'CANCELLATION_DECLINED',
    ]);
    expect(
      types(...estimated, adjustmentRequested('b', 5), wasNotFound('b', 'adjustment'), holdExpired).slice(2),
    ).to.deep.equal(['ADJUSTMENT_REQUESTED', 'ADJUSTMENT_NOT_FOUND', 'AUTHORIZATION_EXPIRED']);
  });

  it('keeps the reversal of a late success out of the refunds, and in the story of the sale', () => {
    const cancelled = [...authorized, captureRequested('c', 400), wasDeclined('c', 'capture')];
    const { state } = given(...cancelled, holdExpired).when(settle('c', success('c', 400)));
    const { transactions } = PaymentAnswer.parse(sent(paymentAnswer('pay_1', 7, known(state), { expandEvents: true })));
    expect(transactions.map(({ transactionType }) => transactionType)).to.deep.equal(['SALE']);
    expect(transactions[0]?.events?.slice(-2).map(({ type }) => type)).to.deep.equal([
      'CAPTURE_SUCCEEDED',
      'REFUND_REQUESTED',
    ]);
  });
});

describe('the answer about many payments', () => {
  it('is a page of items', () => {
    const doc = of(created({ customerId: 'cus_1', metadata: { a: null } }), authorizationRequested);
    const page = PaymentListAnswer.parse({ data: [paymentItem('pay_1', 1, doc)], nextCursor: 'cursor' });
    expect(page.data[0]).to.have.all.keys(
      ...['id', 'date', 'dateUpdated', 'status', 'orderId', 'currencyCode', 'amount', 'customerId', 'processor'],
      ...['paymentMethod', 'metadata', 'version'],
    );
    expect(page.data[0]?.paymentMethod).to.have.all.keys('paymentMethodType', 'paymentMethodData');
    expect(page.data[0]?.metadata).to.deep.equal({ a: null });
  });
});

describe('the answer to a checkout', () => {
  it('has the members that the browser needs, and of a decline only its code', () => {
    const shown = CheckoutPaymentAnswer.parse(
      checkoutPaymentAnswer('pay_1', of(...pending, wasDeclined('a', 'authorization'))),
    );
    expect(shown).to.deep.equal({
      id: 'pay_1',
      status: 'DECLINED',
      amount: 1_000,
      currencyCode: 'EUR',
      paymentMethodType: 'PAYMENT_CARD',
      statusReason: { code: 'GENERIC_DECLINE' },
    });
    expect(checkoutPaymentAnswer('pay_1', of(...pending))).to.not.have.property('statusReason');
  });
});

describe('the answer about the history of a payment', () => {
  const metadata = {
    accountId: 'acc_1',
    actor: { kind: 'apiKey' as const, id: 'key_1' },
    recordedAt: 5,
    $correlationId: 'r',
    $causationId: 'r',
    operationId: 'op',
    schemaVersion: 1,
    previousHash: '',
  };
  const shown = (event: PaymentEvent) =>
    PaymentEventAnswer.parse(paymentEventAnswer({ event, recorded: { id: 'uuid', revision: 3, at: 5 }, metadata }));

  it('has actor, fact and time of each event, with times as text', () => {
    expect(shown(captureRequested('c', 400))).to.deep.equal({
      id: 'evt_uuid',
      type: 'CaptureRequested',
      date: '1970-01-01T00:00:00.005Z',
      revision: 3,
      actor: { kind: 'apiKey', id: 'key_1' },
      data: {
        attemptId: 'pay_1.c',
        reference: referenceOf('pay_1.c'),
        amount: 400,
        currencyCode: 'EUR',
        final: true,
        requestedAt: '1970-01-01T00:16:40.000Z',
        sendBy: '1970-01-01T00:16:45.000Z',
        nextLookUpAt: '1970-01-01T00:17:10.000Z',
      },
    });
  });

  it('has the end of the hold as text, where it is a valid time', () => {
    const event = wentThrough('a', 'authorization', 1_000);
    if (event.type !== 'PaymentAuthorized') throw new Error('another event');
    const holdExpiresAtOf = (ms: number) =>
      shown({ ...event, data: { ...event.data, holdExpiresAt: ms } }).data['holdExpiresAt'];
    expect(holdExpiresAtOf(86_400_000)).to.equal('1970-01-02T00:00:00.000Z');
    expect(holdExpiresAtOf(9e15)).to.equal(9e15);
  });

  it('leaves out the names of the card at the processor and in the store, and the account', () => {
    const made = JSON.stringify(shown(created({ metadata: { fingerprint: 'mine' } })).data);
    expect(made).to.include('"fingerprint":"mine"').and.not.include('ffff').and.not.include('acc_1');
    expect(JSON.stringify(shown(authorizationRequested).data))
      .to.include('sandbox')
      .and.not.include('tok_1');
    const event = wentThrough('a', 'authorization', 1_000);
    if (event.type !== 'PaymentAuthorized') throw new Error('another event');
    const told = shown({
      ...event,
      data: { ...event.data, evidence: { source: 'answer', sentAt: 0, detail: 'known' } },
    });
    expect(told.data['evidence']).to.deep.equal({
      source: 'answer',
      sentAt: '1970-01-01T00:00:00.000Z',
      detail: 'known',
    });
  });

  it('shows no unlisted member of an event', () => {
    const event = wentThrough('a', 'authorization', 1_000);
    if (event.type !== 'PaymentAuthorized') throw new Error('another event');
    const more = {
      ...event,
      data: { ...event.data, secret: 'x', evidence: { source: 'answer' as const, received: { card: 1 } } },
    };
    expect(JSON.stringify(shown(more).data))
      .to.not.include('secret')
      .and.not.include('received');
  });
});
