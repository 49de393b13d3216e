// Records the expiry of a single-use token that neither paid nor was vaulted within its 24 hours (contract §5).
import { expireInstrument as decideExpiry } from '../../domain/payment-instrument/decide.ts';
import { transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import type { VaultingNeeds } from './needs.ts';

/** `policy`: the name of the event's actor. */
export const expireInstrument =
  ({ instruments, world }: Pick<VaultingNeeds, 'instruments' | 'world'>) =>
  async (due: Due, policy: string): Promise<void> => {
    const context = await dueContext(world, instruments, policy, due);
    await transact(instruments, due.id, context, decideExpiry(context.at));
  };
