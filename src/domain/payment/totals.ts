// Status and totals of a payment as they follow from its attempts and disputes (contract §4, the table of transitions).

import { METHODS } from '../payment-method.ts';
import { type Attempt, authorizationOf, isBooked, isCapturedWith, isMismatched, isOpen } from './attempt.ts';
import { amountDisputedIn, amountLostIn } from './dispute-fold.ts';
import { rulesOf, type Sums, usesHold } from './operations.ts';
import { type Cause, isFinal, type KnownPayment, type PaymentFacts, type PaymentStatus } from './payment.ts';

function sumsOf(attempts: readonly Attempt[]): Sums {
  const sums: Sums = {
    authorized: 0,
    adjustedTo: undefined,
    captured: 0,
    capturing: 0,
    refunded: 0,
    refunding: 0,
    settling: false,
    released: false,
  };
  for (const attempt of attempts) {
    const rules = rulesOf(attempt.operation);
    if (isBooked(attempt)) rules.add(sums, attempt);
    else if (isOpen(attempt)) rules.reserve?.(sums, attempt);
  }
  return sums;
}

/**
 * How much more was refunded than captured, minor units: late words of successes are booked in full (contract §4). A
 * debit that the customer's bank took back is captured no longer, whether the processor reports a return or a dispute.
 */
export const overRefundOf = ({
  amountRefunded,
  amountCaptured,
  disputes,
  paymentMethod,
  currencyCode,
}: Pick<PaymentFacts, 'amountRefunded' | 'amountCaptured' | 'disputes' | 'paymentMethod' | 'currencyCode'>): number => {
  const isDebit = METHODS[paymentMethod.paymentMethodType].action === 'none';
  const takenBack = isDebit ? disputes.filter((dispute) => dispute.currencyCode === currencyCode) : [];
  const lost = takenBack.reduce((sum, dispute) => sum + amountLostIn(dispute), 0);
  return Math.max(0, amountRefunded - Math.max(0, amountCaptured - lost));
};

function statusOf(draft: Draft, { captured, capturing, settling }: Sums): PaymentStatus {
  if (isFinal(draft.status)) return draft.status;
  const authorization = authorizationOf(draft);
  if (authorization === undefined || isOpen(authorization)) return 'PENDING';
  if (authorization.state === 'declined') return authorization.retriedAs === undefined ? 'DECLINED' : 'PENDING';
  if (authorization.state === 'not_sent' && authorization.retriedAs !== undefined) return 'PENDING';
  if (authorization.state !== 'succeeded') return 'FAILED';
  if (isMismatched(authorization)) return draft.restReleased ? 'FAILED' : 'PENDING';
  if (settling) return 'SETTLING';
  if (captured === 0) {
    if (!draft.restReleased || capturing > 0) return 'AUTHORIZED';
    return draft.attempts.some(isTakenBack) ? 'FAILED' : 'CANCELLED';
  }
  return captured === draft.amountAuthorized ? 'SETTLED' : 'PARTIALLY_SETTLED';
}

/** Paid, and then returned: a debit that the customer's bank took back. */
const isTakenBack = (attempt: Attempt): boolean => isCapturedWith(attempt) && attempt.state === 'returned';

/** Why an attempt did not succeed, or is not known to have. */
export function causeOf(attempt: Attempt, { paymentMethod }: Pick<PaymentFacts, 'paymentMethod'>): Cause | undefined {
  const { operation } = attempt;
  switch (attempt.state) {
    case 'open':
    case 'pending':
    case 'action_required':
      return undefined;
    case 'succeeded':
      return attempt.mismatched === true ? { because: 'mismatched', operation } : undefined;
    case 'unknown':
      return { because: attempt.reported === undefined ? 'unknown' : 'mismatched', operation };
    case 'declined':
      return { because: 'declined', operation, code: attempt.code, declineType: attempt.declineType };
    case 'returned': {
      const { code, declineType } = attempt;
      return {
        because: 'returned',
        operation,
        ...(code !== undefined && { code }),
        ...(declineType !== undefined && { declineType }),
      };
    }
    case 'not_found':
      return { because: attempt.byOperator === true ? 'did_not_happen' : 'not_found', operation };
    case 'not_sent':
      return { because: 'not_sent', operation };
    case 'action_expired':
      return {
        because: METHODS[paymentMethod.paymentMethodType].action === 'frame' ? 'action_expired' : 'not_paid',
        operation,
      };
    default:
      return attempt satisfies never;
  }
}

