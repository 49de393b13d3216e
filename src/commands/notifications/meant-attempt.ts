// The attempt of a payment that a notification is about: found by our reference, or by the processor's name for it.
import { type Attempt, attemptByReference, isOpen, type KnownPayment } from '../../domain/payment/state.ts';
import type { Notification, Operation } from '../../processors/processor.ts';

/** Undefined where the notification speaks of no one operation, or of none that is known. */
export function meantAttempt(payment: KnownPayment, { subject, about }: Notification): Attempt | undefined {
  if ('reversalOf' in about) {
    const { reversalOf, processorTransactionId } = about;
    return (
      called(payment, reversalOf, processorTransactionId) ?? ('reference' in subject ? byReference(payment, subject.reference) : undefined)
    );
  }
  if ('reference' in subject) return byReference(payment, subject.reference);
  if ('authorizationExpired' in about) return called(payment, 'authorization', subject.processorTransactionId);
  if ('dispute' in about) return undefined;
  const { operation, outcome } = about;
  const name = outcome.processorTransactionId ?? subject.processorTransactionId;
  return called(payment, operation, name) ?? onlyOpen(payment, operation);
}

const byReference = (payment: KnownPayment, reference: string): Attempt | undefined => attemptByReference(payment, reference);

const called = ({ attempts }: KnownPayment, operation: Operation, name: string): Attempt | undefined =>
  attempts.find((attempt) => attempt.operation === operation && attempt.processorTransactionId === name);

/** Its name is not known before it is answered: the attempt that waits for an answer is meant, where there is one. */
function onlyOpen({ attempts }: KnownPayment, operation: Operation): Attempt | undefined {
  const [one, ...others] = attempts.filter((attempt) => attempt.operation === operation && isOpen(attempt));
  return others.length === 0 ? one : undefined;
}
