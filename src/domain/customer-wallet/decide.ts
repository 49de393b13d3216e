// Decisions on a customer's wallet (contract §5). It owns the uniqueness among one customer's instruments: the card (by
// its fingerprint) and the default. Which customer an instrument belongs to, the instrument's own stream has decided
// before.
import { accept, type Decision, reject } from '../decider.ts';
import { type CardData, cardIn, type MethodData } from '../payment-instrument/recorded-data.ts';
import type { TokenAt } from '../payment-instrument/state.ts';
import type { AddedInstrument, CustomerWalletEvent } from './events.ts';
import { type CustomerWallet, instrumentOf, liveInstruments, tokenOfCard } from './state.ts';

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
    const isFirst = liveInstruments(wallet).length === 0;
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
    if (instrument.deletedAt !== undefined)
      return reject('InvalidPaymentInstrumentToken', 'The payment instrument is deleted.');
    return wallet.defaultToken === token ? accept() : accept({ type: 'DefaultInstrumentChanged', data: { token } });
  };

/** When it was the default, the newest remaining one becomes it. Nothing when it is not there or deleted already. */
export const removeInstrument =
  ({ token, deletedAt }: { readonly token: string; readonly deletedAt: number }) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> => {
    const instrument = instrumentOf(wallet, token);
    if (wallet.status === 'absent' || instrument === undefined || instrument.deletedAt !== undefined) return accept();
    const removed: CustomerWalletEvent = { type: 'InstrumentRemoved', data: { token, deletedAt } };
    const newest = liveInstruments(wallet).findLast((remaining) => remaining.token !== token);
    if (wallet.defaultToken !== token || newest === undefined) return accept(removed);
    return accept<CustomerWalletEvent>(removed, { type: 'DefaultInstrumentChanged', data: { token: newest.token } });
  };

/** True if `card` is a card that is valid for longer than `other`. */
export function expiresLater(card: MethodData, other: MethodData): boolean {
  const [newer, older] = [cardIn(card), cardIn(other)];
  return newer !== undefined && older !== undefined && endOf(newer) > endOf(older);
}
/** Four digits of the year, two of the month. */
const endOf = ({ expirationYear, expirationMonth }: CardData): string => expirationYear + expirationMonth;
