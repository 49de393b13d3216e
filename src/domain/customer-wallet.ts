// A customer's wallet: the instruments that a customer of an account has vaulted (contract §5). Its stream's id is an
// HMAC of account and customer. It owns the uniqueness among them: the card (by its fingerprint) and the default. Which
// customer an instrument belongs to, the instrument's own stream has decided before. Times are ms, business time.
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';
import { sameJson } from './json.ts';
import {
  type CardData,
  CardDataV1,
  CardDataV2,
  cardIn,
  holderIn,
  MethodData,
  withHolder,
  withoutHolder,
} from './payment-instrument/recorded-data.ts';
import type { TokenAt } from './payment-instrument/state.ts';
import { PaymentMethodType } from './payment-method.ts';
import { CustomerErased, personal } from './personal.ts';

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

const InstrumentRefreshedV3 = InstrumentRefreshedV2.extend({ paymentMethodData: MethodData });
/** `fingerprint`: of a new number. */
const InstrumentRefreshed = InstrumentRefreshedV3.extend({ fingerprint: z.string().optional() });

export const customerWalletCategory = category(
  'customerWallet',
  z.discriminatedUnion('type', [
    event('InstrumentAdded', AddedInstrument),
    /** A newer expiry of the same card, under another token of the processor; or what the network's updater told. */
    event('InstrumentRefreshed', InstrumentRefreshed),
    /** The card or the account was closed: it can no longer be used. */
    event('InstrumentClosed', z.strictObject({ token: z.string(), closedAt: Time })),
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
      upcast(InstrumentRefreshedV3, (older) => older),
      upcast(InstrumentRefreshedV3, (older) => older),
    ],
  },
);
export type CustomerWalletEvent = z.infer<typeof customerWalletCategory.event>;

export interface WalletInstrument extends Readonly<Omit<AddedInstrument, 'accountId' | 'customerId'>> {
  /** It can still be read, and no longer be used. */
  readonly deletedAt?: number;
  /** Since when it is on record that the card or the account was closed, ms: it can no longer be used. */
  readonly closedAt?: number;
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
        const { token, processorToken, paymentMethodData, fingerprint } = data;
        const refreshed = { processorToken, paymentMethodData, ...(fingerprint !== undefined && { fingerprint }) };
        return touched(wallet, [token], refreshed);
      }
      case 'InstrumentClosed':
        return touched(wallet, [data.token], { closedAt: data.closedAt });
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

/** Those of them that can be charged. */
export const usableInstruments = (wallet: CustomerWallet): readonly WalletInstrument[] =>
  liveInstruments(wallet).filter(({ closedAt }) => closedAt === undefined);

/** The token under which the customer has a card: where a second token of it merges into. */
export const tokenOfCard = (wallet: CustomerWallet, fingerprint: string): string | undefined =>
  usableInstruments(wallet).find((instrument) => instrument.fingerprint === fingerprint)?.token;

/**
 * Adds an instrument; the first one becomes the default. If the wallet has the card under another token, that
 * instrument is refreshed if the new expiry is later and the added one has a token at its connection, its own or one of
 * `others`; otherwise no event. A token of a processor is valid only at its own connection, and a refresh does not move
 * the instrument. Afterwards `tokenOfCard` gives the token of the card.
 */
export const addInstrument =
  (added: AddedInstrument, others: readonly TokenAt[] = []) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    if (instrumentOf(wallet, added.token) !== undefined) return accept();
    const token = tokenOfCard(wallet, added.fingerprint);
    const same = token === undefined ? undefined : instrumentOf(wallet, token);
    if (same !== undefined) {
      const { paymentMethodData } = added;
      const here = [added, ...others].find((one) => isAtSameConnection(one, same));
      if (here === undefined || !expiresLater(paymentMethodData, same.paymentMethodData)) return accept();
      const { processorToken } = here;
      return accept({ type: 'InstrumentRefreshed', data: { token: same.token, processorToken, paymentMethodData } });
    }
    const isFirst = usableInstruments(wallet).length === 0;
    const event = { type: 'InstrumentAdded' as const, data: added };
    return isFirst
      ? accept<CustomerWalletEvent>(event, { type: 'DefaultInstrumentChanged', data: { token: added.token } })
      : accept(event);
  };

