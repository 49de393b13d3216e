// The status of a payment, its reason, and the customer's action that it waits for (contract §4). The words of reasons
// are in src/domain/payment/status-reason.ts.
import { z } from 'zod';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import { REASON_WORDS, Reason, ReasonType } from '../../domain/payment/outcome.ts';
import { type KnownPayment, PAYMENT_STATUS_WORDS, paymentStatuses } from '../../domain/payment/payment.ts';
import { METHODS } from '../../domain/payment-method.ts';
import { answer } from './answer.ts';
import { Instant, valuesIn } from './shapes.ts';

export const PaymentStatusName = z
  .enum(paymentStatuses)
  .meta({ id: 'PaymentStatus', ...valuesIn(PAYMENT_STATUS_WORDS) });
export const StatusReasonAnswer = Reason.extend({
  type: ReasonType.meta({ description: 'The kind of reason; new ones may be added.', ...valuesIn(REASON_WORDS) }),
}).meta({ id: 'StatusReason' });

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
  return answer(RequiredAction, action, {
    name,
    description: DESCRIPTIONS[name],
    clientToken: tokenOf?.(payment),
    expiresAt: action.kind === 'show' ? expiresAt : undefined,
  });
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
  return success ? answer(ThreeDSecureAuthentication, data) : undefined;
}
