// The customer action that a payment waits for, and the result of the authentication, in responses (contract §4).
import { z } from 'zod';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { METHODS } from '../../domain/payment-method.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { valuesIn } from './values.ts';

const ActionName = z.enum(['3DS_AUTHENTICATION', 'PAYMENT_METHOD_REDIRECT', 'PAYMENT_METHOD_VOUCHER', 'SDK_ACTION']);
const DESCRIPTIONS: { readonly [N in z.infer<typeof ActionName>]: string } = {
  '3DS_AUTHENTICATION': 'The customer must confirm the payment with the bank that issued the card.',
  PAYMENT_METHOD_REDIRECT: 'The customer must pay on the page of the payment method.',
  PAYMENT_METHOD_VOUCHER: 'The customer must pay with the numbers of the voucher.',
  SDK_ACTION: "The customer must go on in the payment method's own part of the page.",
};

export const RequiredAction = z
  .strictObject({
    name: ActionName.meta({ description: 'What the customer has to do.', ...valuesIn(DESCRIPTIONS) }),
    description: z.string().meta({ description: 'What the customer has to do, in a sentence.' }),
    clientToken: z.string().optional(),
    url: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional().meta({ description: 'Of a voucher: the numbers to pay with.' }),
    expiresAt: Instant.optional().meta({ description: 'Of a voucher: until when it can be paid.' }),
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
  const { action, expiresAt } = waiting;
  const name = nameOf(payment, action.kind);
  const clientToken = tokenOf?.(payment);
  return {
    name,
    description: DESCRIPTIONS[name],
    ...(clientToken !== undefined && { clientToken }),
    ...(action.kind === 'redirect' && { url: action.url }),
    ...(action.kind !== 'redirect' && { data: action.data }),
    ...(action.kind === 'show' && { expiresAt: formatTime(expiresAt) }),
  };
}

function nameOf({ paymentMethod }: KnownPayment, kind: 'redirect' | 'sdk' | 'show'): RequiredAction['name'] {
  if (METHODS[paymentMethod.paymentMethodType].action === 'frame') return '3DS_AUTHENTICATION';
  if (kind === 'show') return 'PAYMENT_METHOD_VOUCHER';
  return kind === 'redirect' ? 'PAYMENT_METHOD_REDIRECT' : 'SDK_ACTION';
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
