// Payment instruments in answers (contract §5): what is known of the thing that pays, never a full number or a CVC; the
// instrument's own stream, and its entry in the customer's wallet.
import { z } from 'zod';
import type { InstrumentView } from '../../commands/instruments/instrument-view.ts';
import {
  type CustomerWallet,
  instrumentOf,
  type KnownWallet,
  liveInstruments,
  type WalletInstrument,
} from '../../domain/customer-wallet.ts';
import { type MethodData, CardData as RecordedCard } from '../../domain/payment-instrument/recorded-data.ts';
import { hasExpired, isUsed, tokenTypeOf, type UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { PaymentMethodType, Wallet } from '../../domain/payment-method.ts';
import { answer } from './answer.ts';
import { Instant, pageOf } from './shapes.ts';

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

interface PaidWith {
  readonly paymentMethodType: PaymentMethodType;
  readonly paymentMethodData: MethodData;
}

export const methodMembers = ({ paymentMethodType, paymentMethodData: data }: PaidWith) => ({
  paymentMethodType,
  paymentMethodData: Object.keys(data).length > 0 ? data : undefined,
});

export const PaymentInstrumentAnswer = z
  .strictObject({
    token: z.string(),
    tokenType: z.enum(['SINGLE_USE', 'MULTI_USE']),
    customerId: z.string().optional(),
    ...methodShape,
    description: z.string().optional(),
    default: z.boolean(),
    used: z.boolean().meta({
      description:
        'A single-use token that was used for a payment, or for a card that the customer had already vaulted.',
    }),
    expired: z.boolean().meta({ description: 'A single-use token that was not used within 24 hours.' }),
    deleted: z.boolean(),
    createdAt: Instant,
    closedAt: Instant.optional().meta({
      description: 'Since when the card or the account is known to be closed: it cannot be charged.',
    }),
    deletedAt: Instant.optional(),
  })
  .meta({ id: 'PaymentInstrument' });
export type PaymentInstrumentAnswer = z.infer<typeof PaymentInstrumentAnswer>;

/** A customer's instruments in the order in which they were vaulted, deleted ones left out. */
export const PaymentInstrumentListAnswer = pageOf('PaymentInstrumentList', PaymentInstrumentAnswer);

/** POST /checkout/payment-instruments. */
export const TokenizedCardAnswer = z
  .strictObject({
    token: z.string(),
    tokenType: z.literal('SINGLE_USE'),
    ...methodShape,
  })
  .meta({ id: 'TokenizedCard' });
export type TokenizedCardAnswer = z.infer<typeof TokenizedCardAnswer>;

/**
 * The wallet's entry knows a newer expiry and the default; the instrument holds all other members. `at`: time of the
 * request, ms.
 */
export function paymentInstrumentAnswer(
  token: string,
  { instrument, wallet }: InstrumentView,
  at: number,
): PaymentInstrumentAnswer {
  const tokenType = tokenTypeOf(instrument);
  const vault = tokenType === 'MULTI_USE' ? instrument.vault : undefined;
  return answer(PaymentInstrumentAnswer, instrument, {
    token,
    tokenType,
    customerId: vault?.customerId,
    ...methodMembers((wallet === undefined ? undefined : instrumentOf(wallet, token)) ?? instrument),
    description: vault?.description,
    default: wallet !== undefined && wallet.status !== 'absent' && wallet.defaultToken === token,
    used: isUsed(instrument),
    expired: hasExpired(instrument, at),
    deleted: instrument.deletedAt !== undefined,
  });
}

/**
 * The instruments of a customer that were vaulted after the token `after`, which may have been deleted since; all of
 * them without `after`.
 */
export function walletAnswers(
  wallet: CustomerWallet | undefined,
  after: string | undefined,
): readonly PaymentInstrumentAnswer[] {
  if (wallet === undefined || wallet.status === 'absent') return [];
  const from = after === undefined ? 0 : wallet.instruments.findIndex(({ token }) => token === after) + 1;
  return liveInstruments({ ...wallet, instruments: wallet.instruments.slice(from) }).map((entry) =>
    entryAnswer(wallet, entry),
  );
}

const entryAnswer = (
  { customerId, defaultToken }: KnownWallet,
  instrument: WalletInstrument,
): PaymentInstrumentAnswer =>
  answer(PaymentInstrumentAnswer, instrument, {
    tokenType: 'MULTI_USE',
    customerId,
    ...methodMembers(instrument),
    default: defaultToken === instrument.token,
    used: false,
    expired: false,
    deleted: false,
  });

export const tokenizedCardAnswer = (token: string, instrument: UsableInstrument): TokenizedCardAnswer =>
  answer(TokenizedCardAnswer, {}, { token, tokenType: 'SINGLE_USE', ...methodMembers(instrument) });
