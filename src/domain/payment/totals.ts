// Status and totals of a payment as they follow from its attempts (contract §4, the table of transitions).
import { type Attempt, isBooked, isOpen } from './attempt.ts';
import type { Reason } from './outcome.ts';
import type { KnownPayment, PaymentStatus } from './payment.ts';

/** DECLINED, FAILED and CANCELLED are final (contract §4). */
export const isFinal = (status: PaymentStatus): boolean => status === 'DECLINED' || status === 'FAILED' || status === 'CANCELLED';

interface Sums {
  /** The total of the newest success among authorization and adjustments; one that is named or told late changes nothing of a newer one. */
  readonly authorized: number;
  /** The same of the adjustments alone: the payment's own new amount. */
  readonly adjustedTo: number | undefined;
  readonly captured: number;
  /** Captures that are open, unknown or pending. */
  readonly capturing: number;
  readonly refunded: number;
  readonly refunding: number;
  /** A capture that the processor has accepted and not confirmed. */
  readonly settling: boolean;
}

function sums(attempts: readonly Attempt[]): Sums {
  let authorized = 0;
  let adjustedTo: number | undefined;
  let captured = 0;
  let capturing = 0;
  let refunded = 0;
  let refunding = 0;
  let settling = false;
  for (const attempt of attempts) {
    if (attempt.operation === 'capture') {
      if (isBooked(attempt)) captured += attempt.bookedAmount ?? 0;
      else if (isOpen(attempt)) capturing += attempt.amount;
      settling ||= attempt.state === 'pending';
    } else if (attempt.operation === 'refund' && attempt.follows === undefined) {
      if (isBooked(attempt)) refunded += attempt.bookedAmount ?? 0;
      else if (isOpen(attempt)) refunding += attempt.amount;
    } else if (attempt.operation === 'authorization' && isBooked(attempt)) {
      authorized = attempt.bookedAmount ?? 0;
    } else if (attempt.operation === 'adjustment' && isBooked(attempt)) {
      adjustedTo = attempt.bookedAmount ?? 0;
      authorized = adjustedTo;
    }
  }
  return { authorized, adjustedTo, captured, capturing, refunded, refunding, settling };
}

/** How much more was refunded than captured, minor units: late words of successes are booked in full (contract §4). */
export const overRefundOf = ({ amountRefunded, amountCaptured }: Pick<KnownPayment, 'amountRefunded' | 'amountCaptured'>): number =>
  Math.max(0, amountRefunded - amountCaptured);

/** The authorization that counts. */
export const authorizationOf = (payment: Pick<KnownPayment, 'attempts'>): Attempt | undefined =>
  payment.attempts.findLast(({ operation }) => operation === 'authorization');

function statusOf(payment: KnownPayment, { captured, capturing, settling }: Sums): PaymentStatus {
  if (isFinal(payment.status)) return payment.status;
  const authorization = authorizationOf(payment);
  if (authorization === undefined || isOpen(authorization)) return 'PENDING';
  if (authorization.state === 'declined') return 'DECLINED';
  if (authorization.state !== 'succeeded') return 'FAILED';
  if (authorization.mismatched) return payment.restReleased ? 'FAILED' : 'PENDING';
  if (settling) return 'SETTLING';
  if (captured === 0) return payment.restReleased && capturing === 0 ? 'CANCELLED' : 'AUTHORIZED';
  return captured === payment.amountAuthorized ? 'SETTLED' : 'PARTIALLY_SETTLED';
}

/** What the payment as a whole has to explain: how it ended, else what is in doubt, else what its last operation was refused for. */
function statusReasonOf(payment: KnownPayment, status: PaymentStatus): Reason | undefined {
  const authorization = authorizationOf(payment);
  if (isFinal(status)) return status === 'CANCELLED' ? undefined : authorization?.reason;
  if (authorization?.mismatched) return authorization.reason;
  const inDoubt = payment.attempts.findLast(({ state }) => state === 'unknown');
  return (inDoubt ?? payment.attempts.findLast(({ operation }) => operation !== 'refund'))?.reason;
}

/** A payment that is being folded: a fresh copy that nobody else has seen, so it may be written to (rebuilds fold 100,000 events a second). */
export type Draft = { -readonly [K in keyof KnownPayment]: KnownPayment[K] };

/** Recomputes status, reason and totals; a final status stays with its reason, whatever comes later. */
export function retotalled(draft: Draft): KnownPayment {
  const total = sums(draft.attempts);
  const wasFinal = isFinal(draft.status);
  draft.amountAuthorized = total.authorized;
  if (total.adjustedTo !== undefined) draft.amount = total.adjustedTo;
  const status = statusOf(draft, total);
  draft.status = status;
  draft.amountCapturable = isFinal(status) || draft.restReleased ? 0 : draft.amountAuthorized - total.captured - total.capturing;
  draft.amountCaptured = total.captured;
  draft.amountCapturePending = total.capturing;
  draft.amountRefundable = Math.max(0, total.captured - total.refunded - total.refunding);
  draft.amountRefunded = total.refunded;
  draft.amountRefundPending = total.refunding;
  // What an operator accepted is never more than there is, so that a later excess is open again.
  if (draft.overRefundAccepted !== undefined) draft.overRefundAccepted = Math.min(draft.overRefundAccepted, overRefundOf(draft));
  if (wasFinal) return draft;
  const reason = statusReasonOf(draft, status);
  if (reason !== undefined) draft.statusReason = reason;
  if (reason !== undefined || draft.statusReason === undefined) return draft;
  const { statusReason: _explained, ...rest } = draft;
  return rest;
}