type Connected = Pick<AddedInstrument, 'processor' | 'connectionId'>;
const isAtSameConnection = (one: Connected, other: Connected): boolean =>
  one.processor === other.processor && one.connectionId === other.connectionId;

/** Nothing when it is the default already; NotFound, InvalidPaymentInstrumentToken for a deleted one. */
export const makeDefault =
  (token: string) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    const instrument = instrumentOf(wallet, token);
    if (wallet.status === 'absent' || instrument === undefined)
      return reject('NotFound', 'There is no such payment instrument.');
    if (instrument.deletedAt !== undefined || instrument.closedAt !== undefined)
      return reject('InvalidPaymentInstrumentToken', 'The payment instrument is deleted or closed.');
    return wallet.defaultToken === token ? accept() : accept({ type: 'DefaultInstrumentChanged', data: { token } });
  };

/** When it was the default, the newest remaining one becomes it. Nothing when it is not there or deleted already. */
export const removeInstrument =
  ({ token, deletedAt }: { readonly token: string; readonly deletedAt: number }) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    const instrument = instrumentOf(wallet, token);
    if (wallet.status === 'absent' || instrument === undefined || instrument.deletedAt !== undefined) return accept();
    return without(wallet, { type: 'InstrumentRemoved', data: { token, deletedAt } });
  };

/** The same for one that was closed: nothing when it is not there, deleted or closed already. */
export const closeInWallet =
  ({ token, closedAt }: { readonly token: string; readonly closedAt: number }) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    const instrument = instrumentOf(wallet, token);
    if (wallet.status === 'absent' || instrument === undefined) return accept();
    const isOver = instrument.deletedAt !== undefined || instrument.closedAt !== undefined;
    return isOver ? accept() : without(wallet, { type: 'InstrumentClosed', data: { token, closedAt } });
  };

function without(
  wallet: KnownWallet,
  ended: Extract<CustomerWalletEvent, { readonly type: 'InstrumentRemoved' | 'InstrumentClosed' }>,
): Decision<CustomerWalletEvent> {
  const { token } = ended.data;
  const newest = usableInstruments(wallet).findLast((remaining) => remaining.token !== token);
  if (wallet.defaultToken !== token || newest === undefined) return accept(ended);
  return accept<CustomerWalletEvent>(ended, { type: 'DefaultInstrumentChanged', data: { token: newest.token } });
}

/**
 * The card as its network told it last, `data`; nothing where the wallet shows that, or a later expiry of the same
 * number: its customer has entered the card again since. `fingerprint`: of the card.
 */
export const renewInstrument =
  ({ token, data, fingerprint }: { readonly token: string; readonly data: MethodData; readonly fingerprint: string }) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    const instrument = instrumentOf(wallet, token);
    if (instrument === undefined || instrument.deletedAt !== undefined) return accept();
    const { processorToken, paymentMethodData: before } = instrument;
    const paymentMethodData = withHolder(withoutHolder(data), holderIn(before) ?? {});
    const isNew = fingerprint !== instrument.fingerprint;
    if (!isNew && (sameJson(paymentMethodData, before) || expiresLater(before, paymentMethodData))) return accept();
    const refreshed = { token, processorToken, paymentMethodData, ...(isNew && { fingerprint }) };
    return accept({ type: 'InstrumentRefreshed', data: refreshed });
  };

/** True if `card` is a card that is valid for longer than `other`. */
export function expiresLater(card: MethodData, other: MethodData): boolean {
  const [newer, older] = [cardIn(card), cardIn(other)];
  return newer !== undefined && older !== undefined && endOf(newer) > endOf(older);
}
/** Four digits of the year, two of the month. */
const endOf = ({ expirationYear, expirationMonth }: CardData): string => expirationYear + expirationMonth;
