// The answer to a caller about the merchant's answer to a dispute, the first time and again (contract §§4, 6).
import { reject } from '../../domain/decider.ts';
import { disputeOf } from '../../domain/payment/dispute-answer.ts';
import { isOpenAnswer, type Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { answerReason } from '../../domain/payment/status-reason.ts';
import type { Folded } from '../../journal/fold.ts';
import { type Answer, completed } from '../caller.ts';
import type { Effect } from '../effect.ts';
import { inProgress } from '../idempotency.ts';
import { attemptIdOf } from './attempt-answers.ts';
import type { PaymentNeeds } from './needs.ts';

/**
 * 200; 202 while the outcome is not known; InvalidDisputeStatus when the processor refused, ServiceUnavailable when
 * nothing reached it.
 */
export function answerToDispute(
  paymentId: string,
  folded: Folded<Payment>,
  disputeId: string,
  answerId: string,
): Answer<Payment> {
  const payment = folded.state;
  const answer = disputeOf(payment, disputeId)?.answer;
  if (!isKnown(payment) || answer?.answerId !== answerId) return completed(paymentId, folded);
  const statusReason = answerReason(answer);
  const details = { paymentId, paymentStatus: payment.status, ...(statusReason !== undefined && { statusReason }) };
  switch (answer.state) {
    case 'succeeded':
    case 'pending':
      return completed(paymentId, folded);
    case 'open':
    case 'unknown':
      return completed(paymentId, folded, 202);
    case 'declined':
    case 'overtaken':
      return reject('InvalidDisputeStatus', statusReason?.message ?? 'The processor refused the response.', details);
    case 'not_sent':
    case 'not_found':
      return reject('ServiceUnavailable', 'The response never reached the processor. The dispute is unchanged.', {
        ...details,
        retryAfterSeconds: 1,
      });
    default:
      return answer satisfies never;
  }
}

/** See answerAgain. A refusal names the request that was refused (contract §6). */
export async function replayDisputeAnswer(
  needs: Pick<PaymentNeeds, 'payments' | 'world'>,
  effect: Effect,
  disputeId: string,
  revision: number,
): Promise<Answer<Payment>> {
  const { resourceId: paymentId } = effect;
  const again = await answerAgain(needs, effect, disputeId, revision);
  if (again.kind !== 'rejected' || again.errorId !== 'InvalidDisputeStatus') return again;
  const answer = disputeOf((await needs.payments.load(paymentId)).state, disputeId)?.answer;
  if (answer?.answerId !== attemptIdOf(effect)) return again;
  const { correlationId } = await needs.payments.causeAt(paymentId, answer.requestedRevision);
  return { ...again, diagnosticsId: correlationId };
}

/** The first answer again; a first 202 is answered with the payment as it is now (contract §6). */
async function answerAgain(
  needs: Pick<PaymentNeeds, 'payments' | 'world'>,
  effect: Effect,
  disputeId: string,
  revision: number,
): Promise<Answer<Payment>> {
  const { resourceId: paymentId } = effect;
  const answerId = attemptIdOf(effect);
  const then = answerToDispute(paymentId, await needs.payments.at(paymentId, revision), disputeId, answerId);
  if (then.kind === 'rejected' || then.status === 200) return then;
  const current = await needs.payments.current(paymentId);
  const now = answerToDispute(paymentId, current, disputeId, answerId);
  const answer = disputeOf(current.state, disputeId)?.answer;
  const mayRun =
    isOpenAnswer(answer) &&
    answer.state === 'open' &&
    answer.answerId === answerId &&
    needs.world.now() < answer.nextLookUpAt;
  return mayRun ? inProgress() : now;
}

/**
 * True if the response was provably never sent, or never arrived. It may be sent again under the same key: a 5xx has
 * had no effect (contract §6).
 */
export function neverArrived(payment: Payment, disputeId: string, answerId: string): boolean {
  const answer = disputeOf(payment, disputeId)?.answer;
  return answer?.answerId === answerId && (answer.state === 'not_sent' || answer.state === 'not_found');
}
