// An operator settles an unknown outcome, by evidence from elsewhere: an event like every other outcome. The processor
// is asked first: its own word comes before any other.
import { maskedText } from '../../domain/card-number/mask.ts';
import { findCardNumbers } from '../../domain/card-number/search.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { type Attempt, callHasEnded, isOpen } from '../../domain/payment/attempt.ts';
import { disputeOf, settleAnswerByWord } from '../../domain/payment/dispute-answer.ts';
import type { NotFound, Succeeded } from '../../domain/payment/outcome.ts';
import {
  type AnswerToDispute,
  type Dispute,
  isOpenAnswer,
  type KnownPayment,
  type OpenAnswer,
  type Payment,
} from '../../domain/payment/payment.ts';
import { attemptOf, isKnown, openOverRefund, refusedReversals } from '../../domain/payment/queries.ts';
import { acceptOverRefund } from '../../domain/payment/refund.ts';
import { acceptDifference, isDifferenceOpen } from '../../domain/payment/standing.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import { formatTime } from '../../world.ts';
import { attemptTiming, recordFact, settling } from './attempt.ts';
import { callEndsAt } from './findings.ts';
import { lookUpAttempts } from './look-up-attempts.ts';
import { lookUpDisputes } from './look-up-disputes.ts';
import type { PaymentNeeds } from './needs.ts';

export interface Resolution {
  /** Which attempt, answer to a dispute, OVER_REFUNDED or DIFFERS; without it the only matter that is open. */
  readonly attemptId?: string | undefined;
  /**
   * succeeded: as it was asked for, a reversal that the processor refused also by another way. failed: it did not
   * happen.
   */
  readonly as: 'succeeded' | 'failed';
  /** The source of the operator's knowledge; card numbers in it are masked. */
  readonly evidence: string;
  /** The processor's own name for the success. */
  readonly transactionId?: string | undefined;
  /** The operator, where it is a user of the dashboard. */
  readonly by?: ActingUser | undefined;
}

export type Resolved =
  | {
      readonly kind: 'resolved';
      readonly attempt: Attempt;
      /** Under which name at the processor it is on record; only when it succeeded. */
      readonly transactionId?: string;
      /** True if that is our own reference, because the processor's name is unknown. */
      readonly isOwnReference: boolean;
      /** The payment with the follow-ups. */
      readonly folded: Folded<Payment>;
    }
  /** The processor was asked first, and its report is recorded: the confirmation is not needed, or not accepted. */
  | { readonly kind: 'told'; readonly attempt: Attempt; readonly folded: Folded<Payment> }
  /** The case was not an attempt, but the payment as a whole. */
  | MatterClosed
  /** The case was an answer to a dispute. */
  | DisputeAnswerResolved
  /** Which of these is meant must be said. */
  | {
      readonly kind: 'several';
      /** The currency of the payment. */
      readonly currencyCode: string;
      readonly attempts: readonly Attempt[];
      readonly answers: readonly AnsweredDispute[];
      readonly matters: readonly WholeMatter[];
    }
  | Rejection;

/**
 * NotFound; CardNumberNotAllowed for a transaction's id that may be one; InvalidPaymentStatus when nothing is unknown;
 * Conflict while the call may be under way; ServiceUnavailable when what follows could not be sent from here.
 */
export async function resolvePayment(
  needs: PaymentNeeds,
  paymentId: string,
  resolution: Resolution,
): Promise<Resolved> {
  const { attemptId, transactionId } = resolution;
  // Masked it would name another transaction, or none.
  if (transactionId !== undefined && findCardNumbers(transactionId).length > 0)
    return reject(
      'CardNumberNotAllowed',
      'The transaction id may contain a card number. Card numbers are never stored.',
    );
  const { state } = await needs.payments.current(paymentId);
  if (!isKnown(state)) return reject('NotFound', `There is no payment ${paymentId}.`);
  const open = resolvable(state);
  const matters = openMatters(state);
  const answers = openAnswersOf(state);
  if (attemptId === undefined && open.length + answers.length + matters.length > 1)
    return { kind: 'several', currencyCode: state.currencyCode, attempts: open, answers, matters };
  const isMeant = (id: string): boolean => attemptId === undefined || attemptId === id;
  const matter = matters.find(isMeant);
  if (matter !== undefined) return closeMatter(needs, paymentId, state, matter, resolution);
  const answered = answers.find(({ answer }) => isMeant(answer.answerId));
  if (answered !== undefined) return resolveDisputeAnswer(needs, paymentId, state, answered, resolution);
  const attempt = open.find((one) => isMeant(one.attemptId));
  if (attempt !== undefined) return resolveAttempt(needs, paymentId, state, attempt, resolution);
  const named = [...open.map((one) => one.attemptId), ...answers.map(({ answer }) => answer.answerId)];
  return reject('InvalidPaymentStatus', nothingOpen(paymentId, attemptId, named));
}

