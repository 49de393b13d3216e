// Adjust: another total for an estimated authorization (contract §4).
import { expect } from 'chai';
import { requestAdjustment } from '../../../src/domain/payment/change.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  adjustmentRequested,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
  estimated,
  id,
  isPending,
  isUnknown,
  known,
  pending,
  timing,
  wasDeclined,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const adjust = (name: string, amount: number) => requestAdjustment({ attemptId: id(name), amount, ...timing });

describe('adjusting an authorization', () => {
  it('asks for a higher or a lower total', () => {
    given(...estimated)
      .when(adjust('j', 1_500))
      .then(adjustmentRequested('j', 1_500));
    given(...estimated)
      .when(adjust('j', 1))
      .then(adjustmentRequested('j', 1));
  });

  it('makes the new total the amount of the payment, and all of it capturable', () => {
    for (const amount of [1_500, 700]) {
      const { state } = given(...estimated, adjustmentRequested('j', amount), wentThrough('j', 'adjustment', amount));
      expect(known(state)).to.include({
        status: 'AUTHORIZED',
        amount,
        amountAuthorized: amount,
        amountCapturable: amount,
      });
    }
  });

  it('changes nothing when it is refused', () => {
    const { state } = given(...estimated, adjustmentRequested('j', 1_500), wasDeclined('j', 'adjustment'));
    expect(known(state)).to.include({
      status: 'AUTHORIZED',
      amount: 1_000,
      amountAuthorized: 1_000,
      amountCapturable: 1_000,
    });
  });

  it('of a FINAL authorization is IncorrectPaymentAuthorizationType', () => {
    given(...authorized)
      .when(adjust('j', 900))
      .thenRejected('IncorrectPaymentAuthorizationType', { paymentId: 'pay_1', paymentStatus: 'AUTHORIZED' });
  });

  it('is InvalidPaymentStatus in every other status', () => {
    const captured = [...estimated, captureRequested('c', 400, false), wentThrough('c', 'capture', 400)];
    given(...captured)
      .when(adjust('j', 900))
      .thenRejected('InvalidPaymentStatus', { paymentStatus: 'PARTIALLY_SETTLED' });
    const declined = [
      created({}, { authorizationType: 'ESTIMATED' }),
      authorizationRequested,
      wasDeclined('a', 'authorization'),
    ];
    given(...declined)
      .when(adjust('j', 900))
      .thenRejected('InvalidPaymentStatus', { paymentStatus: 'DECLINED' });
  });

  it('waits with 409 while an attempt is open, unknown or pending, before status and type count', () => {
    const capturing = [...estimated, captureRequested('c', 400, false)];
    for (const [status, before] of [
      ['PENDING', pending],
      ['PENDING', [...pending, isPending('a', 'authorization')]],
      ['AUTHORIZED', capturing],
      ['AUTHORIZED', [...capturing, isUnknown('c', 'capture')]],
      ['SETTLING', [...capturing, isPending('c', 'capture')]],
      ['AUTHORIZED', [...estimated, adjustmentRequested('i', 800), isPending('i', 'adjustment')]],
    ] as const) {
      given(...before)
        .when(adjust('j', 900))
        .thenRejected('PaymentOperationInProgress', { paymentStatus: status });
    }
  });

  it('does nothing when the attempt is there already, and of no payment is NotFound', () => {
    given(...estimated, adjustmentRequested('j', 900))
      .when(adjust('j', 900))
      .thenNothing();
    given().when(adjust('j', 900)).thenRejected('NotFound');
  });
});
