// The customer action that a payment waits for, and the result of the authentication, in responses (contract §4).
import { z } from 'zod';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';

export const RequiredAction = z
  .strictObject({
    name: z.enum(['3DS_AUTHENTICATION']),
    description: z.string(),
    clientToken: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: 'RequiredAction' });
export type RequiredAction = z.infer<typeof RequiredAction>;

/** The client token with which the browser goes on; undefined for a payment without a session. */
export type ActionToken = (payment: KnownPayment) => string | undefined;

/**
 * The required action; undefined if the customer has nothing to do, or can no longer do it. Without `tokenOf` it has no
 * client token.
 */
export function requiredAction(payment: KnownPayment, tokenOf?: ActionToken): RequiredAction | undefined {
  const waiting = payment.status === 'PENDING' ? waitingAuthorization(payment) : undefined;
  if (waiting === undefined || waiting.givenUp === true) return undefined;
  const { action } = waiting;
  const clientToken = tokenOf?.(payment);
  return {
    name: '3DS_AUTHENTICATION',
    description: 'The customer must confirm the payment with the bank that issued the card.',
    ...(clientToken !== undefined && { clientToken }),
    ...(action.kind === 'redirect' && { url: action.url }),
  };
}

/** The fields of an authentication for merchants: a processor may know more. */
export const ThreeDSecureAuthentication = z
  .object({
    responseCode: z.enum(['AUTH_SUCCESS', 'AUTH_FAILED']),
    protocolVersion: z.string().optional().catch(undefined),
    challengeIssued: z.boolean().optional().catch(undefined),
    eci: z.string().optional().catch(undefined),
  })
  .meta({ id: 'ThreeDSecureAuthentication' });
export type ThreeDSecureAuthentication = z.infer<typeof ThreeDSecureAuthentication>;

/** Undefined without an authentication, and for a result of the processor that we do not know. */
export function threeDSecureAuthentication({ threeDSecure }: KnownPayment): ThreeDSecureAuthentication | undefined {
  if (threeDSecure === undefined) return undefined;
  const { success, data } = ThreeDSecureAuthentication.safeParse(threeDSecure);
  if (!success) return undefined;
  const { responseCode, protocolVersion, challengeIssued, eci } = data;
  return {
    responseCode,
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(challengeIssued !== undefined && { challengeIssued }),
    ...(eci !== undefined && { eci }),
  };
}
