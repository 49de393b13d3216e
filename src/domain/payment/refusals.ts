// The refusals that several operations on a payment share (contract §4, below the table of transitions).
import { type Rejection, reject } from '../decider.ts';
import { type Attempt, isOpen } from './attempt.ts';
import type { KnownPayment } from './payment.ts';

export const noSuchPayment = (): Rejection => reject('NotFound', 'There is no such payment.');

/** 400: the operation is not one for the payment's status. */
export const wrongStatus = (payment: KnownPayment, paymentId: string, operation: string): Rejection =>
  reject('InvalidPaymentStatus', `A payment with the status ${payment.status} cannot be ${operation}.`, {
    paymentId,
    paymentStatus: payment.status,
  });

/**
 * 409 while one of these attempts is open, unknown, or accepted by the processor and not confirmed (contract §4): what
 * is held, and what may still be taken of it, is not known before.
 */
export function inProgress(
  payment: KnownPayment,
  paymentId: string,
  at: number,
  attempts: readonly Attempt[] = payment.attempts,
): Rejection | undefined {
  const attempt = attempts.find(isOpen);
  if (attempt === undefined) return undefined;
  const lookUpInSeconds = Math.ceil((attempt.nextLookUpAt - at) / 1_000);
  return reject('PaymentOperationInProgress', `The outcome of the previous ${attempt.operation} is not known yet.`, {
    paymentId,
    paymentStatus: payment.status,
    // An answer comes any moment, a look-up at its time.
    retryAfterSeconds: attempt.state === 'open' ? 1 : Math.max(1, lookUpInSeconds),
  });
}
