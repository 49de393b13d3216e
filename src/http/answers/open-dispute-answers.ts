// A payment's answers to disputes that are not settled yet, for people who look into it: the command line and the
// dashboard.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isOpenAnswer, type KnownPayment } from '../../domain/payment/payment.ts';
import { whatIsKnown } from '../../domain/payment/what-is-known.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { EvidenceView } from './open-attempts.ts';

export const OpenDisputeAnswerView = z
  .strictObject({
    disputeId: z.string(),
    answerId: z.string(),
    /** The reference of the response at the processor: to ask its support. */
    reference: z.string(),
    /** The processor's own name of the dispute. */
    processorDisputeId: z.string(),
    answer: z.enum(['evidence', 'acceptance']),
    state: z.enum(['open', 'unknown', 'pending']),
    /** The disputed amount, minor units. */
    amount: Amount,
    currencyCode: z.string(),
    requestedAt: Instant,
    /** When the processor is asked next. */
    lookUpAt: Instant,
    lookUps: z.int().min(0),
    /** The newest; null before the first. */
    evidence: EvidenceView.nullable(),
  })
  .meta({ id: 'OpenDisputeAnswer' });
export type OpenDisputeAnswerView = z.infer<typeof OpenDisputeAnswerView>;

/** `history`: the payment's events, oldest first; read only where an answer is open. */
export async function openDisputeAnswerViews(
  { disputes }: KnownPayment,
  history: () => AsyncIterable<Unsealed<PaymentEvent>> | Iterable<Unsealed<PaymentEvent>>,
): Promise<readonly OpenDisputeAnswerView[]> {
  const open = disputes.flatMap((dispute) =>
    isOpenAnswer(dispute.answer) ? [{ ...dispute, answer: dispute.answer }] : [],
  );
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
