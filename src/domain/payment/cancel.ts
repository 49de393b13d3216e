// Cancel: voids an authorization, or releases the rest of a partly captured one (contract §4).
import { accept, type Decision } from '../decider.ts';
import { type Attempt, authorizationOf, awaitsCustomer, isMismatched, isOpen } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import type { PaymentEvent } from './events.ts';
import { usesHold } from './operations.ts';
import { isFinal, type KnownPayment, type Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { inProgress, noSuchPayment, wrongStatus } from './refusals.ts';
import { requestedAs } from './requested-as.ts';

interface CancellationInput extends AttemptTiming {
  readonly attemptId: string;
  readonly reason?: string | undefined;
}

/**
 * PENDING with nothing in flight is cancelled here and now; with an open attempt the wish is on record before anybody
 * is asked, and the void follows when the attempt is known (settle.ts). PaymentOperationInProgress,
 * InvalidPaymentStatus.
 */
export const requestCancellation =
  (request: CancellationInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const { attemptId, at } = request;
    if (attemptOf(payment, attemptId) !== undefined || payment.cancellation?.attemptId === attemptId) return accept();
    const paymentId = paymentIdOf(attemptId);
    if (isFinal(payment.status)) return wrongStatus(payment, paymentId, 'cancelled');
    if (payment.status === 'PENDING') return cancelPending(payment, request);
    const busy = inProgress(payment, paymentId, at, inTheWay(payment));
    if (busy !== undefined) return busy;
    const open = payment.status === 'AUTHORIZED' || payment.status === 'PARTIALLY_SETTLED';
    if (!open || payment.amountCapturable === 0) return wrongStatus(payment, paymentId, 'cancelled');
    return accept(requested(payment, request));
  };

/** Captured money is refunded, whatever happens to the rest. */
const inTheWay = ({ status, attempts }: KnownPayment): readonly Attempt[] =>
  status === 'PARTIALLY_SETTLED' ? attempts.filter(usesHold) : attempts;

function cancelPending(payment: KnownPayment, request: CancellationInput): Decision<PaymentEvent> {
  const { attemptId, reason } = request;
  const wish = { attemptId, ...(reason !== undefined && { reason }) };
  const authorization = authorizationOf(payment);
  const isMismatchedHold = authorization !== undefined && isMismatched(authorization);
  if (payment.attempts.some((attempt) => isOpen(attempt) && attempt.fenced === undefined)) {
    const underWay = payment.cancellation !== undefined || isMismatchedHold;
    if (underWay) return accept();
    // A process that dies before the fence leaves work that falls due.
    const due = payment.attempts.some(awaitsCustomer) ? { nextLookUpAt: request.callEndsAt } : {};
    return accept({ type: 'CancellationIntended', data: { ...wish, ...due } });
  }
  // The customer who was to act, or has just come back from it, can do so no longer: that attempt is over with the
  // payment.
  const acting = payment.attempts.filter(isOpen);
  const ended = acting.map(
    (attempt): PaymentEvent => ({ type: 'CustomerActionExpired', data: { attemptId: attempt.attemptId } }),
  );
  // A mismatched authorization whose void came to nothing is still held over there.
  return isMismatchedHold
    ? accept(requested(payment, request))
    : accept({ type: 'PaymentCancelled', data: wish }, ...ended);
}

const requested = (payment: KnownPayment, { attemptId, reason, ...timing }: CancellationInput): PaymentEvent => ({
  type: 'CancellationRequested',
  data: { ...requestedAs(payment, attemptId, timing), ...(reason !== undefined && { reason }) },
});
