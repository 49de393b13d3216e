// The fold of a payment instrument's events; also the document that its read model keeps.
import type { Decider } from '../decider.ts';
import { type PaymentInstrumentEvent, paymentInstrumentCategory, type Tokenization } from './events.ts';
import { updated, withHolder, withoutHolder } from './recorded-data.ts';

export interface UsableInstrument extends Readonly<Tokenization> {
  /**
   * tokenized: SINGLE_USE. vaulting: a customer asked for it, its wallet has not answered. vaulted: MULTI_USE. merged:
   * used up, because the customer had the card already. deleted: can only be read.
   */
  readonly status: 'tokenized' | 'vaulting' | 'vaulted' | 'merged' | 'deleted';
  /** Its tokens at other connections, in the order in which they were added. */
  readonly otherTokens?: readonly TokenAt[];
  /** The payment that a single-use token pays, or paid. */
  readonly claim?: { readonly paymentId: string; readonly claimedAt: number; readonly abandonAfter: number };
  /** Whose it is: wanted by the customer since `requestedAt`, for good since `vaultedAt` (ms). */
  readonly vault?: {
    readonly customerId: string;
    /** The customer's wallet: the id of its stream. */
    readonly walletId: string;
    readonly description?: string;
    readonly requestedAt: number;
    readonly vaultedAt?: number;
    /**
     * The revision of the wallet's stream at its response: it has this instrument, or the instrument into which it was
     * merged.
     */
    readonly walletRevision?: number;
  };
  /** merged: the token under which the customer has the card. */
  readonly into?: string;
  readonly deletedAt?: number;
  /** Since when it is on record that the card or the account was closed, ms: nothing is charged by it. */
  readonly closedAt?: number;
  /** The time of the updater's newest word, ms by the processor's clock. */
  readonly toldAt?: number;
  /** Since when it is on record that its time is over, ms; the time itself is `expiresAt`. */
  readonly expiredAt?: number;
}

/** True if it is a customer's, and can be charged. */
export const isChargeable = ({ status, closedAt }: UsableInstrument): boolean =>
  status === 'vaulted' && closedAt === undefined;

/** A token, and the connection at which it is good. */
export interface TokenAt {
  readonly connectionId: string;
  readonly processor: string;
  readonly processorToken: string;
}

/** Its tokens, first that of its own connection. */
export const tokensOf = ({
  connectionId,
  processor,
  processorToken,
  otherTokens = [],
}: UsableInstrument): readonly TokenAt[] => [{ connectionId, processor, processorToken }, ...otherTokens];

/** Its token at a connection; undefined if it has none there. */
export const tokenAt = (instrument: UsableInstrument, connectionId: string): TokenAt | undefined =>
  instrument.connectionId === connectionId
    ? instrument
    : instrument.otherTokens?.find((token) => token.connectionId === connectionId);

export type PaymentInstrument = { readonly status: 'absent' } | UsableInstrument;

/** SINGLE_USE: pays once, within 24 h. MULTI_USE: vaulted, never claimed. A deleted one keeps the type that it had. */
export const tokenTypeOf = ({ vault }: UsableInstrument): 'SINGLE_USE' | 'MULTI_USE' =>
  vault?.vaultedAt === undefined ? 'SINGLE_USE' : 'MULTI_USE';

