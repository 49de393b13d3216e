// What is known of the thing that pays, in answers: never a full number or a CVC (contract §4).
import { z } from 'zod';
import { type MethodData, CardData as RecordedCard } from '../../domain/payment-instrument/recorded-data.ts';
import { PaymentMethodType, Wallet } from '../../domain/payment-method.ts';

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
    wallet: Wallet.optional().meta({ description: 'The wallet that the card came out of.' }),
  })
  .meta({ id: 'CardData' });

const BankData = z
  .strictObject({
    bankName: z.string().optional(),
    ibanLast4: z.string().optional(),
    mandateReference: z.string().optional().meta({ description: 'What the customer sees on the bank statement.' }),
  })
  .meta({ id: 'BankData' });
const AccountData = z.strictObject({ emailAddress: z.string().optional() }).meta({ id: 'AccountData' });

/** By `paymentMethodType`: of a card, of a bank account, or of an account at the method itself. */
const PaymentMethodData = z.union([CardData, BankData, AccountData]).meta({ id: 'PaymentMethodData' });

/** The two members with which an answer says what pays; of a method of which nothing is known, its type alone. */
export const methodShape = { paymentMethodType: PaymentMethodType, paymentMethodData: PaymentMethodData.optional() };

export const methodMembers = ({
  paymentMethodType,
  paymentMethodData,
}: {
  readonly paymentMethodType: PaymentMethodType;
  readonly paymentMethodData: MethodData;
}) => ({
  paymentMethodType,
  ...(Object.keys(paymentMethodData).length > 0 && { paymentMethodData }),
});