async function resolveAttempt(
  needs: PaymentNeeds,
  paymentId: string,
  state: KnownPayment,
  attempt: Attempt,
  { as, evidence, transactionId, by }: Resolution,
): Promise<Resolved> {
  const refused = refusal(needs, state, attempt, as);
  if (refused !== undefined) return refused;
  const { attemptId } = attempt;
  await needs.mayWrite();
  const context = operatorContext(needs.world, state.accountId, by);
  const asked = await lookUpAttempts(needs, paymentId, 'all', context);
  const told = attemptOf(asked.state, attemptId);
  if (told !== undefined && !resolvable(asked.state).includes(told))
    return { kind: 'told', attempt: told, folded: asked };
  const name = transactionId ?? told?.processorTransactionId ?? attempt.processorTransactionId;
  const outcome = as === 'failed' ? NEVER_HAPPENED : success(state, attempt, name ?? attempt.reference);
  const said = { source: 'operator', detail: maskedText(evidence) } as const;
  const word = settling(needs, { attemptId, outcome, evidence: said, source: 'operator' });
  const settled = await recordFact(needs, paymentId, context, word);
  if (settled.kind === 'rejected') return settled;
  if (settled.kind !== 'written') return reject('InvalidPaymentStatus', `${attemptId} was resolved in the meantime.`);
  needs.watched.forget(attemptId);
  return {
    kind: 'resolved',
    attempt,
    ...(outcome.kind === 'succeeded' && { transactionId: outcome.processorTransactionId }),
    isOwnReference: as === 'succeeded' && name === undefined,
    folded: settled.folded,
  };
}

/** Open attempts, and reversals that the processor refused; reversals that did not happen are retried automatically. */
const resolvable = (payment: Payment): readonly Attempt[] =>
  isKnown(payment) ? [...payment.attempts.filter(isOpen), ...refusedReversals(payment)] : [];

const NEVER_HAPPENED: NotFound = { kind: 'not_found' };

const success = ({ currencyCode }: KnownPayment, { amount }: Attempt, processorTransactionId: string): Succeeded => ({
  kind: 'succeeded',
  processorTransactionId,
  amount,
  currencyCode,
});

function nothingOpen(paymentId: string, attemptId: string | undefined, open: readonly string[]): string {
  if (attemptId === undefined || open.length === 0) return `${paymentId} has no unknown outcome.`;
  return `${attemptId} is not an open attempt of ${paymentId}. Open attempts: ${open.join(', ')}.`;
}

function refusal(
  { world, timings, processors }: PaymentNeeds,
  { processor }: KnownPayment,
  attempt: Attempt,
  as: Resolution['as'],
): Rejection | undefined {
  if (as === 'failed' && (attempt.state === 'declined' || attempt.state === 'returned'))
    return reject(
      'InvalidPaymentStatus',
      `The processor has refused ${attempt.attemptId}, and the refusal is recorded. --as succeeded closes the attempt once nothing is left to reverse.`,
    );
  // By the time on record: the process that made the call may have died, and its clock is unknown here.
  const { callEndsAt } = attemptTiming(attempt.requestedAt, timings);
  if (!callHasEnded(attempt) && world.now() < callEndsAt) return isUnderWay(attempt.attemptId, callEndsAt);
  if (!processors.has(processor))
    return reject(
      'ServiceUnavailable',
      `A follow-up may need the processor ${processor}, which cannot be reached from here.`,
    );
  return undefined;
}

const isUnderWay = (name: string, endsAt: number): Rejection =>
  reject(
    'Conflict',
    `The call of ${name} may be in progress until ${formatTime(endsAt)}. Wait for its response, which is the best evidence.`,
  );