/** The customer has nothing more to do here, and the money comes days later. */
const isAwaitingFunds = ({ state }: Attempt, { paymentMethod }: Pick<PaymentFacts, 'paymentMethod'>): boolean =>
  METHODS[paymentMethod.paymentMethodType].answer === 'delayed' && (state === 'pending' || state === 'action_required');

/**
 * The fact that explains the payment as a whole: its end, otherwise an unknown outcome, otherwise the refusal of its
 * last operation.
 */
function statusCauseOf(draft: Draft, status: PaymentStatus): Cause | undefined {
  if (status === 'CANCELLED') return undefined;
  const authorization = authorizationOf(draft);
  const takenBack = status === 'FAILED' ? draft.attempts.find(isTakenBack) : undefined;
  const decisive = takenBack ?? authorization;
  if (decisive !== undefined && (isFinal(status) || isMismatched(decisive))) return causeOf(decisive, draft);
  if (authorization !== undefined && isAwaitingFunds(authorization, draft))
    return { because: 'awaiting_funds', operation: 'authorization' };
  const unknown = draft.attempts.findLast(({ state }) => state === 'unknown');
  const explained = unknown ?? draft.attempts.findLast(usesHold);
  return explained === undefined ? undefined : causeOf(explained, draft);
}

/**
 * A payment that is being folded: a fresh copy that nobody else has seen, so it may be written to (rebuilds fold
 * 100,000 events a second).
 */
export type Draft = { -readonly [K in keyof PaymentFacts]: PaymentFacts[K] } & {
  status: PaymentStatus;
  statusReason?: Cause | undefined;
  processorTransactionId?: string;
};

/** Recomputes status, reason and totals; a final status stays with its reason, whatever comes later. */
export function retotalled(draft: Draft): KnownPayment {
  const total = sumsOf(draft.attempts);
  const wasFinal = isFinal(draft.status);
  draft.amountAuthorized = total.authorized;
  draft.restReleased = draft.holdExpired || total.released;
  if (total.adjustedTo !== undefined) draft.amount = total.adjustedTo;
  const status = statusOf(draft, total);
  draft.status = status;
  draft.amountCapturable =
    isFinal(status) || draft.restReleased ? 0 : draft.amountAuthorized - total.captured - total.capturing;
  draft.amountCaptured = total.captured;
  draft.amountCapturePending = total.capturing;
  draft.amountDisputed =
    draft.disputes.length === 0 ? 0 : amountDisputedIn(draft.disputes, draft.currencyCode, total.captured);
  draft.amountRefundable = Math.max(0, total.captured - total.refunded - total.refunding - draft.amountDisputed);
  draft.amountRefunded = total.refunded;
  draft.amountRefundPending = total.refunding;
  // The accepted excess is never more than the current one, so a later excess is open again.
  if (draft.overRefundAccepted !== undefined)
    draft.overRefundAccepted = Math.min(draft.overRefundAccepted, overRefundOf(draft));
  if (wasFinal) return finished(draft);
  const cause = statusCauseOf(draft, status);
  if (cause !== undefined) draft.statusReason = cause;
  if (cause !== undefined || draft.statusReason === undefined) return finished(draft);
  const { statusReason: _explained, ...rest } = draft;
  return finished(rest);
}

/** Throws where the status lacks what belongs to it: no history of facts makes such a payment. */
export function finished(draft: Draft): KnownPayment {
  if (!isWhole(draft)) throw new TypeError(`a payment that is ${draft.status} lacks what belongs to it`);
  return draft;
}

function isWhole(draft: Draft): draft is Draft & KnownPayment {
  switch (draft.status) {
    case 'PENDING':
      return true;
    case 'AUTHORIZED':
    case 'SETTLING':
    case 'PARTIALLY_SETTLED':
    case 'SETTLED':
      return draft.processorTransactionId !== undefined;
    case 'DECLINED':
    case 'FAILED':
      return draft.statusReason !== undefined;
    case 'CANCELLED':
      return draft.statusReason === undefined;
    default:
      return draft.status satisfies never;
  }
}
