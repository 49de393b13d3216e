// A payment as the customer's browser sees it: the members that the checkout needs, and no more (contract §3).
import { z } from 'zod';
import { shopperCode } from '../../domain/payment/decline-reason.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { statusReason } from '../../domain/payment/status-reason.ts';
import { PaymentMethodType } from '../../domain/payment-method.ts';
import { PaymentAnswer } from './payment.ts';
import { StatusReasonAnswer } from './payment-status.ts';
import { type ActionToken, RequiredAction, requiredAction } from './required-action.ts';

const { id, status, amount, currencyCode } = PaymentAnswer.shape;

export const CheckoutPaymentAnswer = z
  .strictObject({
    id,
    status,
    amount,
    currencyCode,
    paymentMethodType: PaymentMethodType,
    requiredAction: RequiredAction.optional(),
    statusReason: z
      .strictObject({ code: z.string().optional(), type: StatusReasonAnswer.shape.type.optional() })
      .optional()
      .meta({ description: 'The `code` of a decline; the `type` of any other reason.' }),
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
  const reason = payment.statusReason && statusReason(payment.statusReason);
  return {
    id: paymentId,
    status: payment.status,
    amount: payment.amount,
    currencyCode: payment.currencyCode,
    paymentMethodType: payment.paymentMethod.paymentMethodType,
    ...(action !== undefined && { requiredAction: action }),
    ...(reason !== undefined && {
      statusReason: reason.code === undefined ? { type: reason.type } : { code: shopperCode(reason.code) },
    }),
  };
}
