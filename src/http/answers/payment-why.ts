// GET /payments/{id}/why (contract §4): the causal chain of a payment. Each step is an event of the payment or of a
// notification, with what it says for programs and in words, and names the event that led to it.
import { z } from 'zod';
import type { NotificationEvent } from '../../domain/notification/events.ts';
import { parkedReason } from '../../domain/notification/state.ts';
import { Operation } from '../../domain/operation.ts';
import { disputeOf } from '../../domain/payment/dispute-answer.ts';
import { whyWords } from '../../domain/payment/event-words.ts';
import type { Fact, PaymentEvent } from '../../domain/payment/events.ts';
import { isOfOperation, isRequested, type Result, resultOf } from '../../domain/payment/fact-names.ts';
import { EvidenceSource } from '../../domain/payment/outcome.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { attemptOf, isKnown } from '../../domain/payment/queries.ts';
import type { NotificationStep, PaymentStep, PaymentWhy, WhyStep } from '../../queries/read-payment-why.ts';
import { formatTime } from '../../world.ts';
import { answer, unlessEmpty } from './answer.ts';
import { PaymentStatusName } from './payment-status.ts';
import { Instant } from './shapes.ts';
import { STEP, stepOf, whoOf } from './why.ts';

/** The operations of a payment, and the merchant's answer to a dispute. */
const Called = z.enum([...Operation.options, 'dispute_answer']);
const WhyCall = z.strictObject({
  operation: Called,
  processor: z.string(),
  reference: z.string(),
  amount: z.int().optional(),
  currencyCode: z.string().optional(),
});
const WhyTold = z.strictObject({
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
function callOf(event: PaymentEvent, after: Payment): z.infer<typeof WhyCall> | undefined {
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
function toldOf(
  event: PaymentEvent,
  operation: Operation | undefined,
  after: Payment,
): z.infer<typeof WhyTold> | undefined {
  const { data } = event;
  if (!('evidence' in data) || data.evidence === undefined) return undefined;
  if (data.evidence.source === 'clock') return undefined; // nobody has told
  const { source, detail, sentAt, occurredAt } = data.evidence;
  const attempt = 'attemptId' in data && data.attemptId !== undefined ? attemptOf(after, data.attemptId) : undefined;
  const answerToDispute =
    'answerId' in data && data.answerId !== undefined ? disputeOf(after, data.disputeId)?.answer : undefined;
  const isLookUp = event.type === 'LookUpRecorded' || event.type === 'DisputeLookUpRecorded';
  const outcome = isLookUp ? event.data.answer : isOfOperation(event) ? resultOf(event) : OUTCOMES[event.type];
  const isRefusal = 'refused' in data && data.refused === true;
  return answer(WhyTold, data, {
    source,
    operation: answerToDispute === undefined ? operation : 'dispute_answer',
    outcome: isRefusal ? 'refused' : (outcome ?? 'told'),
    reference: (answerToDispute ?? attempt)?.reference,
    detail,
    sentAt,
    occurredAt,
  });
}

const KINDS = ['ASKED', 'DECIDED', 'ANSWERED', 'LOOKED_UP', 'NOTIFIED', 'RESOLVED'] as const;
type StepKind = (typeof KINDS)[number];
const AMOUNTS = [
  'amountAuthorized',
  'amountCapturable',
  'amountCaptured',
  'amountRefundable',
  'amountRefunded',
] as const;

const Notified = z.strictObject({
  processor: z.string(),
  notificationId: z.string(),
  receivedAt: Instant,
  status: z.enum(['received', 'parked', 'applied', 'discarded']),
});
const Change = z.strictObject({
  member: z.enum(['status', ...AMOUNTS]),
  from: z.union([z.string(), z.int()]).optional(),
  to: z.union([z.string(), z.int()]),
});

const { id, type, words, date, ...others } = STEP;
const PaymentWhyStep = z
  .strictObject({
    id,
    kind: z.enum(KINDS),
    type,
    words,
    date,
    revision: z.int().min(0).optional(),
    ...others,
    call: WhyCall.optional(),
    told: WhyTold.optional(),
    notification: Notified.optional(),
    changed: z.array(Change).min(1).optional(),
  })
  .meta({ id: 'PaymentWhyStep' });
type PaymentWhyStep = z.infer<typeof PaymentWhyStep>;

/** `known`: the events that a step may name as its cause. `names`: of API keys and users, by id. */
function paymentWhyStep(step: WhyStep, known: ReadonlySet<string>, names: ReadonlyMap<string, string>): PaymentWhyStep {
  const common = stepOf(step.one, known, names);
  const who = whoOf(common.by);
  return { ...common, ...(step.kind === 'payment' ? paymentStep(step, who) : notificationStep(step, who)) };
}

type StepPart = Pick<PaymentWhyStep, 'kind' | 'words' | 'revision' | 'call' | 'told' | 'notification' | 'changed'>;

function paymentStep({ one: { event, recorded }, before, after, operation }: PaymentStep, who: string): StepPart {
  return {
    kind: kindOf(event),
    words: whyWords(event, operation, who, formatTime),
    revision: recorded.revision,
    call: callOf(event, after),
    told: toldOf(event, operation, after),
    changed: unlessEmpty(changesOf(before, after)),
  };
}

const BY_SOURCE: { readonly [S in EvidenceSource | 'clock']: StepKind } = {
  clock: 'DECIDED',
  answer: 'ANSWERED',
  lookup: 'LOOKED_UP',
  notification: 'NOTIFIED',
  operator: 'RESOLVED',
};

/** The requests other than operations. */
const ASKING: ReadonlySet<PaymentEvent['type']> = new Set([
  'PaymentCreated',
  'CancellationIntended',
  'AuthorizationResumed',
  'CustomerActionGivenUp',
  'DisputeEvidenceDrafted',
  'DisputeAnswerRequested',
] as const);

function kindOf(event: PaymentEvent): StepKind {
  const { data } = event;
  if ('evidence' in data && data.evidence !== undefined) return BY_SOURCE[data.evidence.source];
  if (ASKING.has(event.type)) return 'ASKED';
  return isRequested(event) && event.data.follows === undefined ? 'ASKED' : 'DECIDED';
}

function changesOf(before: Payment, after: Payment): z.infer<typeof Change>[] {
  if (!isKnown(after)) return [];
  const was = isKnown(before) ? before : undefined;
  return (['status', ...AMOUNTS] as const).flatMap((member) => {
    const [from, to] = [was?.[member], after[member]];
    if (from === to || (from === undefined && to === 0)) return [];
    return [{ member, from, to }];
  });
}

function notificationStep({ one: { event }, after }: NotificationStep, who: string): StepPart {
  if (after.status === 'absent') throw new TypeError('a notification with an event is absent');
  const { processor, notificationId, receivedAt, status } = after;
  return {
    kind: 'NOTIFIED',
    words: notificationWords(event, processor, who),
    notification: { processor, notificationId, receivedAt: formatTime(receivedAt), status },
  };
}

function notificationWords(event: NotificationEvent, processor: string, who: string): string {
  switch (event.type) {
    case 'NotificationReceived':
      return `A notification of the processor ${processor} arrived. ${who} delivered it. The notification was recorded first.`;
    case 'NotificationParked':
      return `The notification was parked: ${parkedReason(event.data.reason)}`;
    case 'NotificationRetryRequested':
      return `${who} asked to retry the notification.`;
    case 'NotificationApplied':
      return 'The notification was applied to the payment.';
    case 'NotificationAppliedToInstrument':
      return 'The notification was applied to the saved payment method.';
    case 'CustomerErased':
      return `${who} erased the customer, and the body of the notification with the customer.`;
    case 'NotificationDiscarded':
      return `${who} discarded the notification.`;
    default:
      return event satisfies never;
  }
}

/** Without `nextCursor` there are no more. */
export const PaymentWhyAnswer = z
  .strictObject({
    id: z.string(),
    status: PaymentStatusName,
    version: z.int().min(0),
    data: z.array(PaymentWhyStep),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'PaymentWhy' });
export type PaymentWhyAnswer = z.infer<typeof PaymentWhyAnswer>;

/** `names`: of other actors than API keys, by id. */
export function paymentWhyAnswer(why: PaymentWhy, nextCursor?: string): PaymentWhyAnswer {
  const { payment, steps, known, names } = why;
  return {
    id: payment.id,
    status: payment.doc.status,
    version: payment.revision,
    data: steps.map((step) => paymentWhyStep(step, known, names)),
    nextCursor,
  };
}
