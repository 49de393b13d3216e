// Payment instruments as they go out (contract §5): the instrument's own stream, and its entry in the customer's
// wallet.
import { z } from 'zod';
import type { InstrumentView } from '../../commands/instruments/instrument-view.ts';
import {
  type CustomerWallet,
  instrumentOf,
  type KnownWallet,
  liveInstruments,
  type WalletInstrument,
} from '../../domain/customer-wallet/state.ts';
import { hasExpired, isUsed, tokenTypeOf, type UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { formatTime } from '../../world.ts';
import { methodMembers, methodShape } from './card-data.ts';
import { Instant } from './instant.ts';

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
    deletedAt: Instant.optional(),
  })
  .meta({ id: 'PaymentInstrument' });
export type PaymentInstrumentAnswer = z.infer<typeof PaymentInstrumentAnswer>;

/** A customer's instruments in the order in which they were vaulted, deleted ones left out. */
export const PaymentInstrumentListAnswer = z
  .strictObject({ data: z.array(PaymentInstrumentAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentInstrumentList' });

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
  const { vault, deletedAt } = instrument;
  const tokenType = tokenTypeOf(instrument);
  return {
    token,
    tokenType,
    ...(vault !== undefined && tokenType === 'MULTI_USE' && { customerId: vault.customerId }),
    ...methodMembers((wallet === undefined ? undefined : instrumentOf(wallet, token)) ?? instrument),
    ...(vault?.description !== undefined && tokenType === 'MULTI_USE' && { description: vault.description }),
    default: wallet !== undefined && wallet.status !== 'absent' && wallet.defaultToken === token,
    used: isUsed(instrument),
    expired: hasExpired(instrument, at),
    deleted: deletedAt !== undefined,
    createdAt: formatTime(instrument.createdAt),
    ...(deletedAt !== undefined && { deletedAt: formatTime(deletedAt) }),
  };
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
  { token, description, createdAt, ...method }: WalletInstrument,
): PaymentInstrumentAnswer => ({
  token,
  tokenType: 'MULTI_USE',
  customerId,
  ...methodMembers(method),
  ...(description !== undefined && { description }),
  default: defaultToken === token,
  used: false,
  expired: false,
  deleted: false,
  createdAt: formatTime(createdAt),
});

export const tokenizedCardAnswer = (token: string, instrument: UsableInstrument): TokenizedCardAnswer => ({
  token,
  tokenType: 'SINGLE_USE',
  ...methodMembers(instrument),
});