/** A dispute with an answer that may have arrived, or not. */
interface AnsweredDispute {
  readonly dispute: Dispute;
  readonly answer: OpenAnswer;
}

export interface DisputeAnswerResolved {
  readonly kind: 'answer_resolved';
  /** The processor was asked first; its result is recorded instead of the operator's. */
  readonly isTold: boolean;
  /** Both as they are on record now. */
  readonly dispute: Dispute;
  readonly answer: AnswerToDispute;
  readonly folded: Folded<Payment>;
}

const openAnswersOf = ({ disputes }: KnownPayment): readonly AnsweredDispute[] =>
  disputes.flatMap((dispute) => (isOpenAnswer(dispute.answer) ? [{ dispute, answer: dispute.answer }] : []));

/**
 * Card numbers in the evidence are masked. InvalidPaymentStatus for a transaction's id, which no answer has; Conflict
 * while the call may be under way.
 */
async function resolveDisputeAnswer(
  needs: PaymentNeeds,
  paymentId: string,
  { accountId }: KnownPayment,
  { dispute: { disputeId }, answer: asked }: AnsweredDispute,
  { as, evidence, transactionId, by }: Resolution,
): Promise<DisputeAnswerResolved | Rejection> {
  const { answerId, hasEnded } = asked;
  if (transactionId !== undefined)
    return reject(
      'InvalidPaymentStatus',
      `${answerId} is a response to a dispute: a transaction id does not apply to it.`,
    );
  const endsAt = callEndsAt(needs, asked);
  if (!hasEnded && needs.world.now() < endsAt) return isUnderWay(answerId, endsAt);
  await needs.mayWrite();
  const context = operatorContext(needs.world, accountId, by);
  await lookUpDisputes(needs, paymentId, 'all', context);
  const told = resolvedIn(await needs.payments.current(paymentId), disputeId, true);
  if (told.answer.answerId !== answerId || !isOpenAnswer(told.answer)) return told;
  const word = { disputeId, answerId, as, evidence: { source: 'operator', detail: maskedText(evidence) } } as const;
  const now = { ...context, at: needs.world.now() };
  const settled = await transact(needs.payments, paymentId, now, settleAnswerByWord(word), { isFact: true });
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

/** The names in lists of attempts. */
const MATTERS = ['OVER_REFUNDED', 'DIFFERS'] as const;
type WholeMatter = (typeof MATTERS)[number];

interface MatterClosed {
  readonly kind: 'matter_closed';
  readonly matter: WholeMatter;
  /** OVER_REFUNDED: the refunded amount beyond the captured one, minor units. */
  readonly amount?: number;
  readonly folded: Folded<Payment>;
}

const openMatters = (payment: Payment): readonly WholeMatter[] =>
  MATTERS.filter((matter) => (matter === 'DIFFERS' ? isDifferenceOpen(payment) : openOverRefund(payment) > 0));

/**
 * `evidence`: the operator's account of it; card numbers in it are masked. InvalidPaymentStatus for `failed`: what the
 * processor showed is so; or when it is closed meanwhile.
 */
async function closeMatter(
  needs: PaymentNeeds,
  paymentId: string,
  { accountId }: KnownPayment,
  matter: WholeMatter,
  { as, evidence, by }: Resolution,
): Promise<MatterClosed | Rejection> {
  if (as === 'failed')
    return reject(
      'InvalidPaymentStatus',
      `The processor has shown the money of ${paymentId} as it is: only --as succeeded closes ${matter}.`,
    );
  await needs.mayWrite();
  const context = operatorContext(needs.world, accountId, by);
  const said = { source: 'operator', detail: maskedText(evidence) } as const;
  const decide = matter === 'DIFFERS' ? acceptDifference(said) : acceptOverRefund(said);
  const done = await transact(needs.payments, paymentId, context, decide);
  if (done.kind === 'rejected') return done;
  if (done.kind !== 'written')
    return reject('InvalidPaymentStatus', `${matter} of ${paymentId} was closed in the meantime.`);
  const amount = openOverRefund(done.before.state);
  return { kind: 'matter_closed', matter, ...(matter === 'OVER_REFUNDED' && { amount }), folded: done.folded };
}
