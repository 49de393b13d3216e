// The end of an authorization that nobody captured or voided: its issuer holds it no longer (contract §4).
import { accept, type Decision } from '../decider.ts';
import type { PaymentEvent } from './events.ts';
import type { Evidence } from './outcome.ts';
import { isFinal, type KnownPayment, type Payment } from './payment.ts';
import { dueExpiryAt, isKnown, placeOf } from './queries.ts';
import { noSuchPayment } from './refusals.ts';

/** AUTHORIZED becomes CANCELLED, the rest of PARTIALLY_SETTLED is released; it may come before the authorization is known. */
export const expireAuthorization =
  (evidence: Evidence) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const over = isFinal(payment.status) || payment.restReleased || payment.status === 'SETTLED';
    return over ? accept() : accept(expired(payment, { evidence }));
  };

/**
 * The same by the processor's own word when it authorized: at or after `holdExpiresAt`, and never while an attempt that may use the
 * hold is not settled. Nothing before that.
 */
export const expireHold =
  (at: number) =>
  (payment: Payment): Decision<PaymentEvent> =>
    isKnown(payment) && (dueExpiryAt(payment) ?? Number.POSITIVE_INFINITY) <= at ? accept(expired(payment, {})) : accept();

function expired(payment: KnownPayment, told: { readonly evidence?: Evidence }): PaymentEvent {
  const { currencyCode } = payment;
  const amount = payment.amountAuthorized - payment.amountCaptured - payment.amountCapturePending;
  return { type: 'AuthorizationExpired', data: { ...(amount > 0 && { amount, currencyCode }), ...placeOf(payment, payment), ...told } };
}
