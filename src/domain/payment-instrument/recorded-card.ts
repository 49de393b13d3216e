// The card of instruments, wallets and payments as their events hold it.
import { z } from 'zod';

export const CardDataV1 = z.strictObject({
  network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
  first6Digits: z.string(),
  last4Digits: z.string(),
  expirationMonth: z.string(),
  expirationYear: z.string(),
  cardholderName: z.string().optional(),
});
/**
 * The known data of a card: never its full number or CVC, which only the processor sees (contract §4). The enumerations
 * only grow. `first6Digits`: where the processor tells them.
 */
export const CardData = CardDataV1.extend({
  network: z.enum([
    ...CardDataV1.shape.network.options,
    'CARTES_BANCAIRES',
    'DINERS',
    'EFTPOS_AU',
    'INTERAC',
    'JCB',
    'UNIONPAY',
  ]),
  first6Digits: z.string().optional(),
});
export type CardData = z.infer<typeof CardData>;

export const PaymentMethodType = z.enum(['PAYMENT_CARD']);
