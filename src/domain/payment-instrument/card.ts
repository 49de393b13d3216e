// What is known of a card: never its full number or CVC, which only the processor sees (contract §4).
import { z } from 'zod';
import { CardNetwork } from '../client-session/fields.ts';

export { CardNetwork };

/** The only payment method type so far. */
export const PaymentMethodType = z.enum(['PAYMENT_CARD']);
export type PaymentMethodType = z.infer<typeof PaymentMethodType>;

export const CardData = z
  .strictObject({
    network: CardNetwork,
    first6Digits: z.string().regex(/^\d{6}$/),
    last4Digits: z.string().regex(/^\d{4}$/),
    expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
    expirationYear: z.string().regex(/^\d{4}$/),
    cardholderName: z.string().optional(),
  })
  .meta({ id: 'PaymentMethodData' });
export type CardData = z.infer<typeof CardData>;

/** Whether `card` is valid for longer than `other`. */
export const expiresLater = (card: CardData, other: CardData): boolean =>
  card.expirationYear + card.expirationMonth > other.expirationYear + other.expirationMonth;
