// The attempt of a payment that a notification is about: found by our reference, or by the processor's name for it.
import type { Operation } from '../../domain/operation.ts';
import { type Attempt, isOpen } from '../../domain/payment/attempt.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptByReference } from '../../domain/payment/queries.ts';
import type { Known, ProcessorNotification } from '../../processors/processor.ts';

/** A notification with its time, ms: the processor's own, otherwise when it was received. */
export type HeardNotification = ProcessorNotification & { readonly occurredAt: number };
/** A word about one operation. */
export type AboutAttempt = Exclude<
  ProcessorNotification['about'],
  { readonly dispute: unknown } | { readonly look: true } | { readonly prepared: string }
>;

/** Undefined if the notification speaks of no operation that is known. */
export function meantAttempt(
  payment: KnownPayment,
  { subject, about }: { readonly subject: Known; readonly about: AboutAttempt },
): Attempt | undefined {
  if ('reversalOf' in about) {
    const { reversalOf, processorTransactionId } = about;
    return (
      called(payment, reversalOf, processorTransactionId) ??
      ('reference' in subject ? attemptByReference(payment, subject.reference) : undefined)
    );
  }
  if ('reference' in subject) {
    const attempt = attemptByReference(payment, subject.reference);
    return attempt !== undefined && 'outcome' in about && isOfAnother(attempt, about.outcome) ? undefined : attempt;
  }
  if ('authorizationExpired' in about) return called(payment, 'authorization', subject.processorTransactionId);
  const { operation, outcome } = about;
  const name = outcome.processorTransactionId;
  return called(payment, operation, name ?? subject.processorTransactionId) ?? onlyOpen(payment, operation, name);
}

/**
 * True if it was prepared under another name than the processor reports: anybody who can write at the processor's
 * account can copy our reference to a transaction of their own.
 */
const isOfAnother = (
  { prepares, processorTransactionId: recorded }: Attempt,
  { processorTransactionId: told }: Extract<AboutAttempt, { readonly outcome: unknown }>['outcome'],
): boolean => prepares === true && recorded !== undefined && told !== undefined && told !== recorded;

const called = ({ attempts }: KnownPayment, operation: Operation, name: string): Attempt | undefined =>
  attempts.find((attempt) => attempt.operation === operation && attempt.processorTransactionId === name);

/**
 * Its name is not known before it is answered: the attempt that waits for a word is meant, where there is one, and
 * where the name cannot be that of another attempt, which was taken for refused or is booked without a name.
 */
function onlyOpen({ attempts }: KnownPayment, operation: Operation, name: string | undefined): Attempt | undefined {
  const [one, ...others] = attempts.filter(
    (attempt) => attempt.operation === operation && (isOpen(attempt) || (name !== undefined && isNameless(attempt))),
  );
  return one !== undefined && isOpen(one) && others.length === 0 ? one : undefined;
}

/** True if it was booked by manual confirmation, and may have our own reference in place of the processor's id. */
const isNameless = ({ processorTransactionId = '', reference, state }: Attempt): boolean =>
  state !== 'not_sent' && ['', reference].includes(processorTransactionId);
