// An instrument as callers see it: its own stream, and once it is vaulted its entry in the customer's wallet.
import { type CustomerWallet, instrumentOf } from '../domain/customer-wallet/state.ts';
import { reject } from '../domain/decider.ts';
import type { UsableInstrument } from '../domain/payment-instrument/state.ts';
import type { Answer } from './caller.ts';
import type { House } from './house.ts';

export interface InstrumentView {
  readonly instrument: UsableInstrument;
  readonly wallet?: CustomerWallet;
}

/** The newest state of both streams. Its revision counts the instrument's events and those of the wallet that touched it. */
export async function viewInstrument(house: House, token: string): Promise<Answer<InstrumentView>> {
  const { state, head } = await house.instruments.load(token);
  if (state.status === 'absent') return reject('NotFound', 'There is no such payment instrument.');
  const wallet = state.vault === undefined ? undefined : (await house.wallets.load(state.vault.walletId)).state;
  const touched = wallet === undefined ? 0 : (instrumentOf(wallet, token)?.version ?? 0);
  return {
    kind: 'completed',
    status: 200,
    id: token,
    doc: { instrument: state, ...(wallet !== undefined && { wallet }) },
    revision: head.revision + touched,
  };
}
