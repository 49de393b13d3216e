// The fold of a payment's disputes: what the processor opened, what the merchant answered and what is known of that,
// how it ended (contract §13).

import type { Recorded } from '../decider.ts';
import { type DisputeStatus, isLost, isUndecided } from '../dispute-status.ts';
import type { Fact } from './events.ts';
import type { Evidence } from './outcome.ts';
import { type AnswerToDispute, type Dispute, isOpenAnswer, type OpenAnswer } from './payment.ts';

type DisputeEvent = Fact<
  | 'DisputeOpened'
  | 'DisputeEvidenceSubmitted'
  | 'DisputeAccepted'
  | 'DisputeWon'
  | 'DisputeLost'
  | 'DisputeExpired'
  | 'DisputePrevented'
>;

type DisputedSums = Pick<Dispute, 'status' | 'amount' | 'lostBefore' | 'refunded'>;

/**
 * What the customer has got by a dispute, minor units in its currency: a later round gives nothing back until it is
 * decided.
 */
export function amountLostIn({ status, amount, lostBefore = 0, refunded }: DisputedSums): number {
  const lost = isLost(status) ? amount : isUndecided(status) ? lostBefore : 0;
  return lost + (refunded?.amount ?? 0);
}

/** What nobody may refund because of a dispute: what is lost, and what may still be. */
const blockedBy = (dispute: DisputedSums): number =>
  amountLostIn(dispute) + (isUndecided(dispute.status) ? atRiskIn(dispute) : 0);

/** What an undecided dispute may still take, beyond what the customer has got by earlier rounds. */
export const atRiskIn = ({ amount, lostBefore = 0 }: DisputedSums): number => Math.max(0, amount - lostBefore);

/**
 * The disputed amount that was not won, and what prevented disputes refunded, in the payment's currency, minor units.
 * The value of a dispute in another currency is unknown here, so such a dispute counts with the whole `captured`
 * amount: a refund in addition could pay the customer twice (contract §13).
 */
export function amountDisputedIn(disputes: readonly Dispute[], paymentCurrency: string, captured: number): number {
  let disputed = 0;
  let isAll = false;
  for (const dispute of disputes) {
    const blocked = blockedBy(dispute);
    if (dispute.currencyCode === paymentCurrency) disputed += blocked;
    else isAll ||= blocked > 0;
  }
  return isAll ? Math.max(captured, disputed) : disputed;
}

/** The disputes after an event that was recorded at `at`, ms. */
export function foldedDisputes(
  disputes: readonly Dispute[],
  { type, data }: DisputeEvent,
  at: number,
): readonly Dispute[] {
  const { disputeId } = data;
  const to = (status: DisputeStatus, nextLookUpAt?: number): readonly Dispute[] =>
    disputes.map((dispute) => {
      if (dispute.disputeId !== disputeId) return dispute;
      return { ...movedTo(dispute, status, data.evidence, at), ...(nextLookUpAt !== undefined && { nextLookUpAt }) };
    });
  switch (type) {
    case 'DisputeOpened': {
      const { attemptId, round, type: stage, processorDisputeId, amount, currencyCode, openedAt } = data;
      const { reason, reasonCode, challengeRequiredBy } = data;
      const before = disputes.find((dispute) => dispute.disputeId === disputeId);
      const opened: Dispute = {
        disputeId,
        processorDisputeId,
        round,
        type: stage,
        status: 'OPEN',
        amount,
        currencyCode,
        openedAt,
        begunAt: trueAt(data.evidence) ?? at,
        ...(attemptId !== undefined && { attemptId }),
        ...(reason !== undefined && { reason }),
        ...(reasonCode !== undefined && { reasonCode }),
        ...(challengeRequiredBy !== undefined && { challengeRequiredBy }),
      };
      if (before === undefined) return [...disputes, opened];
      const again = { ...opened, ...keptFrom(before) };
      return disputes.map((dispute) => (dispute === before ? again : dispute));
    }
    case 'DisputeEvidenceSubmitted':
      return data.submitted ? to('CHALLENGED', data.nextLookUpAt) : disputes;
    case 'DisputeAccepted':
      return to('ACCEPTED');
    case 'DisputeWon':
      return to('WON');
    case 'DisputeLost':
      return to('LOST');
    case 'DisputeExpired':
      return to('EXPIRED');
    case 'DisputePrevented': {
      const { amount, refunds } = data;
      return to('PREVENTED').map((dispute) =>
        dispute.disputeId === disputeId ? { ...dispute, refunded: { amount, refunds } } : dispute,
      );
    }
    default:
      return type satisfies never;
  }
}

