// The events of a payment that are sent to merchants, and their types (contract §8, "Out"): at most one message for
// each event.
import type { Recorded } from '../decider.ts';
import type { Operation } from '../operation.ts';
import { disputeOf } from './dispute-answer.ts';
import type { PaymentEvent } from './events.ts';
import { isDeclined, isNotFound, isNotSent, isOnTheWay, isRequested, isReturned, operationOf } from './fact-names.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import { isKnown } from './queries.ts';
import { payment } from './state.ts';

/** The types of messages about payments; these are all. */
export const PAYMENT_MESSAGE_TYPES = [
  'PAYMENT.STATUS',
  'PAYMENT.REFUND',
  'PAYMENT.CAPTURE.FAILED',
  'PAYMENT.REFUND.FAILED',
  'PAYMENT.CANCELLATION.FAILED',
  'PAYMENT.ADJUSTMENT.FAILED',
  'DISPUTE.OPENED',
  'DISPUTE.STATUS',
] as const;
export type PaymentMessageType = (typeof PAYMENT_MESSAGE_TYPES)[number];

/** When each is sent, in a sentence. */
export const PAYMENT_MESSAGE_WORDS: { readonly [T in PaymentMessageType]: string } = {
  'PAYMENT.STATUS': 'The status of the payment changed.',
  'PAYMENT.REFUND': 'A refund succeeded.',
  'PAYMENT.CAPTURE.FAILED': 'A capture was refused, provably never happened, or was returned after it succeeded.',
  'PAYMENT.REFUND.FAILED': 'A refund was refused, provably never happened, or was returned after it succeeded.',
  'PAYMENT.CANCELLATION.FAILED': 'A cancellation was refused, or provably never happened.',
  'PAYMENT.ADJUSTMENT.FAILED': 'An adjustment was refused, or provably never happened.',
  'DISPUTE.OPENED': 'The customer disputed the payment, or a later round of the dispute was opened.',
  'DISPUTE.STATUS': 'The status of the dispute changed.',
};

/** A payment up to one of its events, and the status that its last message could tell. */
export interface ToldPayment {
  readonly payment: Payment;
  /** Undefined until an authorization has had its first word: the caller who makes a payment is answered. */
  readonly status?: PaymentStatus;
}

export const nothingTold: ToldPayment = { payment: payment.initial };

/**
 * The payment after an event, and the message that the event makes. The most specific type wins: a failure, a dispute
 * or a refund before a status. A request makes none, because nothing has happened yet.
 */
export function tellOf(
  before: ToldPayment,
  event: PaymentEvent,
  recorded: Recorded,
): { readonly told: ToldPayment; readonly type?: PaymentMessageType } {
  const after = payment.evolve(before.payment, slim(event), recorded);
  if (!isKnown(after) || isRequested(event) || isOnTheWay(event)) return { told: { ...before, payment: after } };
  const told: ToldPayment = { payment: after, status: after.status };
  const type =
    specificType(event, before.payment, after) ?? (after.status === before.status ? undefined : 'PAYMENT.STATUS');
  return { told, ...(type !== undefined && { type }) };
}

/** Without what decides no status: a projection keeps thousands of these. */
function slim(event: PaymentEvent): PaymentEvent {
  if (event.type !== 'PaymentCreated') return event;
  const { customer: _customer, order: _order, metadata: _metadata, ...data } = event.data;
  return { type: event.type, data };
}

const FAILURES: { readonly [O in Operation]?: PaymentMessageType } = {
  capture: 'PAYMENT.CAPTURE.FAILED',
  refund: 'PAYMENT.REFUND.FAILED',
  cancellation: 'PAYMENT.CANCELLATION.FAILED',
  adjustment: 'PAYMENT.ADJUSTMENT.FAILED',
};

function specificType(event: PaymentEvent, before: Payment, after: Payment): PaymentMessageType | undefined {
  if (isDeclined(event) || isReturned(event)) return FAILURES[operationOf(event)];
  // A reversal of ours that is tried again has not failed yet.
  if (isNotSent(event) || isNotFound(event))
    return event.data.retryAt === undefined ? FAILURES[operationOf(event)] : undefined;
  switch (event.type) {
    case 'RefundSucceeded':
    case 'RefundedOutside':
      return 'PAYMENT.REFUND';
    case 'DisputeOpened':
      return 'DISPUTE.OPENED';
    case 'DisputeEvidenceSubmitted':
    case 'DisputeAccepted':
    case 'DisputeWon':
    case 'DisputeLost':
    case 'DisputeExpired':
    case 'DisputePrevented':
      // A report that only repeats the status is not news, such as the processor's report on a dispute that our own
      // clock has ended.
      return disputeOf(before, event.data.disputeId)?.status === disputeOf(after, event.data.disputeId)?.status
        ? undefined
        : 'DISPUTE.STATUS';
    default:
      return undefined;
  }
}
