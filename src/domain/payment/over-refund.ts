// Closes a payment that is listed as OVER_REFUNDED: an operator has seen to it (contract §4).
import { accept, type Decision } from '../decider.ts';
import type { PaymentEvent } from './events.ts';
import type { Evidence } from './outcome.ts';
import type { Payment } from './payment.ts';
import { isKnown, openOverRefund } from './queries.ts';
import { noSuchPayment } from './refusals.ts';

/**
 * Accepts what is refunded beyond what was captured, as it is now; nothing when there is no such thing. What is told
 * later opens it again.
 */
export const acceptOverRefund =
  (evidence: Evidence) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const amount = openOverRefund(payment);
    return amount === 0
      ? accept()
      : accept({ type: 'OverRefundAccepted', data: { amount, currencyCode: payment.currencyCode, evidence } });
  };