/**
 * What a later round takes from the previous one: what the merchant keeps as evidence, and the sums. An answer whose
 * outcome is still open came to nothing; a settled one belongs to its round.
 */
function keptFrom(before: Dispute): Pick<Dispute, 'submission' | 'drafts' | 'answer'> & KeptSums {
  const { submission, drafts, answer } = before;
  return {
    ...(submission !== undefined && { submission }),
    ...(drafts !== undefined && { drafts }),
    ...(isOpenAnswer(answer) && { answer: over(answer, 'overtaken') }),
    ...keptSums(before),
  };
}

type KeptSums = Pick<Dispute, 'lostBefore' | 'refunded'>;

/** What a later round takes from the sums of the previous one. */
export function keptSums({ refunded, ...before }: DisputedSums): KeptSums {
  const lostBefore = amountLostIn(before);
  return { ...(lostBefore > 0 && { lostBefore }), ...(refunded !== undefined && { refunded }) };
}

const over = ({ nextLookUpAt: _due, ...asked }: OpenAnswer, state: 'succeeded' | 'overtaken'): AnswerToDispute => ({
  ...asked,
  state,
});

function movedTo(
  dispute: Dispute,
  status: DisputeStatus,
  evidence: DisputeEvent['data']['evidence'],
  at: number,
): Dispute {
  const { endedAt: _before, endedBy: _clock, lookUps: _made, nextLookUpAt: _due, ...kept } = dispute;
  const ended =
    status === 'CHALLENGED'
      ? {}
      : {
          endedAt: evidence.source === 'clock' ? evidence.occurredAt : (trueAt(evidence) ?? at),
          ...(evidence.source === 'notification' && { endedBy: evidence.source }),
        };
  if (evidence.source === 'clock') return { ...kept, status, ...ended, endedBy: 'clock' };
  return { ...kept, ...settled(dispute, status, evidence), status, ...ended };
}

/**
 * The time (ms) of a report: by the processor's clock, otherwise when the processor was asked. Undefined if neither is
 * known.
 */
export const trueAt = ({ occurredAt, sentAt }: Evidence): number | undefined => occurredAt ?? sentAt;

/** The statuses that prove an answer: no other answer leads to them. */
const PROVEN_BY: { readonly [K in AnswerToDispute['kind']]: readonly DisputeStatus[] } = {
  evidence: ['CHALLENGED', 'WON', 'LOST'],
  acceptance: ['ACCEPTED'],
};

/**
 * Its own call is believed whenever it tells; any other word settles an open answer, and proves it only where nothing
 * else leads there.
 */
function settled({ answer }: Dispute, status: DisputeStatus, { source }: Evidence): Pick<Dispute, 'answer'> {
  if (answer === undefined) return {};
  if (isOpenAnswer(answer)) {
    return { answer: over(answer, PROVEN_BY[answer.kind].includes(status) ? 'succeeded' : 'overtaken') };
  }
  return source === 'answer' && answer.state !== 'declined' ? { answer: { ...answer, state: 'succeeded' } } : {};
}

