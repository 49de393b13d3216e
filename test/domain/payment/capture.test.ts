// Capture: what may be asked, how much, and when not (contract §4).
import { expect } from 'chai';
import { requestCapture } from '../../../src/domain/payment/change.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  adjustmentRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  estimated,
  id,
  isPending,
  isUnknown,
  known,
  mismatched,
  partlySettled,
  pending,
  refundRequested,
  settled,
  timing,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const capture = (name: string, amount?: number, final = true, metadata?: Record<string, unknown>) =>
  requestCapture({ attemptId: id(name), amount, final, metadata, ...timing });

describe('capturing a payment', () => {
  it('takes all that is left when no amount is sent', () => {
    given(...authorized)
      .when(capture('c'))
      .then(captureRequested('c', 1_000));
    given(...partlySettled)
      .when(capture('d'))
      .then(captureRequested('d', 600));
  });

  it('takes a part, and says whether the rest is released', () => {
    given(...authorized)
      .when(capture('c', 400, false))
      .then(captureRequested('c', 400, false));
  });

  it('does nothing when the attempt is there already', () => {
    given(...settled)
      .when(capture('c'))
      .thenNothing();
  });

  it('takes one minor unit', () =>
    given(...authorized)
      .when(capture('c', 1))
      .then(captureRequested('c', 1)));

  it('of more than is left, or of nothing, is refused', () => {
    const details = { paymentId: 'pay_1', paymentStatus: 'AUTHORIZED' };
    given(...authorized)
      .when(capture('c', 1_001))
      .thenRejected('UnprocessableCaptureAmount', details);
    given(...authorized)
      .when(capture('c', 0))
      .thenRejected('UnprocessableCaptureAmount', details);
    given(...partlySettled)
      .when(capture('d', 601))
      .thenRejected('UnprocessableCaptureAmount', { paymentStatus: 'PARTIALLY_SETTLED' });
  });

  it('counts the amount that an earlier capture may still take, even if its outcome is unknown, and frees it when the capture did not happen', () => {
    const before = [...authorized, captureRequested('c', 400, false)];
    expect(known(given(...before).state)).to.include({ amountCapturable: 600, amountCapturePending: 400 });
    expect(known(given(...before, isUnknown('c', 'capture')).state)).to.include({
      amountCapturable: 600,
      amountCapturePending: 400,
    });
    const after = [...before, isUnknown('c', 'capture'), wasNotFound('c', 'capture')];
    expect(known(given(...after).state)).to.include({
      amountCapturable: 1_000,
      amountCapturePending: 0,
      status: 'AUTHORIZED',
    });
    given(...after)
      .when(capture('d'))
      .then(captureRequested('d', 1_000));
  });

  it('merges metadata by key', () => {
    const first = given(...authorized, captureRequested('c', 400, false, { a: 1, b: { c: 1 } }));
    expect(known(first.state).metadata).to.deep.equal({ a: 1, b: { c: 1 } });
    const next = given(
      ...authorized,
      captureRequested('c', 400, false, { a: 1, b: { c: 1 } }),
      wentThrough('c', 'capture', 400),
    );
    const { state: merged } = next.when(capture('d', 100, false, { b: 2 }));
    expect(known(merged).metadata).to.deep.equal({ a: 1, b: 2 });
  });

  it('refuses metadata that grows past its limit by merging', () => {
    const large = 'x'.repeat(9_000);
    const before = [...authorized, captureRequested('c', 400, false, { one: large }), wentThrough('c', 'capture', 400)];
    given(...before)
      .when(capture('d', 100, true, { two: large }))
      .thenRejected('RequestValidationError');
    given(...before)
      .when(capture('d', 100, true, { one: large }))
      .then(captureRequested('d', 100, true, { one: large }));
  });

  it('is refused with InvalidPaymentStatus in every status but AUTHORIZED and PARTIALLY_SETTLED', () => {
    for (const [status, before] of [
      ['SETTLED', settled],
      ['PENDING', mismatched],
      ['DECLINED', [...pending, wasDeclined('a', 'authorization')]],
      ['CANCELLED', [...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 0)]],
    ] as const) {
      given(...before)
        .when(capture('x', 1))
        .thenRejected('InvalidPaymentStatus', { paymentId: 'pay_1', paymentStatus: status });
    }
  });

  it('is refused with InvalidPaymentStatus after a final capture of a part, whose rest is released', () => {
    const before = [...authorized, captureRequested('c', 400, true), wentThrough('c', 'capture', 400)];
    given(...before)
      .when(capture('d', 1))
      .thenRejected('InvalidPaymentStatus', { paymentStatus: 'PARTIALLY_SETTLED' });
  });

  it('waits with 409 while any attempt is open, unknown or pending, before its status counts', () => {
    for (const before of [
      pending,
      [...pending, isUnknown('a', 'authorization')],
      [...pending, isPending('a', 'authorization')],
      [...authorized, captureRequested('c', 400, false)],
      [...authorized, captureRequested('c', 400, false), isUnknown('c', 'capture')],
      [...authorized, captureRequested('c', 400, false), isPending('c', 'capture')],
      [...partlySettled, captureRequested('d', 100, false), isPending('d', 'capture')],
      [...authorized, cancellationRequested('v')],
      [...authorized, cancellationRequested('v'), isPending('v', 'cancellation')],
      [...estimated, adjustmentRequested('j', 900)],
      [...estimated, adjustmentRequested('j', 900), isPending('j', 'adjustment')],
      [...partlySettled, refundRequested('r', 100, 'c')],
      [...partlySettled, refundRequested('r', 100, 'c'), isPending('r', 'refund')],
      [...settled, refundRequested('r', 100, 'c')],
    ]) {
      given(...before)
        .when(capture('x', 1))
        .thenRejected('PaymentOperationInProgress', { paymentId: 'pay_1' });
    }
  });

  it('says when to come back: in a second while a call may run, otherwise when it is looked up', () => {
    const open = [...authorized, captureRequested('c', 400, false)];
    given(...open)
      .when(capture('x', 1))
      .thenRejected('PaymentOperationInProgress', { retryAfterSeconds: 1 });
    given(...open, isUnknown('c', 'capture'))
      .when(capture('x', 1))
      .thenRejected('PaymentOperationInProgress', { retryAfterSeconds: 30 });
    const late = requestCapture({ attemptId: id('x'), final: true, ...timing, at: AT + 40_000 });
    given(...open, isUnknown('c', 'capture'))
      .when(late)
      .thenRejected('PaymentOperationInProgress', { retryAfterSeconds: 1 });
  });

  it('of a payment that does not exist is NotFound', () => {
    given().when(capture('c')).thenRejected('NotFound');
    given({ type: 'PaymentAbandoned', data: { accountId: 'acc_1' } })
      .when(capture('c'))
      .thenRejected('NotFound');
  });
});
