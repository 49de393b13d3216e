// Decisions on a payment instrument (contract §5). This stream owns "single use" and "one customer's"; the customer's
// wallet owns the uniqueness among one customer's instruments.
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import { sameJson } from '../json.ts';
import type { PaymentInstrumentEvent, Tokenization } from './events.ts';
import { type CardUpdate, holderIn, updated } from './recorded-data.ts';
import {
  expiryDueAt,
  isExpired,
  type PaymentInstrument,
  type TokenAt,
  tokenAt,
  type UsableInstrument,
} from './state.ts';

/** Nothing when it is there already: the same request again. `others`: the card's tokens at further connections. */
export const tokenize =
  (tokenization: Tokenization, others: readonly TokenAt[] = []) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status === 'absent'
      ? accept<PaymentInstrumentEvent>(
          { type: 'InstrumentTokenized', data: tokenization },
          ...others.map((data) => ({ type: 'InstrumentTokenAdded' as const, data })),
        )
      : accept();

export interface InstrumentClaim {
  readonly accountId: string;
  readonly paymentId: string;
  /** ms */
  readonly at: number;
  /** The claim is displaced after it, ms, when the payment has not been made. */
  readonly abandonAfter: number;
  /** A checkout's: the token must have been made in this session, or be vaulted by its customer. */
  readonly sessionId?: string | undefined;
  /** The payment's customer, where it has one: a vaulted token of another customer is refused. */
  readonly customerId?: string | undefined;
}

/** A single-use token is claimed before any processor is called; a vaulted token may be used without a claim. */
export const claimInstrument =
  ({ accountId, paymentId, at, abandonAfter, sessionId, customerId }: InstrumentClaim) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status === 'absent' || instrument.accountId !== accountId) return unusable();
    const { status, claim, vault } = instrument;
    const isCustomers = status === 'vaulted' && vault !== undefined && vault.customerId === customerId;
    if (instrument.closedAt !== undefined) return unusable();
    if (sessionId !== undefined && instrument.sessionId !== sessionId && !isCustomers) return unusable();
    switch (status) {
      case 'vaulted':
        // A shop that passes on a browser's data must not charge one customer's card for another.
        return customerId === undefined || isCustomers ? accept() : unusable();
      case 'tokenized':
      case 'vaulting':
        if (claim !== undefined) return claim.paymentId === paymentId ? accept() : unusable();
        return isExpired(instrument, at)
          ? unusable()
          : accept({ type: 'InstrumentClaimed', data: { paymentId, claimedAt: at, abandonAfter } });
      case 'merged':
      case 'deleted':
        return unusable();
      default:
        return status satisfies never;
    }
  };

/** Gives a token back that no processor saw; nothing when another payment, or none, holds it. */
export const releaseInstrument =
  (paymentId: string) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status !== 'absent' && instrument.claim?.paymentId === paymentId
      ? accept({ type: 'InstrumentReleased', data: { paymentId } })
      : accept();

/** The token under which its processor keeps it, to be charged again. No event if it was not good for one payment. */
export const keepToken =
  (token: TokenAt) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status !== 'absent' && instrument.paysOnce === true
      ? accept({ type: 'InstrumentTokenAdded', data: token })
      : accept();

/**
 * Adds the tokens at further connections that the same card got when it was entered again, in place of its older ones
 * there. A deleted instrument gets none. The newer token at its own connection is the wallet's.
 */
export const addTokens =
  (tokens: readonly TokenAt[]) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status !== 'vaulted') return accept();
    const added = tokens.filter(
      ({ connectionId, processorToken }) =>
        connectionId !== instrument.connectionId &&
        tokenAt(instrument, connectionId)?.processorToken !== processorToken,
    );
    return accept(...added.map((data) => ({ type: 'InstrumentTokenAdded' as const, data })));
  };

interface VaultRequest {
  readonly accountId: string;
  readonly customerId: string;
  /** The id of the customer's wallet stream. */
  readonly walletId: string;
  readonly description?: string | undefined;
  /** ms */
  readonly at: number;
  /** The payment that vaults on success: it may vault the token that it holds. */
  readonly paymentId?: string | undefined;
}

/**
 * Nothing when it is this customer's already; NotFound, PaymentInstrumentVaultedElsewhere,
 * InvalidPaymentInstrumentToken, and OperationNotSupported for a card that pays once.
 */
