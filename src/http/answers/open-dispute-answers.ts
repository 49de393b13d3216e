// A payment's answers to disputes that are not settled yet, for people who look into it at the command line.
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isOpenAnswer, type KnownPayment } from '../../domain/payment/payment.ts';
import { whatIsKnown } from '../../domain/payment/what-is-known.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import type { EvidenceView } from './open-attempts.ts';

export interface OpenDisputeAnswerView {
  readonly disputeId: string;
  readonly answerId: string;
  /** What the processor knows the answer by: to ask its support. */
  readonly reference: string;
  /** The processor's own name of the dispute. */
  readonly processorDisputeId: string;
  readonly answer: 'evidence' | 'acceptance';
  readonly state: 'open' | 'unknown' | 'pending';
  /** What is disputed, minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly requestedAt: string;
  /** When the processor is asked next. */
  readonly lookUpAt: string;
  readonly lookUps: number;
  /** The newest; null before the first. */
  readonly evidence: EvidenceView | null;
}

/** `history`: the payment's events, oldest first; read only where an answer is open. */
export async function openDisputeAnswerViews(
  { disputes }: KnownPayment,
  history: () => AsyncIterable<Unsealed<PaymentEvent>> | Iterable<Unsealed<PaymentEvent>>,
): Promise<readonly OpenDisputeAnswerView[]> {
  const open = disputes.flatMap((dispute) => (isOpenAnswer(dispute.answer) ? [{ ...dispute, answer: dispute.answer }] : []));
  if (open.length === 0) return [];
  const newest = new Map<string, EvidenceView>();
  for await (const { event, recorded } of history()) {
    const { data } = event;
    if (!('answerId' in data) || data.answerId === undefined || !('evidence' in data)) continue;
    const { source, sentAt = recorded.at } = data.evidence;
    const detail = whatIsKnown(event, 'authorization') ?? data.evidence.detail;
    newest.set(data.answerId, { at: formatTime(sentAt), source, ...(detail !== undefined && { detail }) });
  }
  return open.map(({ disputeId, processorDisputeId, amount, currencyCode, answer }) => ({
    disputeId,
    answerId: answer.answerId,
    reference: answer.reference,
    processorDisputeId,
    answer: answer.kind,
    state: answer.state,
    amount,
    currencyCode,
    requestedAt: formatTime(answer.requestedAt),
    lookUpAt: formatTime(answer.nextLookUpAt),
    lookUps: answer.lookUps,
    evidence: newest.get(answer.answerId) ?? null,
  }));
}
