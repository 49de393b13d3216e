// An instrument as callers see it: its own stream, and once it is vaulted its entry in the customer's wallet.
import { type CustomerWallet, instrumentOf } from '../../domain/customer-wallet.ts';
import { reject } from '../../domain/decider.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Folded } from '../../journal/fold.ts';
import type { Answer } from '../caller.ts';
import type { VaultingNeeds } from './needs.ts';

export interface InstrumentView {
  readonly instrument: UsableInstrument;
  readonly wallet?: CustomerWallet;
}

/** Both streams at one moment. The revision counts the instrument's events and those of the wallet that touched it. */
export function viewOf(
  token: string,
  { state, head }: Folded<PaymentInstrument>,
  wallet: Folded<CustomerWallet> | undefined,
): Answer<InstrumentView> {
  if (state.status === 'absent') return reject('NotFound', 'There is no such payment instrument.');
  const touched = wallet === undefined ? 0 : (instrumentOf(wallet.state, token)?.version ?? 0);
  return {
    kind: 'completed',
    status: 200,
    id: token,
    doc: { instrument: state, ...(wallet !== undefined && { wallet: wallet.state }) },
    revision: head.revision + touched,
  };
}

/** The instrument as it was vaulted, whether or not it was deleted since; the newest when it never was. */
export async function asVaulted(
  { instruments }: Pick<VaultingNeeds, 'instruments'>,
  token: string,
): Promise<Folded<PaymentInstrument>> {
  for await (const { event, recorded } of instruments.history(token, -1)) {
    if (event.type === 'InstrumentVaulted') return instruments.at(token, recorded.revision);
  }
  return instruments.current(token);
}
