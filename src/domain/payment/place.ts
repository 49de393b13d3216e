// Whether a reported success can be believed, and whether the payment has a place for it.
import type { Attempt } from './attempt.ts';
import { rulesOf } from './operations.ts';
import type { Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';

/** The amount and currency that were asked for; a smaller capture is believed as well (contract §4). A void has no amount. */
export function isAsAsked({ currencyCode }: KnownPayment, { operation, amount }: Attempt, reported: Succeeded): boolean {
  const { believed } = rulesOf(operation);
  switch (believed) {
    case 'any':
      return true;
    case 'as_asked':
      return reported.currencyCode === currencyCode && reported.amount === amount;
    case 'up_to_asked':
      return (
        reported.currencyCode === currencyCode && Number.isSafeInteger(reported.amount) && reported.amount >= 1 && reported.amount <= amount
      );
    default:
      return believed satisfies never;
  }
}

/** Whether the totals can take it. An amount that cannot be believed is reserved as it was asked for. */
export const hasPlaceFor = (payment: KnownPayment, attempt: Attempt, reported: Succeeded): boolean =>
  rulesOf(attempt.operation).hasPlace(payment, attempt, isAsAsked(payment, attempt, reported) ? reported.amount : attempt.amount);
