// A payment as the customer's browser sees it: the members that the checkout needs, and no more (contract §2).
import { z } from 'zod';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { PaymentAnswer } from './payment.ts';

const { id, status, amount, currencyCode } = PaymentAnswer.shape;

export const CheckoutPaymentAnswer = z
  .strictObject({ id, status, amount, currencyCode, statusReason: z.strictObject({ code: z.string() }).optional() })
  .meta({ id: 'CheckoutPayment' });
export type CheckoutPaymentAnswer = z.infer<typeof CheckoutPaymentAnswer>;

export const checkoutPaymentAnswer = (paymentId: string, payment: KnownPayment): CheckoutPaymentAnswer => ({
  id: paymentId,
  status: payment.status,
  amount: payment.amount,
  currencyCode: payment.currencyCode,
  ...(payment.statusReason?.code !== undefined && { statusReason: { code: payment.statusReason.code } }),
});
