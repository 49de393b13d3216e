// The merchant's answer to a dispute: evidence against it, or its acceptance. Requested before it is sent, and graded
// like any outcome (contract §13).
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import type { DisputeStatus } from '../dispute-status.ts';
import { sameJson } from '../json.ts';
import type { AttemptTiming } from './create.ts';
import { noSuchPayment } from './decline-reason.ts';
import { changedBy } from './dispute-word.ts';
import type { DisputeSubmission, PaymentEvent } from './events.ts';
import type { Evidence, Outcome } from './outcome.ts';
import { type AnswerToDispute, type Dispute, isOpenAnswer, type KnownPayment, type Payment } from './payment.ts';
import { isKnown } from './queries.ts';
import { paymentIdOf, referenceOf } from './reference.ts';

interface DisputeAnswerInput extends AttemptTiming {
  readonly disputeId: string;
  /** `<paymentId>.<suffix>`: our own name for the answer. */
  readonly answerId: string;
  readonly answer:
    | { readonly kind: 'evidence'; readonly submission: DisputeSubmission }
    | { readonly kind: 'acceptance' };
}

export const disputeOf = (payment: Payment, disputeId: string): Dispute | undefined =>
  isKnown(payment) ? payment.disputes.find((dispute) => dispute.disputeId === disputeId) : undefined;

/**
 * NotFound, PaymentOperationInProgress (an answer is under way), InvalidDisputeStatus (it is over, or its time is), or
 * EvidenceLimitReached.
 */
export const requestDisputeAnswer =
  ({ disputeId, answerId, answer, at, sendBy, callEndsAt }: DisputeAnswerInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const dispute = answerable(payment, paymentIdOf(answerId), disputeId, at);
    if ('kind' in dispute) return dispute;
    const taken = new Set(
      [...payment.attempts, ...payment.disputes.map((one) => one.answer)].map((one) => one?.reference),
    );
    const requested: PaymentEvent = {
      type: 'DisputeAnswerRequested',
      data: {
        disputeId,
        answerId,
        reference: referenceOf(answerId, (reference) => taken.has(reference)),
        answer: answer.kind,
        requestedAt: at,
        sendBy,
        nextLookUpAt: callEndsAt,
      },
    };
    if (answer.kind === 'acceptance') return accept(requested);
    const drafted = draftOf(payment, dispute, answer.submission, MOST_TEXTS);
    return 'kind' in drafted ? drafted : accept(...drafted, requested);
  };

/**
 * Keeps evidence that is not sent yet, in place of what was kept before; the same again: nothing. Refusals as of an
 * answer, and EvidenceLimitReached.
 */
export const draftEvidence =
  (paymentId: string, disputeId: string, submission: DisputeSubmission, at: number) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const dispute = answerable(payment, paymentId, disputeId, at);
    if ('kind' in dispute) return dispute;
    const drafted = draftOf(payment, dispute, submission, MOST_DRAFTS);
    return 'kind' in drafted ? drafted : accept(...drafted);
  };

/**
 * Versions of its evidence that a dispute takes: each is an event with up to 20,000 characters in the stream of the
 * payment.
 */
const MOST_DRAFTS = 50;
/** The limit that includes submitted evidence: a response is never refused because of earlier drafts. */
const MOST_TEXTS = 100;
/**
 * As JSON, of all disputes of a payment: each answer and each webhook about the payment holds them. The longest
 * evidence of one fits.
 */
const MOST_EVIDENCE_BYTES = 131_072;

function draftOf(
  { disputes }: KnownPayment,
  { disputeId, submission: before, drafts = 0 }: Dispute,
  submission: DisputeSubmission,
  most: number,
): readonly PaymentEvent[] | Rejection {
  if (before !== undefined && sameJson(before, submission)) return [];
  if (drafts >= most)
    return reject(
      'EvidenceLimitReached',
      `The dispute has had ${drafts} versions of its evidence and accepts no further drafts.`,
      {
        recoverySuggestion: 'Submit the evidence.',
      },
    );
  const others = disputes.filter((one) => one.disputeId !== disputeId).reduce((sum, one) => sum + sizeOf(one), 0);
  if (others > 0 && others + bytesOf(submission) > MOST_EVIDENCE_BYTES)
    return reject(
      'EvidenceLimitReached',
      `The evidence of all disputes of a payment has at most ${MOST_EVIDENCE_BYTES} bytes as JSON.`,
    );
  return [{ type: 'DisputeEvidenceDrafted', data: { disputeId, submission: { ...submission } } }];
}

/** The size of the evidence of a dispute: the draft or the sent text, whichever is longer. */
const sizeOf = ({ submission, answer }: Dispute): number =>
  Math.max(...[submission, answer?.submission].map((one) => (one === undefined ? 0 : bytesOf(one))));

const bytesOf = (submission: DisputeSubmission): number => new TextEncoder().encode(JSON.stringify(submission)).length;

