// A payment as the customer's browser sees it: the members that the checkout needs, and no more (contract §2).
import { z } from 'zod';
import { shopperCode } from '../../domain/payment/decline-reason.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { PaymentAnswer } from './payment.ts';
import { type ActionToken, RequiredAction, requiredAction } from './required-action.ts';

const { id, status, amount, currencyCode } = PaymentAnswer.shape;

export const CheckoutPaymentAnswer = z
  .strictObject({
    id,
    status,
    amount,
    currencyCode,
    requiredAction: RequiredAction.optional(),
    statusReason: z.strictObject({ code: z.string() }).optional(),
  })
  .meta({ id: 'CheckoutPayment' });
export type CheckoutPaymentAnswer = z.infer<typeof CheckoutPaymentAnswer>;

/** `tokenOf` makes the client token of a required action. */
export function checkoutPaymentAnswer(
  paymentId: string,
  payment: KnownPayment,
  tokenOf?: ActionToken,
): CheckoutPaymentAnswer {
  const action = requiredAction(payment, tokenOf);
  const code = payment.statusReason?.code;
  return {
    id: paymentId,
    status: payment.status,
    amount: payment.amount,
    currencyCode: payment.currencyCode,
    ...(action !== undefined && { requiredAction: action }),
    ...(code !== undefined && { statusReason: { code: shopperCode(code) } }),
  };
}