export const requestVault =
  ({ accountId, customerId, walletId, description, at, paymentId }: VaultRequest) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status === 'absent' || instrument.accountId !== accountId) return noSuchInstrument();
    const { status, vault } = instrument;
    if (status === 'deleted') return unusable();
    if (vault !== undefined) {
      return vault.customerId === customerId
        ? accept()
        : reject('PaymentInstrumentVaultedElsewhere', 'This instrument is vaulted by another customer.');
    }
    if (instrument.paysOnce === true)
      return reject('OperationNotSupported', 'The processor takes this card for one payment: it cannot be saved.');
    if (!isVaultable(instrument, at, paymentId)) return unusable();
    const holder = holderIn(instrument.paymentMethodData);
    return accept({
      type: 'VaultingRequested',
      data: {
        customerId,
        walletId,
        requestedAt: at,
        ...(description !== undefined && { description }),
        ...(holder !== undefined && { holder }),
      },
    });
  };

/**
 * Used is used: only the payment that holds a token can have it vaulted, and that whenever its authorization is known.
 */
const isVaultable = (instrument: UsableInstrument, at: number, paymentId: string | undefined): boolean =>
  instrument.claim === undefined ? !isExpired(instrument, at) : instrument.claim.paymentId === paymentId;

/**
 * Records that the wallet has the instrument. No event if the instrument is not, or no longer, being vaulted: its
 * deletion removes it from the wallet.
 */
export const confirmVault =
  (answer: { readonly vaultedAt: number; readonly walletRevision: number }) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status === 'vaulting' ? accept({ type: 'InstrumentVaulted', data: answer }) : accept();

/** The wallet has the card already, under the token `into`. */
export const mergeInstrument =
  (answer: { readonly into: string; readonly walletRevision: number }) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status === 'vaulting' ? accept({ type: 'InstrumentMerged', data: answer }) : accept();

/** No event when it is deleted already. A used-up token stays as it is: InvalidPaymentInstrumentToken. */
export const deleteInstrument =
  ({ accountId, at }: { readonly accountId: string; readonly at: number }) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status === 'absent' || instrument.accountId !== accountId) return noSuchInstrument();
    if (instrument.status === 'deleted') return accept();
    return instrument.status === 'merged' ? unusable() : accept({ type: 'InstrumentDeleted', data: { deletedAt: at } });
  };

/**
 * Puts on record that a single-use token can be used no more; nothing before its time, while something holds it, or
 * again.
 */
export const expireInstrument =
  (at: number) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    (expiryDueAt(instrument) ?? Number.POSITIVE_INFINITY) <= at
      ? accept({ type: 'InstrumentExpired', data: { expiredAt: at } })
      : accept();

/** An updater's word about a saved method. */
interface UpdaterTold {
  readonly notificationId: string;
  /** ms, by the processor's clock. */
  readonly occurredAt: number;
}

/**
 * Records what the network's updater told of the card. Nothing for a word that is older than the newest one, that says
 * what is known, or that is about a deleted or closed instrument. `fingerprint`: of the card as it is now, where the
 * word tells.
 */
export const updateInstrument =
  (word: UpdaterTold & { readonly card: CardUpdate; readonly fingerprint?: string | undefined }) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status === 'absent') return noSuchInstrument();
    const { card, fingerprint, ...told } = word;
    const data = updated(instrument.paymentMethodData, card);
    const isNew = fingerprint !== undefined && fingerprint !== instrument.fingerprint;
    if (isOver(instrument, word) || (sameJson(data, instrument.paymentMethodData) && !isNew)) return accept();
    const update = { ...told, source: 'updater' as const, card, ...(isNew && { fingerprint }) };
    return accept({ type: 'InstrumentUpdated', data: update });
  };

/** Records that the card or the account was closed, at `closedAt` (ms); nothing where the word comes too late. */
export const closeInstrument =
  (word: UpdaterTold & { readonly closedAt: number }) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> => {
    if (instrument.status === 'absent') return noSuchInstrument();
    return isOver(instrument, word)
      ? accept()
      : accept({ type: 'InstrumentClosed', data: { ...word, source: 'updater' } });
  };

const isOver = ({ status, closedAt, toldAt = 0 }: UsableInstrument, { occurredAt }: UpdaterTold): boolean =>
  status === 'deleted' || closedAt !== undefined || occurredAt < toldAt;

const noSuchInstrument = (): Rejection => reject('NotFound', 'There is no such payment instrument.');

const unusable = (): Rejection =>
  reject(
    'InvalidPaymentInstrumentToken',
    'The payment method token is not usable: unknown, used, expired, closed, deleted, or of another account.',
  );
