// The owners of an account. Its stream has them first: a user joins there before the user's own stream makes an active
// owner, and leaves there before it ends one.

/**
 * A name on the list proves nothing alone: an owner who counts is on it, and is an active owner by the user's own
 * stream. Both are read for one revision of the account, and the append applies to that revision only. A change of the
 * user applies to the revision that was read before it left the list. So two changes at the same time never leave an
 * account without an owner, on any nodes.
 */
import { addOwner, removeOwner } from '../../domain/account.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { User } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { UserNeeds } from './needs.ts';

type OwnersNeeds = Pick<UserNeeds, 'accounts' | 'users'>;

/** Rounds of a change that others overtake; each of them begins with a new look. */
export const MAX_ROUNDS = 5;
/** A decision on a revision that has passed. Nobody outside sees it, unless every round ended so. */
export const MOVED: Rejection = reject(
  'Conflict',
  'The user or the owners of the account changed in the meantime. Try again.',
  {
    retryAfterSeconds: 1,
  },
);

const isActiveOwner = (user: User): boolean => user.status === 'active' && user.role === 'owner';

/** Before a user becomes an active owner. NotFound for an unknown account. */
export async function joinOwners(
  { accounts }: OwnersNeeds,
  accountId: string,
  userId: string,
  context: Context,
): Promise<Rejection | undefined> {
  const done = await transact(accounts, accountId, context, addOwner(userId));
  return done.kind === 'rejected' ? done : undefined;
}

/** Before an owner loses the role or the access. Conflict for an active owner who is the last one. */
export async function leaveOwners(
  { accounts, users }: OwnersNeeds,
  accountId: string,
  userId: string,
  context: Context,
): Promise<Rejection | undefined> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { state: account, head } = await accounts.current(accountId);
    const listed = account.status === 'absent' ? [] : (account.owners ?? []);
    const folds = await Promise.all(listed.map(async (id) => ({ id, user: (await users.current(id)).state })));
    const others = folds.filter(({ id, user }) => id !== userId && isActiveOwner(user)).map(({ id }) => id);
    const isActive = isActiveOwner((await users.current(userId)).state);
    const done = await transact(accounts, accountId, context, (now, revision) =>
      revision === head.revision ? removeOwner({ userId, isActive, others })(now) : MOVED,
    );
    if (done.kind !== 'rejected') return undefined;
    if (done !== MOVED) return done;
  }
  return MOVED;
}
