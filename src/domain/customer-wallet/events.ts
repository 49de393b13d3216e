// Events of a customer's wallet: the instruments that one customer of one account has vaulted. Times are milliseconds
// since the epoch, business time.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { CardDataV1, CardDataV2, MethodData } from '../payment-instrument/recorded-data.ts';
import { PaymentMethodType } from '../payment-method.ts';
import { CustomerErased, personal } from '../personal.ts';

const Time = z.number();

const AddedInstrumentV1 = z.strictObject({
  accountId: z.string(),
  customerId: z.string(),
  token: z.string(),
  /**
   * HMAC of the number or IBAN that was typed here, otherwise of the processor's own name for it: unique among the
   * instruments that are not deleted.
   */
  fingerprint: z.string(),
  processor: z.string(),
  connectionId: z.string(),
  processorToken: z.string(),
  paymentMethodType: z.enum(['PAYMENT_CARD']),
  paymentMethodData: CardDataV1,
  description: personal(z.string()).optional(),
  /** When the token was created. */
  createdAt: Time,
  addedAt: Time,
});
const AddedInstrumentV2 = AddedInstrumentV1.extend({ paymentMethodData: CardDataV2 });
export const AddedInstrument = AddedInstrumentV2.extend({
  paymentMethodType: PaymentMethodType,
  paymentMethodData: MethodData,
});
export type AddedInstrument = z.infer<typeof AddedInstrument>;

const InstrumentRefreshedV1 = z.strictObject({
  token: z.string(),
  processorToken: z.string(),
  paymentMethodData: CardDataV1,
});
const InstrumentRefreshedV2 = InstrumentRefreshedV1.extend({ paymentMethodData: CardDataV2 });

const InstrumentRefreshed = InstrumentRefreshedV2.extend({ paymentMethodData: MethodData });

export const customerWalletCategory = category(
  'customerWallet',
  z.discriminatedUnion('type', [
    event('InstrumentAdded', AddedInstrument),
    /** A newer expiry of the same card, under another token of the processor. */
    event('InstrumentRefreshed', InstrumentRefreshed),
    event('DefaultInstrumentChanged', z.strictObject({ token: z.string() })),
    event('InstrumentRemoved', z.strictObject({ token: z.string(), deletedAt: Time })),
    /** Its personal data was erased. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    InstrumentAdded: [
      upcast(AddedInstrumentV1, (older) => older),
      upcast(AddedInstrumentV2, (older) => older),
      upcast(AddedInstrument, (older) => older),
    ],
    InstrumentRefreshed: [
      upcast(InstrumentRefreshedV1, (older) => older),
      upcast(InstrumentRefreshedV2, (older) => older),
      upcast(InstrumentRefreshed, (older) => older),
    ],
  },
);
export type CustomerWalletEvent = z.infer<typeof customerWalletCategory.event>;
