// Cancel: voids what is held, now or as soon as it is known (contract §4).
import { expect } from 'chai';
import { requestCancellation } from '../../../src/domain/payment/change.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { dueLookUpAt } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  actionRequired,
  authorized,
  cancellationRequested,
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
  wasNotSent,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const cancel = (name: string, reason?: string) => requestCancellation({ attemptId: id(name), reason, ...timing });
/** The customer was asked to act, and the authorization can no longer take effect. */
const fenced: readonly PaymentEvent[] = [
  ...pending,
  actionRequired,
  { type: 'AttemptFenced', data: { attemptId: id('a'), operation: 'authorization', evidence: { source: 'lookup' } } },
];
const intended = (name: string): PaymentEvent => ({ type: 'CancellationIntended', data: { attemptId: id(name) } });

describe('cancelling a payment', () => {
  it('that is PENDING with nothing in flight cancels it here and now', () => {
    const event: PaymentEvent = { type: 'PaymentCancelled', data: { attemptId: id('x'), reason: 'changed my mind' } };
    given(...fenced)
      .when(cancel('x', 'changed my mind'))
      .then(event, { type: 'CustomerActionExpired', data: { attemptId: id('a') } });
    expect(known(given(...fenced, event).state).status).to.equal('CANCELLED');
    given(...fenced, event)
      .when(cancel('x'))
      .thenNothing();
  });

  it('that is AUTHORIZED keeps the reason, when there is one', () => {
    const asked = cancellationRequested('x');
    given(...authorized)
      .when(cancel('x', 'out of stock'))
      .then({ ...asked, data: { ...asked.data, reason: 'out of stock' } } as PaymentEvent);
    given(...authorized)
      .when(cancel('x'))
      .then(asked);
  });

  it('whose customer has to act falls due when the call for the fence is over, so that a crash before it loses nothing', () => {
    const asked = given(...pending, actionRequired).when(cancel('x'));
    asked.then({ type: 'CancellationIntended', data: { attemptId: id('x'), nextLookUpAt: timing.callEndsAt } });
    expect(dueLookUpAt(asked.state)).to.equal(timing.callEndsAt);
    expect(known(asked.state).attempts).to.have.length(1);
    expect(known(asked.state).attempts[0]).to.include({ attemptId: id('a'), state: 'action_required' });
  });

  it('that is PENDING with an open attempt keeps the wish, once', () => {
    for (const before of [
      pending,
      [...pending, isUnknown('a', 'authorization')],
      [...pending, isPending('a', 'authorization')],
    ]) {
      given(...before)
        .when(cancel('x'))
        .then(intended('x'));
      expect(known(given(...before, intended('x')).state).status).to.equal('PENDING');
      given(...before, intended('x'))
        .when(cancel('x'))
        .thenNothing();
      given(...before, intended('x'))
        .when(cancel('y'))
        .thenNothing();
    }
  });

  it('that is AUTHORIZED asks for a void', () => {
    given(...authorized)
      .when(cancel('v'))
      .then(cancellationRequested('v'));
    const after = given(...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 0));
    expect(known(after.state)).to.include({ status: 'CANCELLED', amountCapturable: 0, amountAuthorized: 1_000 });
    after.when(cancel('v')).thenNothing();
  });

  it('can be asked again when the void was refused or not sent', () => {
    for (const end of [wasDeclined('v', 'cancellation'), wasNotSent('v', 'cancellation')]) {
      const { state } = given(...authorized, cancellationRequested('v'), end);
      expect(known(state)).to.include({ status: 'AUTHORIZED', amountCapturable: 1_000 });
      given(...authorized, cancellationRequested('v'), end)
        .when(cancel('w'))
        .then(cancellationRequested('w'));
    }
  });

  it('that is PARTIALLY_SETTLED with an open rest releases the rest, and the status stays', () => {
    given(...partlySettled)
      .when(cancel('v'))
      .then(cancellationRequested('v'));
    const { state } = given(...partlySettled, cancellationRequested('v'), wentThrough('v', 'cancellation', 0));
    expect(known(state)).to.include({
      status: 'PARTIALLY_SETTLED',
      amountCapturable: 0,
      amountCaptured: 400,
      amountRefundable: 400,
    });
  });

  it('is refused with InvalidPaymentStatus when nothing is held', () => {
    const released = [...authorized, captureRequested('c', 400, true), wentThrough('c', 'capture', 400)];
    for (const [status, before] of [
      ['SETTLED', settled],
      ['PARTIALLY_SETTLED', released],
      ['DECLINED', [...pending, wasDeclined('a', 'authorization')]],
      ['FAILED', [...pending, wasNotSent('a', 'authorization')]],
      ['CANCELLED', [...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 0)]],
    ] as const) {
      given(...before)
        .when(cancel('x'))
        .thenRejected('InvalidPaymentStatus', { paymentId: 'pay_1', paymentStatus: status });
    }
  });

  it('that is AUTHORIZED or SETTLING waits with 409 while an attempt is open, unknown or pending', () => {
    const open = [...authorized, captureRequested('c', 400, false)];
    const voided = [...authorized, cancellationRequested('v')];
    for (const [status, before] of [
      ['AUTHORIZED', open],
      ['AUTHORIZED', [...open, isUnknown('c', 'capture')]],
      ['SETTLING', [...open, isPending('c', 'capture')]],
      ['AUTHORIZED', voided],
      ['AUTHORIZED', [...voided, isPending('v', 'cancellation')]],
    ] as const) {
      given(...before)
        .when(cancel('x'))
        .thenRejected('PaymentOperationInProgress', { paymentStatus: status });
    }
  });

  it('that is PARTIALLY_SETTLED waits with 409 for what may use the rest, and for no refund', () => {
    for (const word of [[], [isUnknown('d', 'capture')]]) {
      given(...partlySettled, captureRequested('d', 100, false), ...word)
        .when(cancel('x'))
        .thenRejected('PaymentOperationInProgress', { paymentStatus: 'PARTIALLY_SETTLED' });
    }
    for (const word of [[], [isUnknown('r', 'refund')], [isPending('r', 'refund')]]) {
      given(...partlySettled, refundRequested('r', 100, 'c'), ...word)
        .when(cancel('x'))
        .then(cancellationRequested('x'));
    }
  });

  it('of a payment that does not exist is NotFound', () => {
    given().when(cancel('x')).thenRejected('NotFound');
  });
});
