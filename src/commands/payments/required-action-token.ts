// The client token that a required action comes with: the browser goes on with it (contract §4).
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import type { PaymentNeeds } from './needs.ts';

/**
 * Good as long as the action; the same for the same action, so that a replayed answer has the first one's. Undefined
 * without a session.
 */
export const requiredActionToken =
  ({ tokens }: Pick<PaymentNeeds, 'tokens'>) =>
  (payment: KnownPayment): string | undefined => {
    const { sessionId, accountId } = payment;
    const waiting = waitingAuthorization(payment);
    if (sessionId === undefined || waiting === undefined) return undefined;
    return tokens.issue({ sessionId, accountId, issuedAt: waiting.requiredAt, expiresAt: waiting.expiresAt });
  };