type AnswerEvent = Fact<
  | 'DisputeEvidenceDrafted'
  | 'DisputeAnswerRequested'
  | 'DisputeAnswerDeclined'
  | 'DisputeAnswerPending'
  | 'DisputeAnswerNotSent'
  | 'DisputeAnswerOutcomeUnknown'
  | 'DisputeAnswerNotFound'
  | 'DisputeLookUpRecorded'
>;

/** The disputes after an event about the answer to one of them. */
export const answeredDisputes = (
  disputes: readonly Dispute[],
  event: AnswerEvent,
  recorded: Recorded,
): readonly Dispute[] =>
  disputes.map((dispute) =>
    dispute.disputeId === event.data.disputeId ? { ...dispute, ...changeOf(dispute, event, recorded) } : dispute,
  );

function changeOf(
  { answer, submission, round, drafts = 0, lookUps = 0 }: Dispute,
  event: AnswerEvent,
  { revision, at }: Recorded,
): Partial<Dispute> {
  if (event.type === 'DisputeEvidenceDrafted') return { submission: event.data.submission, drafts: drafts + 1 };
  if (event.type === 'DisputeAnswerRequested') {
    const { answerId, answer: kind, reference, requestedAt, sendBy, nextLookUpAt } = event.data;
    const sent = kind === 'evidence' && submission !== undefined ? { submission } : {};
    const asked = {
      answerId,
      kind,
      ...sent,
      reference,
      round,
      requestedAt,
      requestedRevision: revision,
      sendBy,
      hasEnded: false,
      lookUps: 0,
    };
    return { answer: { ...asked, state: 'open', nextLookUpAt } };
  }
  if (event.type === 'DisputeLookUpRecorded' && event.data.answerId === undefined)
    return { lookUps: lookUps + 1, nextLookUpAt: event.data.nextLookUpAt };
  if (answer === undefined || answer.answerId !== event.data.answerId)
    throw new Error(`${event.type} before DisputeAnswerRequested`);
  return { answer: afterWord(answer, event, at) };
}

type AnswerOutcome = Exclude<AnswerEvent, Fact<'DisputeEvidenceDrafted' | 'DisputeAnswerRequested'>>;

function afterWord(answer: AnswerToDispute, { type, data }: AnswerOutcome, at: number): AnswerToDispute {
  const { answerId, kind, submission, reference, round, requestedAt, requestedRevision, sendBy, lookUps, notFoundAt } =
    answer;
  const sent = submission === undefined ? {} : { submission };
  const hasEnded = answer.hasEnded || data.evidence.source === 'answer';
  const asked = {
    answerId,
    kind,
    ...sent,
    reference,
    round,
    requestedAt,
    requestedRevision,
    sendBy,
    hasEnded,
    lookUps,
  };
  const looked = { ...asked, ...(notFoundAt !== undefined && { notFoundAt }) };
  switch (type) {
    case 'DisputeAnswerDeclined':
      return { ...asked, state: 'declined', code: data.code };
    case 'DisputeAnswerPending':
      return { ...asked, state: 'pending', nextLookUpAt: data.nextLookUpAt };
    case 'DisputeAnswerNotSent':
      return { ...asked, state: 'not_sent' };
    case 'DisputeAnswerOutcomeUnknown':
      return { ...looked, state: 'unknown', nextLookUpAt: data.nextLookUpAt };
    case 'DisputeAnswerNotFound':
      return { ...asked, state: 'not_found' };
    case 'DisputeLookUpRecorded': {
      const missed = data.answer === 'not_found' ? { notFoundAt: notFoundAt ?? data.evidence.sentAt ?? at } : {};
      const state = answer.state === 'open' || answer.state === 'pending' ? answer.state : 'unknown';
      return {
        ...looked,
        ...missed,
        lookUps: lookUps + 1,
        state: state === 'open' ? 'unknown' : state,
        nextLookUpAt: data.nextLookUpAt,
      };
    }
    default:
      return type satisfies never;
  }
}
