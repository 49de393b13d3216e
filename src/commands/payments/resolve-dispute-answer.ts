// An operator settles an answer to a dispute whose outcome is unknown, by evidence from elsewhere. The processor is
// asked first (contract §13).
import { maskedText } from '../../domain/card-number/mask.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { disputeOf, settleAnswerByWord } from '../../domain/payment/dispute-answer.ts';
import {
  type AnswerToDispute,
  type Dispute,
  isOpenAnswer,
  type KnownPayment,
  type OpenAnswer,
  type Payment,
} from '../../domain/payment/payment.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import { formatTime } from '../../world.ts';
import { callEndsAt } from './look-up-attempts.ts';
import { lookUpDisputes } from './look-up-disputes.ts';
import type { PaymentNeeds } from './needs.ts';

/** A dispute with an answer that may have arrived, or not. */
export interface AnsweredDispute {
  readonly dispute: Dispute;
  readonly answer: OpenAnswer;
}

export interface DisputeAnswerResolved {
  readonly kind: 'answer_resolved';
  /** The processor was asked first, and its word is on record in place of the operator's. */
  readonly isTold: boolean;
  /** Both as they are on record now. */
  readonly dispute: Dispute;
  readonly answer: AnswerToDispute;
  readonly folded: Folded<Payment>;
}

export const openAnswersOf = ({ disputes }: KnownPayment): readonly AnsweredDispute[] =>
  disputes.flatMap((dispute) => (isOpenAnswer(dispute.answer) ? [{ dispute, answer: dispute.answer }] : []));

interface Word {
  /** succeeded: the processor has the answer; failed: it never arrived. */
  readonly as: 'succeeded' | 'failed';
  readonly evidence: string;
  readonly transactionId?: string | undefined;
  readonly by?: ActingUser | undefined;
}

/**
 * Card numbers in the evidence are masked. InvalidPaymentStatus for a transaction's id, which no answer has; Conflict
 * while the call may be under way.
 */
export async function resolveDisputeAnswer(
  needs: PaymentNeeds,
  paymentId: string,
  { accountId }: KnownPayment,
  { dispute: { disputeId }, answer: asked }: AnsweredDispute,
  { as, evidence, transactionId, by }: Word,
): Promise<DisputeAnswerResolved | Rejection> {
  const { answerId, hasEnded } = asked;
  if (transactionId !== undefined)
    return reject(
      'InvalidPaymentStatus',
      `${answerId} is a response to a dispute: a transaction id does not apply to it.`,
    );
  const endsAt = callEndsAt(needs, asked);
  if (!hasEnded && needs.world.now() < endsAt)
    return reject(
      'Conflict',
      `The call of ${answerId} may be in progress until ${formatTime(endsAt)}. Wait for its response, which is the best evidence.`,
    );
  await needs.mayWrite();
  const context = operatorContext(needs.world, accountId, by);
  await lookUpDisputes(needs, paymentId, 'all', context);
  const told = resolvedIn(await needs.payments.current(paymentId), disputeId, true);
  if (told.answer.answerId !== answerId || !isOpenAnswer(told.answer)) return told;
  const word = { disputeId, answerId, as, evidence: { source: 'operator', detail: maskedText(evidence) } } as const;
  const settled = await transact(
    needs.payments,
    paymentId,
    { ...context, at: needs.world.now() },
    settleAnswerByWord(word),
    { isFact: true },
  );
  if (settled.kind === 'rejected') return settled;
  if (settled.kind !== 'written') return reject('InvalidPaymentStatus', `${answerId} was resolved in the meantime.`);
  needs.watched.forget(answerId);
  return resolvedIn(settled.folded, disputeId, false);
}

function resolvedIn(folded: Folded<Payment>, disputeId: string, isTold: boolean): DisputeAnswerResolved {
  const dispute = disputeOf(folded.state, disputeId);
  if (dispute?.answer === undefined) throw new TypeError(`the answered dispute ${disputeId} is gone`);
  return { kind: 'answer_resolved', isTold, dispute, answer: dispute.answer, folded };
}
