// The payment method of a payment as its events hold it: every value that was ever accepted, whatever a later rule of requests forbids.
import { z } from 'zod';

const text = z.string().optional();
/** The enumerations grow and never shrink. */
export const RecordedMethod = z.strictObject({
  paymentMethodToken: z.string(),
  paymentMethodType: z.enum(['PAYMENT_CARD']),
  paymentMethodData: z.strictObject({
    network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
    first6Digits: z.string(),
    last4Digits: z.string(),
    expirationMonth: z.string(),
    expirationYear: z.string(),
    cardholderName: text,
  }),
  /** HMAC of the card number. */
  fingerprint: text,
  /** Whether the instrument was vaulted when the payment was made. */
  isVaulted: z.boolean(),
  vaultOnSuccess: z.boolean(),
  descriptor: text,
  paymentType: z.enum(['FIRST_PAYMENT', 'ECOMMERCE', 'SUBSCRIPTION', 'UNSCHEDULED']).optional(),
  authorizationType: z.enum(['FINAL', 'ESTIMATED']),
  captureMode: z.enum(['MANUAL', 'AUTOMATIC']),
});
