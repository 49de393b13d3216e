// What can happen to a payment instrument: a card that a processor holds under a token of its own.
import { z } from 'zod';
import { category, event } from '../category.ts';
import { CardData, PaymentMethodType } from './card.ts';

/** Milliseconds since the epoch, business time. */
const Time = z.int().min(0);

export const Tokenization = z.strictObject({
  accountId: z.string(),
  /** The session that it was made in. */
  sessionId: z.string().optional(),
  processor: z.string(),
  /** The processor's name for the card. */
  processorToken: z.string(),
  paymentMethodType: PaymentMethodType,
  paymentMethodData: CardData,
  /** HMAC of the card number: the same card has the same one. */
  fingerprint: z.string(),
  createdAt: Time,
  /** Until then it can pay once, or be vaulted. */
  expiresAt: Time,
});
export type Tokenization = z.infer<typeof Tokenization>;

export const paymentInstrumentCategory = category(
  'paymentInstrument',
  z.discriminatedUnion('type', [
    event('Tokenized', Tokenization),
    event('InstrumentClaimed', z.strictObject({ paymentId: z.string(), claimedAt: Time })),
    /** No processor ever saw it: it may pay again. */
    event('InstrumentReleased', z.strictObject({ paymentId: z.string() })),
    /** Decides which customer's it is; the customer's wallet decides the rest. */
    event(
      'VaultRequested',
      z.strictObject({ customerId: z.string(), walletId: z.string(), description: z.string().optional(), requestedAt: Time }),
    ),
    /** `walletRevision`: at which revision of its stream the customer's wallet had it. */
    event('InstrumentVaulted', z.strictObject({ vaultedAt: Time, walletRevision: z.int().min(0) })),
    /** Used up, because the customer has this card already, under another token. */
    event('InstrumentMerged', z.strictObject({ into: z.string(), walletRevision: z.int().min(0) })),
    event('InstrumentDeleted', z.strictObject({ deletedAt: Time })),
    /** A single-use token that neither paid nor was vaulted within its 24 hours. */
    event('InstrumentExpired', z.strictObject({ expiredAt: Time })),
  ]),
);
export type PaymentInstrumentEvent = z.infer<typeof paymentInstrumentCategory.event>;
