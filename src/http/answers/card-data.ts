// The members of a card in answers: never its full number or CVC (contract §4).
import { z } from 'zod';
import { CardData as RecordedCard } from '../../domain/payment-instrument/recorded-card.ts';

/** The only payment method type so far. */
export const PaymentMethodType = z.enum(['PAYMENT_CARD']);

export const CardData = z
  .strictObject({
    network: RecordedCard.shape.network,
    first6Digits: z
      .string()
      .regex(/^\d{6}$/)
      .optional(),
    last4Digits: z.string().regex(/^\d{4}$/),
    expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
    expirationYear: z.string().regex(/^\d{4}$/),
    cardholderName: z.string().optional(),
  })
  .meta({ id: 'PaymentMethodData' });
