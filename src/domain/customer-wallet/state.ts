// The fold of a customer's wallet; also the document that its read model keeps. Its stream's id is an HMAC of account
// and customer.
import type { Decider } from '../decider.ts';
import { withoutHolder } from '../payment-instrument/recorded-data.ts';
import { type AddedInstrument, type CustomerWalletEvent, customerWalletCategory } from './events.ts';

export interface WalletInstrument extends Readonly<Omit<AddedInstrument, 'accountId' | 'customerId'>> {
  /** It can still be read, and no longer be used. */
  readonly deletedAt?: number;
  /** How many of the wallet's events touched it; with the revision of its own stream its ETag. */
  readonly version: number;
}

export interface KnownWallet {
  readonly status: 'open';
  readonly accountId: string;
  readonly customerId: string;
  /** In the order in which they were vaulted, deleted ones included. */
  readonly instruments: readonly WalletInstrument[];
  /** None when all are deleted. */
  readonly defaultToken?: string;
}

export type CustomerWallet = { readonly status: 'absent' } | KnownWallet;

export const customerWallet: Decider<CustomerWallet, CustomerWalletEvent> = {
  category: customerWalletCategory,
  initial: { status: 'absent' },
  subjectOf(wallet, { type, data }, id) {
    const of = type === 'InstrumentAdded' ? data : wallet.status === 'absent' ? undefined : wallet;
    return { accountId: of?.accountId ?? '', customerId: of?.customerId, otherwise: `wallet ${id}` };
  },
  evolve(wallet, event) {
    const { type, data } = event;
    if (type === 'InstrumentAdded') {
      const { accountId, customerId, ...instrument } = data;
      const before =
        wallet.status === 'absent' ? { status: 'open' as const, accountId, customerId, instruments: [] } : wallet;
      return { ...before, instruments: [...before.instruments, { ...instrument, version: 1 }] };
    }
    if (wallet.status === 'absent') throw new Error(`${type} before InstrumentAdded`);
    switch (type) {
      case 'InstrumentRefreshed': {
        const { token, processorToken, paymentMethodData } = data;
        return touched(wallet, [token], { processorToken, paymentMethodData });
      }
      case 'DefaultInstrumentChanged':
        return { ...touched(wallet, [data.token, wallet.defaultToken], {}), defaultToken: data.token };
      case 'InstrumentRemoved': {
        const { defaultToken, ...rest } = touched(wallet, [data.token], { deletedAt: data.deletedAt });
        return defaultToken === undefined || defaultToken === data.token ? rest : { ...rest, defaultToken };
      }
      case 'CustomerErased': {
        const instruments = wallet.instruments.map(({ description: _erased, ...instrument }) => ({
          ...instrument,
          paymentMethodData: withoutHolder(instrument.paymentMethodData),
        }));
        return { ...wallet, instruments };
      }
      default:
        return type satisfies never;
    }
  },
};

function touched(
  wallet: KnownWallet,
  tokens: readonly (string | undefined)[],
  change: Partial<WalletInstrument>,
): KnownWallet {
  const instruments = wallet.instruments.map((instrument) =>
    tokens.includes(instrument.token) ? { ...instrument, ...change, version: instrument.version + 1 } : instrument,
  );
  return { ...wallet, instruments };
}

export const instrumentOf = (wallet: CustomerWallet, token: string): WalletInstrument | undefined =>
  wallet.status === 'absent' ? undefined : wallet.instruments.find((instrument) => instrument.token === token);

/** The instruments that are not deleted, in the order of their vaulting. */
export const liveInstruments = (wallet: CustomerWallet): readonly WalletInstrument[] =>
  wallet.status === 'absent' ? [] : wallet.instruments.filter(({ deletedAt }) => deletedAt === undefined);

/** The token under which the customer has a card: where a second token of it merges into. */
export const tokenOfCard = (wallet: CustomerWallet, fingerprint: string): string | undefined =>
  liveInstruments(wallet).find((instrument) => instrument.fingerprint === fingerprint)?.token;
