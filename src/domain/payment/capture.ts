// Capture: takes what was authorized, whole or in parts (contract §4).
import { accept, type Decision, reject } from '../decider.ts';
import { Metadata } from '../metadata.ts';
import type { AttemptTiming } from './create.ts';
import type { PaymentEvent } from './events.ts';
import { isFinal, type Payment } from './payment.ts';
import { attemptOf, isKnown } from './queries.ts';
import { paymentIdOf } from './reference.ts';
import { inProgress, noSuchPayment, wrongStatus } from './refusals.ts';
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