export const paymentInstrument: Decider<PaymentInstrument, PaymentInstrumentEvent> = {
  category: paymentInstrumentCategory,
  initial: { status: 'absent' },
  subjectOf(instrument, { type, data }, id) {
    const of = type === 'InstrumentTokenized' ? data : instrument.status === 'absent' ? undefined : instrument;
    return {
      accountId: of?.accountId ?? '',
      customerId: type === 'VaultingRequested' ? data.customerId : undefined,
      otherwise: of?.sessionId === undefined ? `instrument ${id}` : `session ${of.sessionId}`,
    };
  },
  evolve(instrument, { type, data }) {
    if (type === 'InstrumentTokenized') return { status: 'tokenized', ...data };
    if (instrument.status === 'absent') throw new Error(`${type} before InstrumentTokenized`);
    switch (type) {
      case 'InstrumentTokenAdded': {
        const { paysOnce: _once, ...kept } = instrument;
        // What its processor keeps takes the place of the token that paid once.
        if (data.connectionId === instrument.connectionId) return { ...kept, ...data };
        const others = instrument.otherTokens?.filter(({ connectionId }) => connectionId !== data.connectionId);
        return { ...instrument, otherTokens: [...(others ?? []), data] };
      }
      case 'InstrumentClaimed':
        return { ...instrument, claim: data };
      case 'InstrumentReleased': {
        const { claim: _released, ...kept } = instrument;
        return kept;
      }
      case 'VaultingRequested': {
        const { customerId, walletId, description, requestedAt, holder = {} } = data;
        return {
          ...instrument,
          status: 'vaulting',
          paymentMethodData: withHolder(instrument.paymentMethodData, holder),
          vault: { customerId, walletId, requestedAt, ...(description !== undefined && { description }) },
        };
      }
      case 'InstrumentVaulted':
        return instrument.vault === undefined
          ? instrument
          : { ...instrument, status: 'vaulted', vault: { ...instrument.vault, ...data } };
      case 'InstrumentMerged':
        return {
          ...instrument,
          status: 'merged',
          into: data.into,
          ...(instrument.vault !== undefined && {
            vault: { ...instrument.vault, walletRevision: data.walletRevision },
          }),
        };
      case 'InstrumentDeleted':
        return { ...instrument, status: 'deleted', deletedAt: data.deletedAt };
      case 'InstrumentExpired':
        return { ...instrument, expiredAt: data.expiredAt };
      case 'InstrumentUpdated': {
        const { card, fingerprint = instrument.fingerprint, occurredAt: toldAt } = data;
        const paymentMethodData = updated(instrument.paymentMethodData, card);
        return { ...instrument, paymentMethodData, fingerprint, toldAt };
      }
      case 'InstrumentClosed':
        return { ...instrument, closedAt: data.closedAt, toldAt: data.occurredAt };
      case 'CustomerErased': {
        const paymentMethodData = withoutHolder(instrument.paymentMethodData);
        if (instrument.vault === undefined) return { ...instrument, paymentMethodData };
        const { description: _erased, ...vault } = instrument.vault;
        return { ...instrument, paymentMethodData, vault };
      }
      default:
        return type satisfies never;
    }
  },
};

/** True if a single-use token that nothing holds can no longer be used at `at` (ms). */
export const isExpired = ({ expiresAt, expiredAt }: UsableInstrument, at: number): boolean =>
  expiredAt !== undefined || expiresAt <= at;

/** True if a single-use token has paid, or was used up for a card that the customer had already. */
export const isUsed = (instrument: UsableInstrument): boolean =>
  tokenTypeOf(instrument) === 'SINGLE_USE' && (instrument.claim !== undefined || instrument.status === 'merged');

/**
 * Whether a single-use token can no longer be used at `at` (ms), because of its time; of a deleted one: when it was
 * deleted.
 */
export function hasExpired(instrument: UsableInstrument, at: number): boolean {
  const { status, deletedAt } = instrument;
  const isSingleUse = tokenTypeOf(instrument) === 'SINGLE_USE' && status !== 'vaulting';
  return isSingleUse && !isUsed(instrument) && isExpired(instrument, deletedAt ?? at);
}

/**
 * When its expiry is to be put on record, ms: of a single-use token that nothing holds, once. One that is given back
 * later is due at once.
 */
export const expiryDueAt = (instrument: PaymentInstrument): number | undefined =>
  instrument.status === 'tokenized' && instrument.claim === undefined && instrument.expiredAt === undefined
    ? instrument.expiresAt
    : undefined;

/** Since when a payment holds a single-use token, ms. */
export const claimedSince = (instrument: PaymentInstrument): number | undefined =>
  instrument.status === 'tokenized' || instrument.status === 'vaulting' ? instrument.claim?.claimedAt : undefined;
