// The processor's reports on a dispute: its opening and its result, in any order and any number of times (contract §4).
import { accept, type Decision } from '../decider.ts';
import type { DisputeStatus } from '../dispute-status.ts';
import { trueAt } from './dispute-fold.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { firstVerdictLookUp } from './look-up-schedule.ts';
import type { Evidence } from './outcome.ts';
import { type Dispute, isOpenAnswer, type KnownPayment, type Payment } from './payment.ts';
import { attemptOf, isKnown, placeOf } from './queries.ts';
import { noSuchPayment } from './refusals.ts';

export interface DisputeWord {
  /** Our own name for it, always the same for one name of the processor. */
  readonly disputeId: string;
  readonly processorDisputeId: string;
  /** The attempt that it is about, where the processor says which. */
  readonly attemptId?: string | undefined;
  readonly status: DisputeStatus;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly reason?: string | undefined;
  readonly reasonCode?: string | undefined;
  /** ms */
  readonly openedAt: number;
  readonly challengeRequiredBy?: number | undefined;
  readonly evidence: Evidence;
}

/**
 * A dispute only goes on: a word of an earlier stage arrived late. Won and lost are one stage, where the newer word
 * counts.
 */
const STAGES: { readonly [S in DisputeStatus]: number } = {
  OPEN: 0,
  CHALLENGED: 1,
  EXPIRED: 2,
  ACCEPTED: 2,
  WON: 3,
  LOST: 3,
};

const DECISIONS: ReadonlySet<DisputeStatus> = new Set(['WON', 'LOST'] as const);

/**
 * Opens a dispute that is not recorded, even if its end is reported first; then records its new status. No event for a
 * report that is recorded, or older than the recorded one.
 */
export const recordDispute =
  (word: DisputeWord) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const dispute = payment.disputes.find(({ processorDisputeId }) => processorDisputeId === word.processorDisputeId);
    const opened = dispute === undefined ? [openedBy(word, payment)] : [];
    return accept<PaymentEvent>(
      ...opened,
      ...changedBy(word, dispute ?? { disputeId: word.disputeId, status: 'OPEN' }),
    );
  };

function openedBy(word: DisputeWord, payment: KnownPayment): Fact<'DisputeOpened'> {
  const {
    disputeId,
    processorDisputeId,
    attemptId,
    amount,
    currencyCode,
    reason,
    reasonCode,
    openedAt,
    challengeRequiredBy,
    evidence,
  } = word;
  const attempt = attemptId === undefined ? undefined : attemptOf(payment, attemptId);
  return {
    type: 'DisputeOpened',
    data: {
      disputeId,
      processorDisputeId,
      ...(attemptId !== undefined && { attemptId }),
      amount,
      currencyCode,
      ...placeOf(payment, attempt ?? payment),
      ...(reason !== undefined && { reason }),
      ...(reasonCode !== undefined && { reasonCode }),
      openedAt,
      ...(challengeRequiredBy !== undefined && { challengeRequiredBy }),
      evidence,
    },
  };
}

/** The fact of a new status; none for a status that the processor has already reported. */
export function changedBy(
  { status, evidence }: Pick<DisputeWord, 'status' | 'evidence'>,
  dispute: Pick<Dispute, 'disputeId' | 'status' | 'endedAt' | 'endedBy' | 'answer'>,
): readonly PaymentEvent[] {
  if (!isNews(status, evidence, dispute)) return [];
  const told = { disputeId: dispute.disputeId, evidence };
  switch (status) {
    case 'OPEN':
      return [];
    case 'CHALLENGED':
      return [challenged(dispute, evidence)];
    case 'ACCEPTED':
      return [{ type: 'DisputeAccepted', data: told }];
    case 'EXPIRED':
      return [{ type: 'DisputeExpired', data: told }];
    case 'WON':
      return [{ type: 'DisputeWon', data: told }];
    case 'LOST':
      return [{ type: 'DisputeLost', data: told }];
    default:
      return status satisfies never;
  }
}

/** Without a time of its own, `dueDisputeAt` takes one that is on record. */
function challenged(dispute: Pick<Dispute, 'disputeId' | 'answer'>, evidence: Evidence): PaymentEvent {
  const at = trueAt(evidence);
  const submission = submittedBy(dispute, evidence);
  const next = at === undefined ? {} : { nextLookUpAt: firstVerdictLookUp(at) };
  return {
    type: 'DisputeEvidenceSubmitted',
    data: { disputeId: dispute.disputeId, evidence, submission, submitted: true, ...next },
  };
}

/**
 * Ours where we sent it, as we sent it; a response that the merchant sent to the processor in another way is not known
 * here.
 */
const submittedBy = ({ answer }: Pick<Dispute, 'answer'>, { source }: Evidence): Record<string, unknown> =>
  answer?.kind === 'evidence' && (source === 'answer' || isOpenAnswer(answer)) ? { ...answer.submission } : {};

function isNews(
  status: DisputeStatus,
  evidence: Evidence,
  { status: before, endedAt = Number.NEGATIVE_INFINITY, endedBy }: Pick<Dispute, 'status' | 'endedAt' | 'endedBy'>,
): boolean {
  // Our own clock is not a report of the processor. A report replaces it, including EXPIRED, so that an older report
  // can no longer undo it.
  if (endedBy === 'clock') return status !== 'OPEN';
  if (STAGES[status] !== STAGES[before]) return STAGES[status] > STAGES[before];
  // A newer word that says the same of a decision counts as well, or else a contrary one from between the two would.
  if (status === before && !DECISIONS.has(status)) return false;
  const at = trueAt(evidence);
  return at !== undefined && at > endedAt;
}
