// The attempts of a payment, and its answers to disputes, that are not settled yet: for people who look into it, at the
// command line and in the dashboard.
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { Operation } from '../../domain/operation.ts';
import {
  type Attempt,
  awaitsCustomer,
  dueAtOf,
  isFoundMismatched,
  isUnanswered,
  reportedOf,
} from '../../domain/payment/attempt.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { EvidenceSource } from '../../domain/payment/outcome.ts';
import { isOpenAnswer, type KnownPayment } from '../../domain/payment/payment.ts';
import { openOverRefund, unsettledAttempts } from '../../domain/payment/queries.ts';
import { whatIsKnown } from '../../domain/payment/what-is-known.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { answer } from './answer.ts';
import { Instant } from './shapes.ts';

const AttemptStateName = z.enum([
  'open',
  'unknown',
  'pending',
  'action_required',
  'succeeded',
  'declined',
  'returned',
  'not_sent',
  'not_found',
  'action_expired',
]);

export const EvidenceView = z
  .strictObject({
    source: EvidenceSource,
    notificationId: z.string().optional(),
    /** The time of that evidence. */
    at: Instant,
    /** Its meaning, in a sentence. */
    detail: z.string().optional(),
  })
  .meta({ id: 'AttemptEvidence' });
export type EvidenceView = z.infer<typeof EvidenceView>;

/**
 * Requested of the processor, and not known for good; or a reversal that the processor refused, which an operator
 * closes.
 */
export const OpenAttemptView = z
  .strictObject({
    attemptId: z.string(),
    /** The reference at the processor: to ask its support, or to find the attempt in its books. */
    reference: z.string(),
    operation: Operation,
    state: AttemptStateName,
    /** Minor units. */
    amount: Amount,
    requestedAt: Instant,
    /** When the processor is asked next. */
    lookUpAt: Instant.nullable(),
    lookUps: z.int().min(0),
    /** The end of a customer's action. */
    actionEndsAt: Instant.optional(),
    /** A success of another amount or currency, in minor units: nobody asks again, and an operator closes it. */
    mismatch: z.strictObject({ amount: Amount, currencyCode: z.string() }).optional(),
    /**
     * The newest evidence: of a call, a look-up or a notification. null before the first, and where the processor has
     * only accepted it.
     */
    evidence: EvidenceView.nullable(),
  })
  .meta({ id: 'OpenAttempt' });
export type OpenAttemptView = z.infer<typeof OpenAttemptView>;

/** Events of a payment, oldest first: `Streams.history`. */
export type History = AsyncIterable<Unsealed<PaymentEvent>> | Iterable<Unsealed<PaymentEvent>>;

/** The newest evidence of each attempt. */
async function evidenceIn(history: History, attempts: readonly Attempt[]): Promise<ReadonlyMap<string, EvidenceView>> {
  const operations = new Map(attempts.map(({ attemptId, operation }) => [attemptId, operation]));
  const newest = new Map<string, EvidenceView>();
  for await (const { event, recorded } of history) {
    const { data } = event;
    if (!('evidence' in data && 'attemptId' in data) || data.evidence === undefined || data.attemptId === undefined)
      continue;
    const { source, sentAt = recorded.at, notificationId } = data.evidence;
    const operation = operations.get(data.attemptId);
    const detail = (operation && whatIsKnown(event, operation)) ?? data.evidence.detail;
    newest.set(data.attemptId, { at: formatTime(sentAt), source, notificationId, detail });
  }
  return newest;
}

/** Attempts that are not settled. The history is read only where an attempt has no answer, or was refused. */
export async function openAttemptViews(
  payment: KnownPayment,
  history: () => History,
): Promise<readonly OpenAttemptView[]> {
  const open = unsettledAttempts(payment);
  const evidence = open.some(
    (attempt) => isUnanswered(attempt) || attempt.state === 'declined' || attempt.state === 'returned',
  )
    ? await evidenceIn(history(), open)
    : new Map<string, EvidenceView>();
  return open.map((attempt) => {
    return answer(OpenAttemptView, attempt, {
      lookUpAt: dueAtOf(attempt),
      actionEndsAt: awaitsCustomer(attempt) ? attempt.expiresAt : undefined,
      mismatch: isFoundMismatched(attempt) ? reportedOf(attempt) : undefined,
      evidence: evidence.get(attempt.attemptId),
    });
  });
}

export const overRefundedView = (payment: KnownPayment): number | null => openOverRefund(payment) || null;

/** DIFFERS: what a read at the processor showed and no rule explains, minor units; its time is that of the list. */
export const DifferenceView = z
  .strictObject({ captured: Amount, capturable: Amount, refunded: Amount, currencyCode: z.string() })
  .meta({ id: 'PaymentDifference' });

/** null where the payment does not differ, or an operator has seen to it. */
export const differsView = ({ standing }: KnownPayment): z.infer<typeof DifferenceView> | null =>
  (standing?.answer === 'differs' ? standing.difference : undefined) ?? null;

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
  history: () => History,
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
    newest.set(data.answerId, { at: formatTime(sentAt), source, detail });
  }
  return open.map(({ answer: sent, ...dispute }) =>
    answer(OpenDisputeAnswerView, dispute, {
      answerId: sent.answerId,
      reference: sent.reference,
      answer: sent.kind,
      state: sent.state,
      requestedAt: sent.requestedAt,
      lookUpAt: sent.nextLookUpAt,
      lookUps: sent.lookUps,
      evidence: newest.get(sent.answerId),
    }),
  );
}
