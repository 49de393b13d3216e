// Refund: within what was captured, oldest capture first, beside everything else (contract §4).
import { expect } from 'chai';
import { requestRefund } from '../../../src/domain/payment/refund.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  authorized,
  captureRequested,
  id,
  isPending,
  isUnknown,
  known,
  partlySettled,
  pending,
  refundRequested,
  settled,
  timing,
  wasDeclined,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const refund = (name: string, amount?: number, transactionEventId?: string) =>
  requestRefund({ attemptId: id(name), refundId: `ref_${name}`, amount, transactionEventId, ...timing });

describe('refunding a payment', () => {
  it('gives back all that is left when no amount is sent', () => {
    given(...settled)
      .when(refund('r'))
      .then(refundRequested('r', 1_000, 'c'));
    given(...settled, refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300))
      .when(refund('s'))
      .then(refundRequested('s', 700, 'c'));
  });

  it('leaves the status as it is, and tells by its amounts', () => {
    const { state } = given(...settled, refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300));
    expect(known(state)).to.include({
      status: 'SETTLED',
      amountCaptured: 1_000,
      amountRefunded: 300,
      amountRefundable: 700,
    });
  });

  it('keeps order, reason and id with the transaction', () => {
    const { state } = given(...settled).when(
      requestRefund({
        attemptId: id('r'),
        refundId: 'ref_r',
        amount: 1,
        orderId: 'return-7',
        reason: 'broken',
        ...timing,
      }),
    );
    const allocations = [{ attemptId: id('c'), amount: 1 }];
    expect(known(state).attempts.at(-1)?.refund).to.deep.equal({
      refundId: 'ref_r',
      orderId: 'return-7',
      reason: 'broken',
      allocations,
    });
  });

  it('reserves while it is not settled, and gives back when it failed', () => {
    for (const word of [isPending('r', 'refund'), isUnknown('r', 'refund')]) {
      const before = [...settled, refundRequested('r', 300, 'c'), word];
      expect(known(given(...before).state)).to.include({
        amountRefunded: 0,
        amountRefundPending: 300,
        amountRefundable: 700,
      });
      const failed = given(...before, wasDeclined('r', 'refund'));
      expect(known(failed.state)).to.include({ status: 'SETTLED', amountRefundPending: 0, amountRefundable: 1_000 });
    }
  });

  it('passes beside other attempts, open, unknown or pending, within what is refundable', () => {
    for (const before of [
      [...settled, refundRequested('r', 300, 'c')],
      [...settled, refundRequested('r', 300, 'c'), isUnknown('r', 'refund')],
      [...settled, refundRequested('r', 300, 'c'), isPending('r', 'refund')],
    ]) {
      given(...before)
        .when(refund('s', 700))
        .then(refundRequested('s', 700, 'c'));
      given(...before)
        .when(refund('s', 701))
        .thenRejected('UnprocessableRefundAmount', { paymentId: 'pay_1', paymentStatus: 'SETTLED' });
    }
    for (const word of [[], [isUnknown('d', 'capture')], [isPending('d', 'capture')]]) {
      given(...partlySettled, captureRequested('d', 100, false), ...word)
        .when(refund('r'))
        .then(refundRequested('r', 400, 'c'));
    }
  });

  it('of more than is left, or of nothing, is refused', () => {
    given(...settled)
      .when(refund('r', 1_001))
      .thenRejected('UnprocessableRefundAmount');
    given(...settled)
      .when(refund('r', 0))
      .thenRejected('UnprocessableRefundAmount');
  });

  it('is PaymentAlreadyRefunded when nothing is left, refunded or on its way', () => {
    const before = [...settled, refundRequested('r', 1_000, 'c')];
    const details = { paymentId: 'pay_1', paymentStatus: 'SETTLED' };
    given(...before)
      .when(refund('s'))
      .thenRejected('PaymentAlreadyRefunded', details);
    given(...before, wentThrough('r', 'refund', 1_000))
      .when(refund('s', 1))
      .thenRejected('PaymentAlreadyRefunded', details);
  });

  it('takes from the oldest capture first', () => {
    const two = [...partlySettled, captureRequested('d', 600), wentThrough('d', 'capture', 600)];
    const { state } = given(...two).when(refund('r', 500));
    expect(known(state).attempts.at(-1)?.refund?.allocations).to.deep.equal([
      { attemptId: id('c'), amount: 400 },
      { attemptId: id('d'), amount: 100 },
    ]);
  });

  it('takes from the one capture that an event of its belongs to, and no more than that', () => {
    const two = [...partlySettled, captureRequested('d', 600), wentThrough('d', 'capture', 600)];
    const requestEvent = `evt_event-${partlySettled.length}`;
    given(...two)
      .when(refund('r', undefined, requestEvent))
      .then(refundRequested('r', 600, 'd'));
    given(...two)
      .when(refund('r', undefined, `event-${partlySettled.length + 1}`))
      .then(refundRequested('r', 600, 'd'));
    given(...two)
      .when(refund('r', 601, requestEvent))
      .thenRejected('UnprocessableRefundAmount');
    given(...two, refundRequested('q', 600, 'd'))
      .when(refund('r', 1, requestEvent))
      .thenRejected('PaymentAlreadyRefunded', {
        description:
          'The capture named by transactionEventId is fully refunded or being refunded. 400 can still be refunded from the other captures.',
      });
    given(...two, refundRequested('q', 600, 'd'))
      .when(refund('r'))
      .then(refundRequested('r', 400, 'c'));
  });

  it('of several captures gives no more than is left in all, although late words took more from one than it had', () => {
    const late = [
      ...partlySettled,
      captureRequested('d', 600),
      wentThrough('d', 'capture', 600),
      refundRequested('r', 400, 'c'),
      wasDeclined('r', 'refund'),
      refundRequested('s', 400, 'c'),
      wentThrough('s', 'refund', 400),
      wentThrough('r', 'refund', 400),
    ];
    expect(known(given(...late).state)).to.include({
      amountCaptured: 1_000,
      amountRefunded: 800,
      amountRefundable: 200,
    });
    given(...late)
      .when(refund('t', 600))
      .thenRejected('UnprocessableRefundAmount', { description: 'Between 1 and 200 can be refunded.' });
    given(...late)
      .when(refund('t', 201, `event-${partlySettled.length}`))
      .thenRejected('UnprocessableRefundAmount');
    given(...late)
      .when(refund('t'))
      .then(refundRequested('t', 200, 'd'));
    given(...late, refundRequested('t', 200, 'd'))
      .when(refund('u', 1))
      .thenRejected('PaymentAlreadyRefunded', {
        description: 'The captured amount is fully refunded or being refunded.',
      });
  });

  it('is refused when the event is of no capture', () => {
    for (const event of ['evt_nothing', 'evt_event-1']) {
      given(...settled)
        .when(refund('r', 1, event))
        .thenRejected('RequestValidationError', {
          violations: [{ path: '$.transactionEventId', description: 'Must be the event id of a capture.' }],
        });
    }
  });

  it('is InvalidPaymentStatus before anything is captured, and 409 while that may change any moment', () => {
    given(...authorized)
      .when(refund('r'))
      .thenRejected('InvalidPaymentStatus', { paymentStatus: 'AUTHORIZED' });
    given(...pending, wasDeclined('a', 'authorization'))
      .when(refund('r'))
      .thenRejected('InvalidPaymentStatus', { paymentStatus: 'DECLINED' });
    for (const [status, word] of [
      ['AUTHORIZED', []],
      ['AUTHORIZED', [isUnknown('c', 'capture')]],
      ['SETTLING', [isPending('c', 'capture')]],
    ] as const) {
      given(...authorized, captureRequested('c', 1_000), ...word)
        .when(refund('r'))
        .thenRejected('PaymentOperationInProgress', { paymentStatus: status });
    }
  });

  it('does nothing when the attempt is there already, and of no payment is NotFound', () => {
    given(...settled, refundRequested('r', 300, 'c'))
      .when(refund('r', 300))
      .thenNothing();
    given().when(refund('r')).thenRejected('NotFound');
  });
});
