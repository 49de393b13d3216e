// Payment instruments as a subject: tokenized in the checkout, vaulted, made the default and deleted by a merchant's
// backend (contract §5).
import { expireInstrument as decideExpiry } from '../../domain/payment-instrument/decide.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import { deletePaymentInstrument, makeInstrumentDefault } from './change-instrument.ts';
import type { InstrumentNeeds, VaultingNeeds } from './needs.ts';
import { tokenizeCard } from './tokenize-card.ts';
import { finishVaulting, vaultInstrument } from './vault-instrument.ts';

export type Instruments = ReturnType<typeof makeInstruments>;

export const makeInstruments = (needs: InstrumentNeeds) => ({
  tokenizeCard: tokenizeCard(needs),
  vaultInstrument: vaultInstrument(needs),
  makeInstrumentDefault: makeInstrumentDefault(needs),
  deletePaymentInstrument: deletePaymentInstrument(needs),
  expireInstrument: expireInstrument(needs),
  /** Vaulting that a crash left undone between the instrument's stream and the customer's wallet. */
  finishVaulting: async (due: Due, instrument: UsableInstrument, policy: string) =>
    finishVaulting(needs, due.id, instrument, await dueContext(needs.world, needs.instruments, policy, due)),
});

/** Records the expiry of a single-use token that neither paid nor was vaulted in 24 hours. `policy`: the actor. */
const expireInstrument =
  ({ instruments, world }: Pick<VaultingNeeds, 'instruments' | 'world'>) =>
  async (due: Due, policy: string): Promise<void> => {
    const context = await dueContext(world, instruments, policy, due);
    await transact(instruments, due.id, context, decideExpiry(context.at));
  };
