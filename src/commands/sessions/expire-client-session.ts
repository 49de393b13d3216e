// Records the expiry of a client session that no payment holds (contract §3).
import { expireSession } from '../../domain/client-session/decide.ts';
import { transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import type { SessionNeeds } from './needs.ts';

/** `policy`: the name of the event's actor. */
export const expireClientSession =
  ({ sessions, world }: Pick<SessionNeeds, 'sessions' | 'world'>) =>
  async (due: Due, policy: string): Promise<void> => {
    const context = await dueContext(world, sessions, policy, due);
    await transact(sessions, due.id, context, expireSession(context.at));
  };
