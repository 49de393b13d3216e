// Whether a reported success can be believed, and whether the payment has a place for it.
import { type Attempt, isOpen } from './attempt.ts';
import type { Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { isFinal } from './totals.ts';

/** The amount and currency that were asked for; a smaller capture is believed as well (contract §4). A void has no amount. */
export function isAsAsked(payment: KnownPayment, { operation, amount }: Attempt, reported: Succeeded): boolean {
  if (operation === 'cancellation') return true;
  if (reported.currencyCode !== payment.currencyCode) return false;
  if (operation !== 'capture') return reported.amount === amount;
  return Number.isSafeInteger(reported.amount) && reported.amount >= 1 && reported.amount <= amount;
}

/**
 * Whether the totals can take it: always while the attempt is open, because its amount is reserved; afterwards (it was taken
 * for refused) only within what is left, except for a refund: its money is gone, and is booked in full. What belongs to a payment that
 * is over has no place.
 */
export function hasPlaceFor(payment: KnownPayment, attempt: Attempt, reported: Succeeded): boolean {
  const { operation } = attempt;
  // Amounts that cannot be believed are reserved as they were asked for.
  const amount = isAsAsked(payment, attempt, reported) ? reported.amount : attempt.amount;
  const { amountAuthorized, amountCaptured, amountCapturePending } = payment;
  switch (operation) {
    case 'cancellation':
    case 'refund':
      return true;
    case 'authorization':
      return !isFinal(payment.status);
    case 'capture':
      return !isFinal(payment.status) && (isOpen(attempt) || amountCaptured + amountCapturePending + amount <= amountAuthorized);
    case 'adjustment':
      return payment.status === 'AUTHORIZED' && amount >= amountCaptured + amountCapturePending;
    default:
      return operation satisfies never;
  }
}
