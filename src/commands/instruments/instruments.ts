// Payment instruments as a subject: tokenized in the checkout, vaulted, made the default and deleted by a merchant's
// backend (contract §5).
import { expireInstrument as decideExpiry } from '../../domain/payment-instrument/decide.ts';
import type { UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { transact } from '../../journal/transact.ts';
import { bind } from '../bind.ts';
import { type Due, dueContext } from '../due.ts';
import { deletePaymentInstrument, makeInstrumentDefault } from './change-instrument.ts';
import type { InstrumentNeeds, VaultingNeeds } from './needs.ts';
import { tokenizeCard } from './tokenize-card.ts';
import { finishVaulting, vaultFor, vaultInstrument } from './vault-instrument.ts';

export type Instruments = ReturnType<typeof makeInstruments>;

export const makeInstruments = (needs: InstrumentNeeds) =>
  bind(needs, {
    tokenizeCard,
    vaultInstrument,
    vaultFor,
    makeInstrumentDefault,
    deletePaymentInstrument,
    expireInstrument,
    finishVaulting: finishVaultingOf,
  });

/** Vaulting that a crash left undone between the instrument's stream and the customer's wallet. */
async function finishVaultingOf(
  needs: VaultingNeeds,
  due: Due,
  instrument: UsableInstrument,
  policy: string,
): ReturnType<typeof finishVaulting> {
  const context = await dueContext(needs.world, needs.instruments, policy, due);
  return finishVaulting(needs, due.id, instrument, context);
}

/** Records the expiry of a single-use token that neither paid nor was vaulted in 24 hours. `policy`: the actor. */
async function expireInstrument(
  { instruments, world }: Pick<VaultingNeeds, 'instruments' | 'world'>,
  due: Due,
  policy: string,
): Promise<void> {
  const context = await dueContext(world, instruments, policy, due);
  await transact(instruments, due.id, context, decideExpiry(context.at));
}
