// The refusals that several operations on a payment share (contract §4, below the table of transitions).
import { type Rejection, reject } from '../decider.ts';
import { isInDoubt } from './attempt.ts';
import type { KnownPayment } from './payment.ts';

export const noSuchPayment = (): Rejection => reject('NotFound', 'There is no such payment.');

/** 400: the operation is not one for the payment's status. */
export const wrongStatus = (payment: KnownPayment, paymentId: string, operation: string): Rejection =>
  reject('InvalidPaymentStatus', `A payment that is ${payment.status} cannot be ${operation}.`, {
    paymentId,
    paymentStatus: payment.status,
  });

/**
 * 409 while an attempt is open or unknown, and while the processor has not confirmed a cancellation or an adjustment that it
 * accepted: what is held is not known. (A pending capture shows as SETTLING; pending refunds stand in nobody's way.)
 */
export function inProgress(payment: KnownPayment, paymentId: string, at: number): Rejection | undefined {
  const attempt = payment.attempts.find(
    (one) => isInDoubt(one) || (one.state === 'pending' && (one.operation === 'cancellation' || one.operation === 'adjustment')),
  );
  if (attempt === undefined) return undefined;
  const lookUpInSeconds = Math.ceil(((attempt.lookUpAt ?? at) - at) / 1_000);
  return reject('PaymentOperationInProgress', `The outcome of the ${attempt.operation} before is not known yet.`, {
    paymentId,
    paymentStatus: payment.status,
    // An answer comes any moment, a look-up at its time.
    retryAfterSeconds: attempt.state === 'open' ? 1 : Math.max(1, lookUpInSeconds),
  });
}
