// POST /payments/{id}/resume and POST /checkout/payments/{id}/resume: the customer came back from an action
// (contract §4).
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { awaitsCustomer } from '../../domain/payment/attempt.ts';
import { resumeAuthorization, resumedBy } from '../../domain/payment/authentication.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Answer, Caller } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { aside, type Effect, revisionOf, transactFor, type Worked } from '../effect.ts';
import { identifier } from '../fields/text.ts';
import { answerAttempt, attemptIdOf, replayAttempt } from './attempt-answers.ts';
import { concludePayment } from './conclude-payment.ts';
import { freeSession } from './fence-attempt.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import type { PaymentNeeds } from './needs.ts';
import { attemptTiming, pursueAttempts } from './pursue-attempts.ts';

export const ResumePayment = z.strictObject({ resumeToken: identifier }).meta({ id: 'ResumePayment' });

/**
 * The first call with the token goes on with the payment; later calls get the payment as it is. 202 while it goes on.
 */
export const resumePayment =
  (needs: PaymentNeeds) =>
  async (
    paymentId: string,
    { resumeToken }: z.output<typeof ResumePayment>,
    caller: Caller,
  ): Promise<Answer<Payment>> => {
    const { state } = await needs.payments.load(paymentId);
    const isOwn = isKnown(state) && state.accountId === caller.accountId;
    if (!isOwn || (caller.sessionId !== undefined && state.sessionId !== caller.sessionId))
      return reject('NotFound', 'There is no such payment.');
    const refusal = refuseCaptureMode(state.paymentMethod, caller);
    if (refusal !== undefined) return refusal;
    const tokenHash = needs.resumeTokens.hashOf(resumeToken);
    return needs.idempotency.once(caller, {
      name: 'resume-payment',
      target: needs.payments,
      resource: { id: paymentId },
      admit: async () => needs.circuits.admit(state),
      async work(effect) {
        const worked = await resume(needs, effect, tokenHash);
        if (!worked.appended) needs.circuits.untried(state);
        return worked;
      },
      replay: async (effect, revision) =>
        replayAttempt(needs, effect, revision, await resumedId(needs, effect, tokenHash)),
    });
  };

async function resumedId({ payments }: PaymentNeeds, effect: Effect, tokenHash: string): Promise<string> {
  return resumedBy((await payments.load(effect.resourceId)).state, tokenHash)?.attemptId ?? attemptIdOf(effect);
}

async function resume(needs: PaymentNeeds, effect: Effect, resumeTokenHash: string): Promise<Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  await endIfOver(needs, effect);
  const startedAt = needs.world.monotonic();
  const decide = resumeAuthorization(paymentId, {
    resumeTokenHash,
    ...attemptTiming(needs.world.now(), needs.timings),
  });
  const resumed = await transactFor(effect, needs.payments, decide);
  if (resumed.kind === 'rejected') return { answer: resumed, appended: false };
  const attemptId = await resumedId(needs, effect, resumeTokenHash);
  if (resumed.kind === 'repeated')
    return { answer: await replayAttempt(needs, effect, revisionOf(resumed), attemptId), appended: true };
  if (resumed.kind !== 'written')
    return { answer: answerAttempt(paymentId, resumed.folded, attemptId), appended: false };
  const pursued = await pursueAttempts(needs, paymentId, resumed, context, startedAt);
  await freeSession(needs, paymentId, pursued.folded.state, pursued.context);
  const concluded = await concludePayment(needs, paymentId, pursued.folded, pursued.context);
  return { answer: answerAttempt(paymentId, concluded, attemptId), appended: true };
}

/**
 * Ends the payment if its time is over. A customer who returns too late sees the end, even if nobody has looked since.
 */
export async function endIfOver(needs: PaymentNeeds, { context, resourceId }: Effect): Promise<void> {
  const { state } = await needs.payments.load(resourceId);
  const now = needs.world.now();
  const isOver =
    isKnown(state) && state.attempts.some((attempt) => awaitsCustomer(attempt) && attempt.nextLookUpAt <= now);
  if (isOver) await lookUpAttempts(needs, resourceId, 'due', aside(context, needs.world));
}
