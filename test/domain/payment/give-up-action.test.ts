// A customer gives a required action up: a wish that voids nothing, and the end of the payment where nothing was
// approved (contract §4).
import { expect } from 'chai';
import { endAction, giveUpAction } from '../../../src/domain/payment/authentication.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, actionRequired, authorized, id, known, pending, timing } from './story.ts';

const given = givenOf(payment);
const attemptId = id('a');
const asked: readonly PaymentEvent[] = [...pending, actionRequired];
const givenUp: PaymentEvent = { type: 'CustomerActionGivenUp', data: { attemptId, nextLookUpAt: timing.callEndsAt } };
const giveUp = giveUpAction(id('a').split('.')[0] ?? '', timing);
const evidence = { source: 'lookup' } as const;
const fenced: PaymentEvent = { type: 'AttemptFenced', data: { attemptId, operation: 'authorization', evidence } };

describe('giving a required action up', () => {
  it('is a wish that falls due at once, once', () => {
    const after = given(...asked).when(giveUp);
    after.then(givenUp);
    const state = known(after.state);
    expect(state.status).to.equal('PENDING');
    expect(state.attempts[0]).to.include({ state: 'action_required', givenUp: true, nextLookUpAt: timing.callEndsAt });
    given(...asked, givenUp)
      .when(giveUp)
      .thenNothing();
  });

  it('changes nothing of a payment that has gone on, is fenced, or is to be cancelled', () => {
    const resumed: PaymentEvent = {
      type: 'AuthorizationResumed',
      data: { attemptId, sendBy: AT, nextLookUpAt: AT + 1 },
    };
    const intended: PaymentEvent = { type: 'CancellationIntended', data: { attemptId: id('x') } };
    for (const one of [resumed, fenced, intended])
      given(...asked, one)
        .when(giveUp)
        .thenNothing();
  });

  it('is refused where no action was ever required', () => {
    given(...authorized)
      .when(giveUp)
      .thenRejected('InvalidPaymentStatus');
  });

  it('cancels the payment when the processor has withdrawn the action', () => {
    const found = {
      kind: 'requires_action',
      processorTransactionId: 'tx_a',
      action: { kind: 'redirect', url: 'https://issuer.example/3ds' },
    } as const;
    const ended = given(...asked, givenUp).when(
      endAction({ ...timing, attemptId, evidence, source: 'lookup', found, isFenced: true, wasGivenUp: false }),
    );
    ended.then(
      fenced,
      { type: 'PaymentCancelled', data: { attemptId: `${attemptId}-given-up` } },
      { type: 'CustomerActionExpired', data: { attemptId } },
    );
    expect(known(ended.state).status).to.equal('CANCELLED');
  });
});
