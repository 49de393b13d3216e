// The payment method of a payment as its events hold it: every value that was ever accepted, whatever a later rule of
// requests forbids.
import { z } from 'zod';
import { CardDataV1, CardDataV2, MethodData } from '../payment-instrument/recorded-data.ts';
import { PaymentMethodType } from '../payment-method.ts';

const text = z.string().optional();
/** The enumerations grow and never shrink. */
export const RecordedMethodV1 = z.strictObject({
  paymentMethodToken: z.string(),
  paymentMethodType: z.enum(['PAYMENT_CARD']),
  paymentMethodData: CardDataV1,
  /** HMAC of the card number. */
  fingerprint: text,
  /** True if the instrument was vaulted when the payment was created. */
  isVaulted: z.boolean(),
  vaultOnSuccess: z.boolean(),
  descriptor: text,
  paymentType: z.enum(['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED']).optional(),
  authorizationType: z.enum(['FINAL', 'ESTIMATED']),
  captureMode: z.enum(['MANUAL', 'AUTOMATIC']),
});
export const RecordedMethodV2 = RecordedMethodV1.extend({ paymentMethodData: CardDataV2 });
export const RecordedMethod = RecordedMethodV2.extend({
  paymentMethodType: PaymentMethodType,
  paymentMethodData: MethodData,
});