function answerable(payment: KnownPayment, paymentId: string, disputeId: string, at: number): Dispute | Rejection {
  const dispute = payment.disputes.find((one) => one.disputeId === disputeId);
  if (dispute === undefined) return reject('NotFound', 'There is no such dispute.');
  const details = { paymentId, paymentStatus: payment.status };
  const { status, answer, challengeRequiredBy = Number.POSITIVE_INFINITY } = dispute;
  if (status !== 'OPEN')
    return reject('InvalidDisputeStatus', `A dispute with the status ${status} accepts no response.`, details);
  if (isOpenAnswer(answer))
    return reject('PaymentOperationInProgress', 'The outcome of the previous response is not known yet.', {
      ...details,
      retryAfterSeconds: answer.state === 'open' ? 1 : Math.max(1, Math.ceil((answer.nextLookUpAt - at) / 1_000)),
    });
  return at < challengeRequiredBy
    ? dispute
    : reject('InvalidDisputeStatus', 'The response period of the dispute is over.', details);
}

interface SettledDisputeAnswer {
  readonly disputeId: string;
  readonly answerId: string;
  readonly outcome: Outcome;
  readonly evidence: Evidence;
  /** When the processor is asked next where the outcome leaves it open, ms. */
  readonly nextLookUpAt: number;
}

/** The outcome of its call. A success always counts; any other report only while the response is open. */
export const settleDisputeAnswer =
  ({ disputeId, answerId, outcome, evidence, nextLookUpAt }: SettledDisputeAnswer) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const dispute = disputeOf(payment, disputeId);
    const answer = dispute?.answer;
    if (dispute === undefined || answer?.answerId !== answerId) return accept();
    if (answer.round !== dispute.round) return accept();
    if (outcome.kind === 'succeeded') {
      return accept(...changedBy({ status: statusOf(answer), type: dispute.type, evidence }, dispute));
    }
    if (!isOpenAnswer(answer)) return accept();
    const learnt = { disputeId, answerId, evidence };
    switch (outcome.kind) {
      case 'declined':
        return accept({
          type: 'DisputeAnswerDeclined',
          data: { ...learnt, code: outcome.code, declineType: outcome.declineType },
        });
      case 'refused':
        return accept({
          type: 'DisputeAnswerDeclined',
          data: { ...learnt, code: outcome.code, declineType: 'HARD' },
        });
      case 'pending':
      case 'requires_action':
        return answer.state === 'pending'
          ? accept()
          : accept({ type: 'DisputeAnswerPending', data: { ...learnt, nextLookUpAt } });
      case 'not_sent':
        return accept({ type: 'DisputeAnswerNotSent', data: learnt });
      case 'unknown':
        return answer.state === 'open'
          ? accept({ type: 'DisputeAnswerOutcomeUnknown', data: { ...learnt, nextLookUpAt } })
          : accept();
      default:
        return outcome satisfies never;
    }
  };

/** The processor still has the dispute open, so long after the call that the answer never arrived. */
export const recordAnswerNotFound =
  (disputeId: string, answerId: string, evidence: Evidence) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const answer = disputeOf(payment, disputeId)?.answer;
    if (answer?.answerId !== answerId || !isOpenAnswer(answer)) return accept();
    return accept({ type: 'DisputeAnswerNotFound', data: { disputeId, answerId, evidence } });
  };

interface AnswerWord {
  readonly disputeId: string;
  readonly answerId: string;
  /** succeeded: the processor has it; failed: it never arrived. */
  readonly as: 'succeeded' | 'failed';
  readonly evidence: Evidence;
}

/** Resolves a response with an unknown outcome by manual confirmation; no event once the outcome is known. */
export const settleAnswerByWord =
  ({ disputeId, answerId, as, evidence }: AnswerWord) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const dispute = disputeOf(payment, disputeId);
    const answer = dispute?.answer;
    if (dispute === undefined || answer?.answerId !== answerId || !isOpenAnswer(answer)) return accept();
    if (as === 'failed') return accept({ type: 'DisputeAnswerNotFound', data: { disputeId, answerId, evidence } });
    return accept(...changedBy({ status: statusOf(answer), type: dispute.type, evidence }, dispute));
  };

/** The dispute's status once an answer has arrived. */
const statusOf = ({ kind }: AnswerToDispute): DisputeStatus => (kind === 'evidence' ? 'CHALLENGED' : 'ACCEPTED');

interface DisputeLookUp {
  readonly disputeId: string;
  readonly answerId: string;
  /** Before this one; another node's look-up at the same time is recorded once. */
  readonly lookUps: number;
  readonly answer: 'pending' | 'not_found' | 'unreachable';
  readonly evidence: Evidence;
  readonly nextLookUpAt: number;
}

/** A look-up that settled nothing. */
export const recordDisputeLookUp =
  ({ lookUps, ...found }: DisputeLookUp) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const answer = disputeOf(payment, found.disputeId)?.answer;
    if (answer?.answerId !== found.answerId || !isOpenAnswer(answer) || answer.lookUps !== lookUps) return accept();
    return accept({ type: 'DisputeLookUpRecorded', data: found });
  };
