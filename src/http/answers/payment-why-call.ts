// A call to a processor in a step of GET /payments/{id}/why: the request, and the reported outcome (contract §4).
import { z } from 'zod';
import { Operation } from '../../domain/operation.ts';
import { disputeOf } from '../../domain/payment/dispute-answer.ts';
import type { Fact, PaymentEvent } from '../../domain/payment/events.ts';
import { isOfOperation, isRequested, type Result, resultOf } from '../../domain/payment/fact-names.ts';
import { EvidenceSource } from '../../domain/payment/outcome.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';

/** The operations of a payment, and the merchant's answer to a dispute. */
const Called = z.enum([...Operation.options, 'dispute_answer']);
export const WhyCall = z.strictObject({
  operation: Called,
  processor: z.string(),
  reference: z.string(),
  amount: z.int().optional(),
  currencyCode: z.string().optional(),
});
export const WhyTold = z.strictObject({
  source: EvidenceSource,
  operation: Called.optional(),
  outcome: z.string(),
  reference: z.string().optional(),
  processorTransactionId: z.string().optional(),
  amount: z.int().optional(),
  currencyCode: z.string().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
  sentAt: Instant.optional(),
  occurredAt: Instant.optional(),
});
/** The request that was sent to the processor. */
export function callOf(event: PaymentEvent, after: Payment): z.infer<typeof WhyCall> | undefined {
  if (event.type === 'DisputeAnswerRequested') return disputeCall(event, after);
  if (!isRequested(event)) return undefined;
  const attempt = attemptOf(after, event.data.attemptId);
  if (attempt === undefined) return undefined;
  const { data } = event;
  const money = 'amount' in data ? { amount: data.amount, currencyCode: data.currencyCode } : {};
  return { operation: attempt.operation, processor: attempt.processor, reference: data.reference, ...money };
}

/** With the money that the answer is about: what is disputed. */
function disputeCall({ data }: Fact<'DisputeAnswerRequested'>, after: Payment): z.infer<typeof WhyCall> | undefined {
  const dispute = disputeOf(after, data.disputeId);
  if (dispute === undefined || !isKnown(after)) return undefined;
  const { amount, currencyCode, attemptId } = dispute;
  const { processor } = (attemptId === undefined ? undefined : attemptOf(after, attemptId)) ?? after;
  return { operation: 'dispute_answer', processor, reference: data.reference, amount, currencyCode };
}

/** The outcome of an attempt in a fact that names no operation. */
const OUTCOMES: { readonly [T in PaymentEvent['type']]?: Result | 'fenced' | 'requires_action' } = {
  SuccessConfirmed: 'succeeded',
  LateSuccessRecorded: 'succeeded',
  MismatchRecorded: 'succeeded',
  AttemptFenced: 'fenced',
  CustomerActionRequired: 'requires_action',
  DisputeAnswerDeclined: 'declined',
  DisputeAnswerPending: 'pending',
  DisputeAnswerNotSent: 'not_sent',
  DisputeAnswerOutcomeUnknown: 'unknown',
  DisputeAnswerNotFound: 'not_found',
};

/** The report of the processor or a person. */
export function toldOf(
  event: PaymentEvent,
  operation: Operation | undefined,
  after: Payment,
): z.infer<typeof WhyTold> | undefined {
  const { data } = event;
  if (!('evidence' in data) || data.evidence === undefined) return undefined;
  if (data.evidence.source === 'clock') return undefined; // nobody has told
  const { source, detail, sentAt, occurredAt } = data.evidence;
  const attempt = 'attemptId' in data && data.attemptId !== undefined ? attemptOf(after, data.attemptId) : undefined;
  const answer =
    'answerId' in data && data.answerId !== undefined ? disputeOf(after, data.disputeId)?.answer : undefined;
  const isLookUp = event.type === 'LookUpRecorded' || event.type === 'DisputeLookUpRecorded';
  const outcome = isLookUp ? event.data.answer : isOfOperation(event) ? resultOf(event) : OUTCOMES[event.type];
  const isRefusal = 'refused' in data && data.refused === true;
  return {
    source,
    ...(operation !== undefined && { operation }),
    ...(answer !== undefined && { operation: 'dispute_answer' as const }),
    outcome: isRefusal ? 'refused' : (outcome ?? 'told'),
    ...(attempt !== undefined && { reference: attempt.reference }),
    ...(answer !== undefined && { reference: answer.reference }),
    ...('processorTransactionId' in data &&
      data.processorTransactionId !== undefined && { processorTransactionId: data.processorTransactionId }),
    ...('amount' in data && data.amount !== undefined && { amount: data.amount }),
    ...('currencyCode' in data && data.currencyCode !== undefined && { currencyCode: data.currencyCode }),
    ...('code' in data && data.code !== undefined && { code: data.code }),
    ...(detail !== undefined && { detail }),
    ...(sentAt !== undefined && { sentAt: formatTime(sentAt) }),
    ...(occurredAt !== undefined && { occurredAt: formatTime(occurredAt) }),
  };
}
