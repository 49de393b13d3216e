// POST /checkout/payments/{id}/cancel: the customer gives a required action up, to pay in another way (contract §4).
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { authorizationOf } from '../../domain/payment/attempt.ts';
import { giveUpAction } from '../../domain/payment/authentication.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Answer, Caller } from '../caller.ts';
import { type Effect, transactFor, type Worked } from '../effect.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from './attempt-answers.ts';
import { concludePayment } from './conclude-payment.ts';
import { endUnwanted } from './fence-attempt.ts';
import type { PaymentNeeds } from './needs.ts';
import { afterWish } from './own-chain.ts';
import { attemptTiming } from './pursue-attempts.ts';
import { endIfOver } from './resume-payment.ts';
import { ifSupported } from './supported.ts';

/** Nothing is asked but the payment. */
export const GiveUpAction = z.strictObject({}).meta({ id: 'GiveUpAction' });

/**
 * CANCELLED as soon as the processor confirms that the action is withdrawn; the session can then be paid again. An
 * approval or decline of the bank until then counts. 202 until the processor responds. OperationNotSupported if the
 * processor cannot withdraw an action: two cards might be charged.
 */
export const giveUpPaymentAction =
  (needs: PaymentNeeds) =>
  async (paymentId: string, caller: Caller): Promise<Answer<Payment>> => {
    const { state } = await needs.payments.load(paymentId);
    const { accountId, sessionId } = caller;
    if (!isKnown(state) || state.accountId !== accountId || sessionId === undefined || state.sessionId !== sessionId)
      return reject('NotFound', 'There is no such payment.');
    return needs.idempotency.once(caller, {
      name: 'give-up-action',
      target: needs.payments,
      resource: { id: paymentId },
      admit: async () => needs.circuits.admit(state),
      async work(effect) {
        const worked = await giveUp(needs, effect);
        if (!worked.appended) needs.circuits.untried(state);
        return worked;
      },
      replay: async (effect, revision) =>
        replayAttempt(needs, effect, revision, authorizationIn((await needs.payments.load(paymentId)).state, effect)),
    });
  };

const authorizationIn = (payment: Payment, effect: Effect): string =>
  (isKnown(payment) ? authorizationOf(payment)?.attemptId : undefined) ?? attemptIdOf(effect);

/**
 * The wish is on record before the processor is asked, so that a process which dies in between leaves work that falls
 * due.
 */
async function giveUp(needs: PaymentNeeds, effect: Effect): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  await endIfOver(needs, effect);
  const decided = giveUpAction(paymentId, attemptTiming(needs.world.now(), needs.timings));
  const given = await transactFor(effect, needs.payments, ifSupported(needs.processors, decided));
  if (given.kind === 'rejected') return { answer: given, appended: false };
  // A second call for an action that is given up asks, too: the process that was first may be gone.
  const after = await afterWish(needs, paymentId, given, 'CustomerActionGivenUp', context);
  await endUnwanted(needs, paymentId, 'customer', after);
  const folded = await needs.payments.load(paymentId);
  const concluded = await concludePayment(needs, paymentId, folded, after);
  const appended = given.kind === 'written' || given.kind === 'repeated';
  return { answer: answerAttempt(paymentId, concluded, authorizationIn(concluded.state, effect)), appended };
}
