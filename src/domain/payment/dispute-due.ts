// When a dispute wants attention, its end when the time to answer is over, and look-ups that did not end it
// (contract §13).
import { accept, type Decision } from '../decider.ts';
import { disputeOf } from './dispute-answer.ts';
import type { PaymentEvent } from './events.ts';
import type { Evidence } from './outcome.ts';
import { type Dispute, isOpenAnswer, type Payment } from './payment.ts';
import { isKnown } from './queries.ts';

/**
 * The time (ms) of the next question to the processor: about its response, about the end of the response period, or
 * about the decision. Undefined if nothing is due. For a challenge without a recorded due time, such as in older
 * events, the last time that the processor named counts.
 */
export function dueDisputeAt(dispute: Dispute): number | undefined {
  const { status, answer, openedAt, challengeRequiredBy, nextLookUpAt = challengeRequiredBy } = dispute;
  if (status === 'CHALLENGED') return nextLookUpAt ?? openedAt;
  if (status !== 'OPEN') return undefined;
  return isOpenAnswer(answer) ? answer.nextLookUpAt : nextLookUpAt;
}

/** The earliest time at which a dispute of the payment does, ms. */
export function dueDisputesAt(payment: Payment): number | undefined {
  const due = isKnown(payment) ? payment.disputes.flatMap((dispute) => dueDisputeAt(dispute) ?? []) : [];
  return due.length === 0 ? undefined : Math.min(...due);
}

/**
 * Whether the time to answer is over at `at`, ms, and the dispute neither answered nor ended. An open answer may have
 * arrived in time.
 */
const isOverdue = ({ status, answer, challengeRequiredBy = Number.POSITIVE_INFINITY }: Dispute, at: number): boolean =>
  status === 'OPEN' && !isOpenAnswer(answer) && challengeRequiredBy <= at;

/**
 * By our own clock: for a dispute that the processor cannot be asked about. Nothing before the time that the processor
 * named when it opened the dispute.
 */
export const expireByClock =
  (disputeId: string, at: number) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const dispute = disputeOf(payment, disputeId);
    if (dispute?.challengeRequiredBy === undefined || !isOverdue(dispute, at)) return accept();
    return accept({
      type: 'DisputeExpired',
      data: { disputeId, evidence: { source: 'clock', occurredAt: dispute.challengeRequiredBy } },
    });
  };

interface StatusLookUp {
  readonly disputeId: string;
  /** As it was when the processor was asked. */
  readonly status: 'OPEN' | 'CHALLENGED';
  /** Before this one; another node's look-up at the same time is recorded once. */
  readonly lookUps: number;
  readonly answer: 'still_open' | 'undecided' | 'untold' | 'unreachable';
  readonly evidence: Evidence;
  readonly nextLookUpAt: number;
}

/** Records that the processor was asked about an overdue or challenged dispute, and has not ended it. */
export const recordStatusLookUp =
  ({ status, lookUps, ...found }: StatusLookUp, at: number) =>
  (payment: Payment): Decision<PaymentEvent> => {
    const dispute = disputeOf(payment, found.disputeId);
    if (dispute?.status !== status || (dispute.lookUps ?? 0) !== lookUps) return accept();
    if (status === 'OPEN' && !isOverdue(dispute, at)) return accept();
    return accept({ type: 'DisputeLookUpRecorded', data: found });
  };
