// Events of a customer's wallet: the instruments that one customer of one account has vaulted. Times are milliseconds
// since the epoch, business time.
import { z } from 'zod';
import { category, event } from '../category.ts';
import { CardData, PaymentMethodType } from '../payment-instrument/recorded-card.ts';

const Time = z.number();

export const AddedInstrument = z.strictObject({
  accountId: z.string(),
  customerId: z.string(),
  token: z.string(),
  /** HMAC of the card number: unique among the instruments that are not deleted. */
  fingerprint: z.string(),
  processor: z.string(),
  connectionId: z.string(),
  processorToken: z.string(),
  paymentMethodType: PaymentMethodType,
  paymentMethodData: CardData,
  description: z.string().optional(),
  /** When the token was created. */
  createdAt: Time,
  addedAt: Time,
});
export type AddedInstrument = z.infer<typeof AddedInstrument>;

export const customerWalletCategory = category(
  'customerWallet',
  z.discriminatedUnion('type', [
    event('InstrumentAdded', AddedInstrument),
    /** A newer expiry of the same card, under another token of the processor. */
    event(
      'InstrumentRefreshed',
      z.strictObject({ token: z.string(), processorToken: z.string(), paymentMethodData: CardData }),
    ),
    event('DefaultInstrumentChanged', z.strictObject({ token: z.string() })),
    event('InstrumentRemoved', z.strictObject({ token: z.string(), deletedAt: Time })),
  ]),
);
export type CustomerWalletEvent = z.infer<typeof customerWalletCategory.event>;
