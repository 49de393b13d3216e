// Events of a payment instrument: a card, or another means, that a processor holds under a token of its own. Times are
// milliseconds since the epoch, business time.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { growing } from '../growing.ts';
import { PaymentMethodType } from '../payment-method.ts';
import { CustomerErased, personal } from '../personal.ts';
import { CardDataV1, CardDataV2, CardUpdate, MethodData, MethodHolder } from './recorded-data.ts';

const Time = z.number();

const TokenizationV1 = z.strictObject({
  accountId: z.string(),
  /** The session in which it was created. */
  sessionId: z.string().optional(),
  processor: z.string(),
  /** The connection to the processor on which its token is good. */
  connectionId: z.string(),
  /** The processor's name for the card. */
  processorToken: z.string(),
  paymentMethodType: z.enum(['PAYMENT_CARD']),
  paymentMethodData: CardDataV1,
  /**
   * HMAC of the number or IBAN that was typed here, otherwise of the processor's own name for the card or the account:
   * the same one has the same.
   */
  fingerprint: z.string(),
  createdAt: Time,
  /** Until then it can pay once, or be vaulted. */
  expiresAt: Time,
});
const TokenizationV2 = TokenizationV1.extend({ paymentMethodData: CardDataV2 });
const TokenizationV3 = TokenizationV2.extend({ paysOnce: z.literal(true).optional() });
/** `paysOnce`: the processor takes its token for one payment, so it can be vaulted for nobody. */
export const Tokenization = TokenizationV3.extend({
  paymentMethodType: PaymentMethodType,
  paymentMethodData: MethodData,
});
export type Tokenization = z.infer<typeof Tokenization>;

const VaultingRequestedV1 = z.strictObject({
  customerId: z.string(),
  walletId: z.string(),
  description: personal(z.string()).optional(),
  requestedAt: Time,
});
/** `holder`: once more, under the customer's key; it was under that of the session in which the card was entered. */
const VaultingRequested = VaultingRequestedV1.extend({ holder: personal(MethodHolder).optional() });

/** The notification that told it. `occurredAt`: by the processor's clock: an older word changes nothing. */
const told = { notificationId: z.string(), occurredAt: Time };

export const paymentInstrumentCategory = category(
  'paymentInstrument',
  z.discriminatedUnion('type', [
    event('InstrumentTokenized', Tokenization),
    /**
     * The same card has this token at another connection, in place of an older one there; at its own: in place of a
     * token that paid once.
     */
    event(
      'InstrumentTokenAdded',
      /** The network's names of the payment with which the card was kept: a later charge refers to that. */
      growing(
        { connectionId: z.string(), processor: z.string(), processorToken: z.string() },
        { networkTransactionId: z.string(), transactionLinkId: z.string() },
      ),
    ),
    /** For a payment, before that is made. A claim whose payment is not made until `abandonAfter` is displaced. */
    event('InstrumentClaimed', z.strictObject({ paymentId: z.string(), claimedAt: Time, abandonAfter: Time })),
    /** No processor ever saw it: it may pay again. */
    event('InstrumentReleased', z.strictObject({ paymentId: z.string() })),
    /** Decides which customer's it is; the customer's wallet decides the rest. */
    event('VaultingRequested', VaultingRequested),
    /** `walletRevision`: at which revision of its stream the customer's wallet had it. */
    event('InstrumentVaulted', z.strictObject({ vaultedAt: Time, walletRevision: z.number() })),
    /** Used up, because the customer has this card already, under another token. */
    event('InstrumentMerged', z.strictObject({ into: z.string(), walletRevision: z.number() })),
    event('InstrumentDeleted', z.strictObject({ deletedAt: Time })),
    /** A single-use token that neither paid nor was vaulted within its 24 hours. */
    event('InstrumentExpired', z.strictObject({ expiredAt: Time })),
    /** The network's updater: the card has another expiry, or another number, and its tokens charge that. */
    event(
      'InstrumentUpdated',
      z.strictObject({ ...told, source: z.enum(['updater']), card: CardUpdate, fingerprint: z.string().optional() }),
    ),
    /** The card or the account was closed: it is charged no longer. */
    event('InstrumentClosed', z.strictObject({ ...told, source: z.enum(['updater']), closedAt: Time })),
    /** Its personal data was erased. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    InstrumentTokenized: [
      upcast(TokenizationV1, (older) => older),
      upcast(TokenizationV2, (older) => older),
      upcast(TokenizationV3, (older) => older),
      upcast(Tokenization, (older) => older),
    ],
    VaultingRequested: [upcast(VaultingRequestedV1, (older) => older), upcast(VaultingRequestedV1, (older) => older)],
  },
);
export type PaymentInstrumentEvent = z.infer<typeof paymentInstrumentCategory.event>;
