// The fold of a payment's disputes: what the processor opened, what the merchant answered, how it ended (contract §4).
import type { DisputeStatus } from '../dispute-status.ts';
import type { Fact } from './events.ts';
import type { Evidence } from './outcome.ts';
import { type AnswerToDispute, type Dispute, isOpenAnswer } from './payment.ts';

type DisputeEvent = Fact<
  'DisputeOpened' | 'DisputeEvidenceSubmitted' | 'DisputeAccepted' | 'DisputeWon' | 'DisputeLost' | 'DisputeExpired'
>;

/**
 * The disputed amount that was not won, in the payment's currency, minor units. The value of a dispute in another
 * currency is unknown here, so such a dispute counts with the whole `captured` amount: a refund in addition could pay
 * the customer twice (contract §4).
 */
export function amountDisputedIn(disputes: readonly Dispute[], paymentCurrency: string, captured: number): number {
  let disputed = 0;
  let isAll = false;
  for (const { status, amount, currencyCode } of disputes) {
    if (status === 'WON') continue;
    if (currencyCode === paymentCurrency) disputed += amount;
    else isAll = true;
  }
  return isAll ? Math.max(captured, disputed) : disputed;
}

/** The disputes after an event that was recorded at `at`, ms. */
export function foldedDisputes(
  disputes: readonly Dispute[],
  { type, data }: DisputeEvent,
  at: number,
): readonly Dispute[] {
  const { disputeId, evidence } = data;
  const to = (status: DisputeStatus, nextLookUpAt?: number): readonly Dispute[] =>
    disputes.map((dispute) => {
      if (dispute.disputeId !== disputeId) return dispute;
      return { ...movedTo(dispute, status, evidence, at), ...(nextLookUpAt !== undefined && { nextLookUpAt }) };
    });
  switch (type) {
    case 'DisputeOpened': {
      const { attemptId, reason, reasonCode, challengeRequiredBy, processorDisputeId, amount, currencyCode, openedAt } =
        data;
      const opened: Dispute = {
        disputeId,
        processorDisputeId,
        status: 'OPEN',
        amount,
        currencyCode,
        openedAt,
        ...(attemptId !== undefined && { attemptId }),
        ...(reason !== undefined && { reason }),
        ...(reasonCode !== undefined && { reasonCode }),
        ...(challengeRequiredBy !== undefined && { challengeRequiredBy }),
      };
      return [...disputes, opened];
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
    default:
      return type satisfies never;
  }
}

function movedTo(
  dispute: Dispute,
  status: DisputeStatus,
  evidence: DisputeEvent['data']['evidence'],
  at: number,
): Dispute {
  const { endedAt: _before, endedBy: _clock, lookUps: _made, nextLookUpAt: _due, ...kept } = dispute;
  const over =
    status === 'CHALLENGED'
      ? {}
      : { endedAt: evidence.source === 'clock' ? evidence.occurredAt : (trueAt(evidence) ?? at) };
  if (evidence.source === 'clock') return { ...kept, status, ...over, endedBy: 'clock' };
  return { ...kept, ...settled(dispute, status, evidence), status, ...over };
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
    const { nextLookUpAt: _due, ...asked } = answer;
    return { answer: { ...asked, state: PROVEN_BY[answer.kind].includes(status) ? 'succeeded' : 'overtaken' } };
  }
  return source === 'answer' && answer.state !== 'declined' ? { answer: { ...answer, state: 'succeeded' } } : {};
}
