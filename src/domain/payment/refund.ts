// Refund: gives back what was captured, whole or in parts, oldest capture first (contract §4). A prevented dispute and
// the processor's list of refunds may show the same money: it counts once (contract §13).

import { bareEventId } from '../category.ts';
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import { type Asked, type Attempt, isBooked, isOpen, type SucceededAttempt } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import { inProgress, noSuchPayment, wrongStatus } from './decline-reason.ts';
import type { Allocation, PaymentEvent } from './events.ts';
import type { Evidence } from './outcome.ts';
import type { Dispute, KnownPayment, Payment } from './payment.ts';
import { attemptOf, isKnown, openOverRefund } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { requestedAs } from './requested-as.ts';

interface RefundInput extends AttemptTiming {
  readonly attemptId: string;
  /** The transaction's id. */
  readonly refundId: string;
  /** Minor units, at least 1; without it what is left. */
  readonly amount?: number | undefined;
  readonly orderId?: string | undefined;
  readonly reason?: string | undefined;
  /** The id (`evt_<uuid>` or the bare UUID) of an event of the one capture that is refunded. */
  readonly transactionEventId?: string | undefined;
}

/**
 * Independent of every other attempt, within what is refundable. PaymentOperationInProgress (nothing is captured yet,
 * and that may change any moment), InvalidPaymentStatus, PaymentDisputed, PaymentAlreadyRefunded,
 * UnprocessableRefundAmount, or RequestValidationError when no capture has the event.
 */
export const requestRefund =
  (request: RefundInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const { attemptId, refundId, amount, orderId, reason, at, sendBy, callEndsAt } = request;
    if (attemptOf(payment, attemptId) !== undefined) return accept();
    const paymentId = paymentIdOf(attemptId);
    if (payment.amountCaptured === 0)
      return inProgress(payment, paymentId, at) ?? wrongStatus(payment, paymentId, 'refunded');
    const captures = refundableCaptures(payment, request.transactionEventId);
    if ('kind' in captures) return captures;
    const details = { paymentId, paymentStatus: payment.status };
    const { amountRefundable } = payment;
    if (isStoppedByDispute(payment, amount ?? 1))
      return reject(
        'PaymentDisputed',
        `${payment.amountDisputed} is disputed: ${amountRefundable} can be refunded.`,
        details,
      );
    if (amountRefundable === 0)
      return reject('PaymentAlreadyRefunded', 'The captured amount is fully refunded or being refunded.', details);
    // Late words may have taken more from one capture than it had: what is left of the others is not all refundable.
    const left = captures.reduce((total, capture) => total + capture.amount, 0);
    const refundable = Math.min(left, amountRefundable);
    if (refundable === 0) return reject('PaymentAlreadyRefunded', exhausted(amountRefundable), details);
    const wanted = amount ?? refundable;
    if (!(wanted >= 1 && wanted <= refundable)) {
      return reject('UnprocessableRefundAmount', `Between 1 and ${refundable} can be refunded.`, details);
    }
    const data = {
      ...requestedAs(payment, attemptId, { at, sendBy, callEndsAt }),
      refundId,
      amount: wanted,
      currencyCode: payment.currencyCode,
      allocations: oldestFirst(captures, wanted),
      ...(orderId !== undefined && { orderId }),
      ...(reason !== undefined && { reason }),
    };
    return accept({ type: 'RefundRequested', data });
  };

const isStoppedByDispute = (
  { amountCaptured, amountRefunded, amountRefundPending, amountRefundable }: KnownPayment,
  wanted: number,
): boolean => wanted > amountRefundable && wanted <= amountCaptured - amountRefunded - amountRefundPending;

const exhausted = (amountRefundable: number): string =>
  `The capture named by transactionEventId is fully refunded or being refunded. ${amountRefundable} can still be refunded from the other captures.`;

