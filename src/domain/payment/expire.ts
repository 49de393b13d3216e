// The end of an authorization that nobody captured or voided: its issuer holds it no longer (contract §4).
import { accept, type Decision } from '../decider.ts';
import { authorizationOf, isBooked } from './attempt.ts';
import { noSuchPayment } from './decline-reason.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { isFinal, type KnownPayment, type Payment } from './payment.ts';
import { dueExpiryAt, isKnown, placeOf } from './queries.ts';
import type { Settlement } from './settlement.ts';

/**
 * AUTHORIZED becomes CANCELLED, the rest of PARTIALLY_SETTLED is released; it may come before the authorization is
 * known. It is recorded also where nothing is left to capture: a capture that is returned later finds no hold then.
 * Once, and nothing after a void, nor of an attempt that another one has replaced.
 */
export const expireAuthorization =
  ({ attemptId, evidence }: Pick<Settlement, 'attemptId' | 'evidence'>) =>
  (payment: Payment): Decision<PaymentEvent> => {
    if (!isKnown(payment)) return noSuchPayment();
    const isReplaced = authorizationOf(payment)?.attemptId !== attemptId;
    const isOver = isFinal(payment.status) || payment.holdExpired || isVoided(payment);
    return isReplaced || isOver ? accept() : accept(expired(payment, { evidence }));
  };

/**
 * Expires the hold at the time that the processor gave when it authorized: at or after `holdExpiresAt`, and never while
 * an attempt that may use the hold is unresolved. No event before that.
 */
export const expireHold =
  (at: number) =>
  (payment: Payment): Decision<PaymentEvent> =>
    isKnown(payment) && (dueExpiryAt(payment) ?? Number.POSITIVE_INFINITY) <= at
      ? accept(expired(payment, { evidence: { source: 'clock', occurredAt: payment.holdExpiresAt ?? at } }))
      : accept();

const isVoided = ({ attempts }: KnownPayment): boolean =>
  attempts.some((attempt) => attempt.operation === 'cancellation' && isBooked(attempt));

function expired(payment: KnownPayment, told: Pick<Fact<'AuthorizationExpired'>['data'], 'evidence'>): PaymentEvent {
  const { currencyCode } = payment;
  const amount = payment.restReleased
    ? 0
    : payment.amountAuthorized - payment.amountCaptured - payment.amountCapturePending;
  return {
    type: 'AuthorizationExpired',
    data: { ...(amount > 0 && { amount, currencyCode }), ...placeOf(payment, payment), ...told },
  };
}
