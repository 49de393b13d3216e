// The customer's part in a payment: POST /payments/{id}/resume and POST /checkout/payments/{id}/resume after an action,
// and POST /checkout/payments/{id}/cancel, to pay in another way (contract §4).
import { z } from 'zod';
import { reject } from '../../domain/decider.ts';
import { authorizationOf, awaitsCustomer } from '../../domain/payment/attempt.ts';
import {
  giveUpAction,
  resumeAuthorization,
  resumedBy,
  waitingAuthorization,
} from '../../domain/payment/authentication.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Answer, Caller } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { aside, type Effect, transactFor } from '../effect.ts';
import { identifier } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import { attemptTiming, concludePayment, pursueAttempts } from './attempt.ts';
import { answerAttempt, attemptIdOf, type Finished, refused, replayAttempt } from './attempt-answers.ts';
import { ifSupported } from './change-payment.ts';
import { endUnwanted, freeSession } from './fence-attempt.ts';
import { afterWish } from './findings.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import type { PaymentNeeds } from './needs.ts';

export const ResumePayment = z.strictObject({ resumeToken: identifier }).meta({ id: 'ResumePayment' });

/**
 * The first call with the token goes on with the payment; later calls get the payment as it is. 202 while it goes on.
 */
export async function resumePayment(
  needs: PaymentNeeds,
  paymentId: string,
  { resumeToken }: z.output<typeof ResumePayment>,
  caller: Caller,
): Promise<Answer<Payment>> {
  const { state } = await needs.payments.load(paymentId);
  const isOwn = isKnown(state) && state.accountId === caller.accountId;
  if (!isOwn || (caller.sessionId !== undefined && state.sessionId !== caller.sessionId))
    return reject('NotFound', 'There is no such payment.');
  const refusal = refuseCaptureMode(state.paymentMethod, caller);
  if (refusal !== undefined) return refusal;
  const tokenHash = needs.resumeTokens.hashOf(resumeToken);
  using operation = await needs.idempotency.open(caller, 'resume-payment');
  const target = { streams: needs.payments, resource: { id: paymentId } };
  const begun = await operation.begin(target, () => needs.circuits.admit(state));
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') {
    const attemptId = await resumedId(needs, begun, tokenHash);
    return replayed(await replayAttempt(needs, begun, begun.revision, attemptId));
  }
  const { answer, result } = await resume(needs, begun, tokenHash);
  if (result === 'nothing') needs.circuits.untried(state);
  return await operation.end(begun, answer, result);
}

async function resumedId({ payments }: PaymentNeeds, effect: Effect, tokenHash: string): Promise<string> {
  return resumedBy((await payments.load(effect.resourceId)).state, tokenHash)?.attemptId ?? attemptIdOf(effect);
}

async function resume(needs: PaymentNeeds, effect: Effect, resumeTokenHash: string): Promise<Finished> {
  const { resourceId: paymentId } = effect;
  await endIfOver(needs, effect);
  const startedAt = needs.world.monotonic();
  const timing = attemptTiming(needs.world.now(), needs.timings);
  const decide = resumeAuthorization(paymentId, { resumeTokenHash, ...timing });
  const resumed = await transactFor(effect, needs.payments, decide);
  if (resumed.kind === 'rejected') return refused(resumed);
  const attemptId = await resumedId(needs, effect, resumeTokenHash);
  if (resumed.kind === 'repeated')
    return { answer: await replayAttempt(needs, effect, resumed.revision, attemptId), result: 'appended' };
  if (resumed.kind === 'unchanged')
    return { answer: answerAttempt(paymentId, resumed.folded, attemptId), result: 'nothing' };
  const { folded, context } = await pursueAttempts(needs, paymentId, resumed, effect.context, startedAt);
  await freeSession(needs, paymentId, folded.state, context);
  return { answer: answerAttempt(paymentId, folded, attemptId), result: 'appended' };
}

/**
 * Ends the payment if its time is over. A customer who returns too late sees the end, even if nobody has looked since.
 */
async function endIfOver(needs: PaymentNeeds, { context, resourceId }: Effect): Promise<void> {
  const { state } = await needs.payments.load(resourceId);
  const now = needs.world.now();
  const isOver =
    isKnown(state) && state.attempts.some((attempt) => awaitsCustomer(attempt) && attempt.nextLookUpAt <= now);
  if (isOver) await lookUpAttempts(needs, resourceId, 'due', aside(context, needs.world));
}

/** Nothing is asked but the payment. */
export const GiveUpAction = z.strictObject({}).meta({ id: 'GiveUpAction' });

/**
 * CANCELLED as soon as the processor confirms that the action is withdrawn; the session can then be paid again. An
 * approval or decline of the bank until then counts. 202 until the processor responds. OperationNotSupported if the
 * processor cannot withdraw an action: two cards might be charged.
 */
export async function giveUpPaymentAction(
  needs: PaymentNeeds,
  paymentId: string,
  caller: Caller,
): Promise<Answer<Payment>> {
  const { state } = await needs.payments.load(paymentId);
  const { accountId, sessionId } = caller;
  if (!isKnown(state) || state.accountId !== accountId || sessionId === undefined || state.sessionId !== sessionId)
    return reject('NotFound', 'There is no such payment.');
  using operation = await needs.idempotency.open(caller, 'give-up-action');
  const target = { streams: needs.payments, resource: { id: paymentId } };
  const begun = await operation.begin(target, () => needs.circuits.admit(state));
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') {
    const attemptId = authorizationIn((await needs.payments.load(paymentId)).state, begun);
    return replayed(await replayAttempt(needs, begun, begun.revision, attemptId));
  }
  const { answer, result } = await giveUp(needs, begun);
  if (result === 'nothing') needs.circuits.untried(state);
  return await operation.end(begun, answer, result);
}

const authorizationIn = (payment: Payment, effect: Effect): string =>
  (isKnown(payment) ? authorizationOf(payment)?.attemptId : undefined) ?? attemptIdOf(effect);

/**
 * The wish is on record before the processor is asked, so that a process which dies in between leaves work that falls
 * due.
 */
async function giveUp(needs: PaymentNeeds, effect: Effect): Promise<Finished> {
  const { context, resourceId: paymentId } = effect;
  await endIfOver(needs, effect);
  const decided = giveUpAction(paymentId, attemptTiming(needs.world.now(), needs.timings));
  const given = await transactFor(effect, needs.payments, ifSupported(needs.processors, decided));
  if (given.kind === 'rejected') return refused(given);
  // A second call for an action that is given up asks, too: the process that was first may be gone.
  const after = await afterWish(needs, paymentId, given, 'CustomerActionGivenUp', context);
  await endUnwanted(needs, paymentId, 'customer', after);
  const folded = await needs.payments.load(paymentId);
  const concluded = await concludePayment(needs, paymentId, folded, after);
  const answer = answerAttempt(paymentId, concluded, authorizationIn(concluded.state, effect));
  return { answer, result: given.kind === 'unchanged' ? 'nothing' : 'appended' };
}

/**
 * The client token with which the browser goes on with a required action (contract §4). It is valid as long as the
 * action, and the same for the same action, so that a replayed answer has the first one's. Undefined without a session.
 */
export function requiredActionToken({ tokens }: PaymentNeeds, payment: KnownPayment): string | undefined {
  const { sessionId, accountId } = payment;
  const waiting = waitingAuthorization(payment);
  if (sessionId === undefined || waiting === undefined) return undefined;
  return tokens.issue({ sessionId, accountId, issuedAt: waiting.requiredAt, expiresAt: waiting.expiresAt });
}