/** The refundable amount of each capture, or of the capture that an event belongs to. */
function refundableCaptures(
  payment: KnownPayment,
  transactionEventId: string | undefined,
): readonly Allocation[] | Rejection {
  const captures = refundable(payment.attempts);
  if (transactionEventId === undefined) return captures;
  const id = bareEventId(transactionEventId);
  const isMeant = ({ attemptId }: Allocation): boolean =>
    attemptOf(payment, attemptId)?.events.some((event) => event.id === id) === true;
  const chosen = captures.find(isMeant);
  if (chosen !== undefined) return [chosen];
  const violations = [{ path: '$.transactionEventId', description: 'Must be the event id of a capture.' }];
  return reject('RequestValidationError', 'No capture of this payment has this event id.', { violations });
}

/** What is left of each capture. */
function refundable(attempts: readonly Attempt[]): readonly Allocation[] {
  const taken = takenFrom(attempts);
  return attempts.filter(isBookedCapture).map(({ attemptId, bookedAmount }) => ({
    attemptId,
    amount: Math.max(0, bookedAmount - (taken.get(attemptId) ?? 0)),
  }));
}

const isBookedCapture = (attempt: Attempt): attempt is Asked & SucceededAttempt =>
  attempt.operation === 'capture' && isBooked(attempt);

/** The amount that refunds, done or in progress, have taken from each capture. */
function takenFrom(attempts: readonly Attempt[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const attempt of attempts) {
    if (!isOpen(attempt) && !isBooked(attempt)) continue;
    for (const { attemptId, amount } of attempt.refund?.allocations ?? [])
      taken.set(attemptId, (taken.get(attemptId) ?? 0) + amount);
  }
  return taken;
}

/** The captures that a refund of this amount is taken from, which somebody made at the processor. */
export const allocated = ({ attempts }: KnownPayment, amount: number): Allocation[] =>
  oldestFirst(refundable(attempts), amount);

function oldestFirst(captures: readonly Allocation[], wanted: number): Allocation[] {
  const allocations: Allocation[] = [];
  let left = wanted;
  for (const { attemptId, amount } of captures) {
    const part = Math.min(left, amount);
    if (part > 0) allocations.push({ attemptId, amount: part });
    left -= part;
  }
  return allocations;
}

interface ShownRefund {
  /** The processor's own name for it. */
  readonly name: string;
  /** Minor units. */
  readonly amount: number;
}
type DisputeRefunds = NonNullable<Dispute['refunded']>;

/**
 * Those of the processor's refunds that no prevented dispute explains. A dispute that names none explains one of its
 * amount.
 */
export function unexplained<Refund extends ShownRefund>(
  disputes: readonly Dispute[],
  refunds: readonly Refund[],
): readonly Refund[] {
  let left = refunds;
  for (const { refunded } of disputes) {
    if (refunded === undefined) continue;
    const { amount, refunds: names } = refunded;
    const unnamed = names.length > 0 ? undefined : left.find((refund) => refund.amount === amount);
    left = left.filter((refund) => refund !== unnamed && !names.includes(refund.name));
  }
  return left;
}

/** What a prevented dispute refunded, less its refunds that are on record: by name, or one of its amount. */
export function apartFrom(attempts: readonly Attempt[], { amount, refunds }: DisputeRefunds): DisputeRefunds {
  const onRecord = attempts.filter(isBooked).filter(({ operation }) => operation === 'refund');
  const unnamed = onRecord.find(({ outside, bookedAmount }) => outside === true && bookedAmount === amount);
  if (refunds.length === 0) return { amount: unnamed === undefined ? amount : 0, refunds };
  const known = onRecord.filter(({ processorTransactionId }) => refunds.includes(processorTransactionId));
  return { amount: Math.max(0, amount - known.reduce((sum, { bookedAmount }) => sum + bookedAmount, 0)), refunds };
}

/**
 * Accepts what is refunded beyond what was captured, as it is now; nothing when there is no such thing. What is told
 * later opens it again.
 */
export const acceptOverRefund =
  (evidence: Evidence) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const amount = openOverRefund(payment);
    return amount === 0
      ? accept()
      : accept({ type: 'OverRefundAccepted', data: { amount, currencyCode: payment.currencyCode, evidence } });
  };
