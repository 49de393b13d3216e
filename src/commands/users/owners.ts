// The owners of an account, as its stream has them: a user becomes one there after the user's own stream, and leaves there first.
import { addOwner, removeOwner } from '../../domain/account/decide.ts';
import type { Rejection } from '../../domain/decider.ts';
import type { ExistingUser } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { UserNeeds } from './needs.ts';

/** After a sign-in: an owner who is not on the list, because a process was killed between the two streams, is put there. */
export async function rejoinOwner(needs: Pick<UserNeeds, 'accounts'>, userId: string, user: ExistingUser, context: Context): Promise<void> {
  if (user.role !== 'owner') return;
  await transact(needs.accounts, user.accountId, context, addOwner(userId));
}

/** Before an owner loses the role or the access. Conflict for the last one. */
export async function leaveOwners(
  needs: Pick<UserNeeds, 'accounts'>,
  accountId: string,
  userId: string,
  context: Context,
): Promise<Rejection | undefined> {
  const done = await transact(needs.accounts, accountId, context, removeOwner(userId));
  return done.kind === 'rejected' ? done : undefined;
}
