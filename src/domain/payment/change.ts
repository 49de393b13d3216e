// What a caller changes of an authorized payment (contract §4): a capture takes the amount, whole or in parts; a
// cancellation voids it, or releases the rest; an adjustment asks for another total of an estimated one.
import { accept, type Decision, reject } from '../decider.ts';
import { Metadata } from '../metadata.ts';
import { type Attempt, authorizationOf, awaitsCustomer, isMismatched, isOpen } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import { inProgress, noSuchPayment, wrongStatus } from './decline-reason.ts';
import type { PaymentEvent } from './events.ts';
import { usesHold } from './operations.ts';
import { isFinal, type KnownPayment, type Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { requestedAs } from './requested-as.ts';

interface CaptureInput extends AttemptTiming {
  readonly attemptId: string;
  /** Minor units, at least 1; without it what is left. */
  readonly amount?: number | undefined;
  /** True if the rest is released. */
  readonly final: boolean;
  /** Merged by key into the payment's. */
  readonly metadata?: Metadata | undefined;
}

/**
 * PaymentOperationInProgress, InvalidPaymentStatus, UnprocessableCaptureAmount, or RequestValidationError when the
 * metadata grows too large.
 */
export const requestCapture =
  ({ attemptId, amount: asked, final, metadata, at, sendBy, callEndsAt }: CaptureInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (attemptOf(payment, attemptId) !== undefined) return accept();
    const paymentId = paymentIdOf(attemptId);
    if (isFinal(payment.status)) return wrongStatus(payment, paymentId, 'captured');
    const busy = inProgress(payment, paymentId, at);
    if (busy !== undefined) return busy;
    const capturable = payment.status === 'AUTHORIZED' || payment.status === 'PARTIALLY_SETTLED';
    if (!capturable || payment.amountCapturable === 0) return wrongStatus(payment, paymentId, 'captured');
    const amount = asked ?? payment.amountCapturable;
    if (!(amount >= 1 && amount <= payment.amountCapturable)) {
      return reject('UnprocessableCaptureAmount', `Between 1 and ${payment.amountCapturable} can be captured.`, {
        paymentId,
        paymentStatus: payment.status,
      });
    }
    const merged = metadata === undefined ? undefined : Metadata.safeParse({ ...payment.metadata, ...metadata });
    if (merged !== undefined && !merged.success) {
      const violations = merged.error.issues.map(({ message }) => ({ path: '$.metadata', description: message }));
      return reject(
        'RequestValidationError',
        'The metadata is too large when merged with the metadata of the payment.',
        { violations },
      );
    }
    const request = requestedAs(payment, attemptId, { at, sendBy, callEndsAt });
    const data = {
      ...request,
      amount,
      currencyCode: payment.currencyCode,
      final,
      ...(metadata !== undefined && { metadata }),
    };
    return accept({ type: 'CaptureRequested', data });
  };

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

interface AdjustmentInput extends AttemptTiming {
  readonly attemptId: string;
  /** The new total in minor units, at least 1; lower than before is allowed. */
  readonly amount: number;
}

/** PaymentOperationInProgress, InvalidPaymentStatus, IncorrectPaymentAuthorizationType, in this order. */
export const requestAdjustment =
  ({ attemptId, amount, at, sendBy, callEndsAt }: AdjustmentInput) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    if (attemptOf(payment, attemptId) !== undefined) return accept();
    const paymentId = paymentIdOf(attemptId);
    if (isFinal(payment.status)) return wrongStatus(payment, paymentId, 'adjusted');
    const busy = inProgress(payment, paymentId, at);
    if (busy !== undefined) return busy;
    if (payment.status !== 'AUTHORIZED') return wrongStatus(payment, paymentId, 'adjusted');
    if (payment.paymentMethod.authorizationType !== 'ESTIMATED') {
      const details = { paymentId, paymentStatus: payment.status };
      return reject('IncorrectPaymentAuthorizationType', 'Only an ESTIMATED authorization can be adjusted.', details);
    }
    const request = requestedAs(payment, attemptId, { at, sendBy, callEndsAt });
    return accept({ type: 'AdjustmentRequested', data: { ...request, amount, currencyCode: payment.currencyCode } });
  };
