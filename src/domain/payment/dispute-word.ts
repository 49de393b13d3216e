// The processor's reports on a dispute: its opening and its result, in any order and number (contract §13).
import { accept, type Decision } from '../decider.ts';
import { type DisputeStatus, type DisputeType, disputeTypes } from '../dispute-status.ts';
import { noSuchPayment } from './decline-reason.ts';
import { trueAt } from './dispute-fold.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { firstVerdictLookUp } from './look-up.ts';
import type { Evidence } from './outcome.ts';
import { type Dispute, isOpenAnswer, type KnownPayment, type Payment } from './payment.ts';
import { attemptOf, isKnown, placeOf } from './queries.ts';
import { apartFrom } from './refund.ts';

export interface DisputeWord {
  /** Our own name for it, always the same for one name of the processor. */
  readonly disputeId: string;
  readonly processorDisputeId: string;
  /** The attempt that it is about, where the processor says which. */
  readonly attemptId?: string | undefined;
  readonly status: DisputeStatus;
  /** Undefined where the processor decides without saying which round it decides. */
  readonly type?: DisputeType | undefined;
  /** What was refunded for a prevented dispute, minor units, and the processor's names of the refunds, if it says. */
  readonly refunded?: { readonly amount: number; readonly refunds: readonly string[] } | undefined;
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
 * A round only goes on: a word of an earlier stage arrived late. The decisions are one stage, where the newer word
 * counts.
 */
const STAGES: { readonly [S in DisputeStatus]: number } = {
  OPEN: 0,
  CHALLENGED: 1,
  EXPIRED: 2,
  ACCEPTED: 2,
  WON: 3,
  LOST: 3,
  PREVENTED: 3,
};

const DECISIONS: ReadonlySet<DisputeStatus> = new Set(['WON', 'LOST', 'PREVENTED'] as const);

/**
 * Opens a dispute that is not recorded, even if its end is reported first, and another round of it for a report of a
 * later type; then records its new status. No event for a report that is recorded, or older than the recorded one.
 */
export const recordDispute =
  (told: DisputeWord) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const { refunded } = told;
    const word = refunded === undefined ? told : { ...told, refunded: apartFrom(payment.attempts, refunded) };
    const dispute = payment.disputes.find(({ processorDisputeId }) => processorDisputeId === word.processorDisputeId);
    if (dispute !== undefined && !opensRound(word, dispute)) return accept(...changedBy(word, dispute));
    const opened = openedBy(word, payment, dispute);
    return accept<PaymentEvent>(opened, ...changedBy(word, { ...opened.data, status: 'OPEN' }));
  };

/**
 * A report from before the recorded end is late, whatever its type. Two clocks are not compared: a round that is opened
 * in vain is found by a look-up, and one that is missed by none.
 */
export function opensRound(
  { type, evidence: { occurredAt = Number.POSITIVE_INFINITY } }: Pick<DisputeWord, 'type' | 'evidence'>,
  { type: recorded, endedBy, endedAt = Number.NEGATIVE_INFINITY }: Pick<Dispute, 'type' | 'endedBy' | 'endedAt'>,
): boolean {
  if (type === undefined || !isAfter(type, recorded)) return false;
  return endedBy !== 'notification' || occurredAt >= endedAt;
}

const isAfter = (one: DisputeType, other: DisputeType): boolean =>
  disputeTypes.indexOf(one) > disputeTypes.indexOf(other);

function openedBy(word: DisputeWord, payment: KnownPayment, before: Dispute | undefined): Fact<'DisputeOpened'> {
  const { processorDisputeId, type = 'DISPUTE', reason, reasonCode, challengeRequiredBy, evidence } = word;
  const { disputeId, attemptId, openedAt } = before ?? word;
  // The sums of a dispute are in one currency.
  const { amount, currencyCode } = before === undefined || before.currencyCode === word.currencyCode ? word : before;
  const attempt = attemptId === undefined ? undefined : attemptOf(payment, attemptId);
  return {
    type: 'DisputeOpened',
    data: {
      disputeId,
      processorDisputeId,
      ...(attemptId !== undefined && { attemptId }),
      round: (before?.round ?? 0) + 1,
      type,
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
  word: Pick<DisputeWord, 'status' | 'type' | 'refunded' | 'evidence'>,
  dispute: Pick<Dispute, 'disputeId' | 'status' | 'type' | 'currencyCode'> &
    Partial<Pick<Dispute, 'begunAt' | 'endedAt' | 'endedBy' | 'answer'>>,
): readonly PaymentEvent[] {
  const { status, evidence } = word;
  if (isOfEarlierRound(word, dispute) || !isNews(status, evidence, dispute)) return [];
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
    case 'PREVENTED': {
      const { amount, refunds } = word.refunded ?? { amount: 0, refunds: [] };
      const { currencyCode } = dispute;
      return [{ type: 'DisputePrevented', data: { ...told, amount, currencyCode, refunds: [...refunds] } }];
    }
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

/**
 * Where the processor does not say which round it decides, its time tells: pre-arbitration and an appeal follow a
 * decision. In the same second it is late: a look-up finds what that misses.
 */
function isOfEarlierRound(
  { type, evidence: { occurredAt = Number.POSITIVE_INFINITY } }: Pick<DisputeWord, 'type' | 'evidence'>,
  { type: recorded, begunAt = Number.NEGATIVE_INFINITY }: Pick<Dispute, 'type'> & Partial<Pick<Dispute, 'begunAt'>>,
): boolean {
  return type === undefined ? isAfter(recorded, 'DISPUTE') && occurredAt <= begunAt : isAfter(recorded, type);
}

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
