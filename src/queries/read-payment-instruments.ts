// GET /payment-instruments and GET /payment-instruments/{token}.
import type { InstrumentView } from '../commands/instruments/instrument-view.ts';
import { walletIdOf } from '../commands/instruments/vault-instrument.ts';
import { type CustomerWallet, instrumentOf } from '../domain/customer-wallet/state.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import { customerWallets } from '../projections/models/customer-wallets.ts';
import { paymentInstruments } from '../projections/models/payment-instruments.ts';
import type { StoreKey } from '../secrets.ts';
import type { ReadModels, Stored } from '../stores/read-models.ts';

export const readPaymentInstrument =
  (readModels: ReadModels) =>
  async (token: string, accountId: string): Promise<Stored<InstrumentView> | Rejection> => {
    const [row] = await readModels.get(paymentInstruments, [token]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId) {
      return reject('NotFound', 'There is no such payment instrument.');
    }
    const instrument = row.doc;
    if (instrument.vault === undefined) return { ...row, doc: { instrument } };
    const [wallet] = await readModels.get<CustomerWallet, never>(customerWallets, [instrument.vault.walletId]);
    const doc = { instrument, ...(wallet !== undefined && { wallet: wallet.doc }) };
    return { ...row, revision: row.revision + touchesOf(wallet?.doc, token), doc };
  };

/** How many events of the wallet touched the instrument: the part of its ETag that its own stream does not count. */
const touchesOf = (wallet: CustomerWallet | undefined, token: string): number =>
  wallet === undefined ? 0 : (instrumentOf(wallet, token)?.version ?? 0);

/** The wallet of a customer; undefined if nothing was ever vaulted there. */
export const readWallet =
  (readModels: ReadModels, storeKey: StoreKey) =>
  async (accountId: string, customerId: string): Promise<CustomerWallet | undefined> => {
    const [row] = await readModels.get<CustomerWallet, never>(customerWallets, [
      walletIdOf(storeKey, accountId, customerId),
    ]);
    return row?.doc;
  };
