// Users invited, given another role, disabled and let in again: by owners in the dashboard, by operators at the command
// line.

import { type Rejection, reject } from '../../domain/decider.ts';
import {
  disableUser as decideDisabling,
  inviteUser as decideInvitation,
  changeRole as decideRole,
  resetAccess,
} from '../../domain/user/decide.ts';
import { plainEmail } from '../../domain/user/email.ts';
import type { UserEvent } from '../../domain/user/events.ts';
import type { Role } from '../../domain/user/roles.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { type Decide, transact } from '../../journal/transact.ts';
import type { Answer, Completed } from '../caller.ts';
import { existingUser } from './existing-user.ts';
import type { UserNeeds } from './needs.ts';
import { joinOwners, leaveOwners, MAX_ROUNDS, MOVED } from './owners.ts';
import { listUnderEmail, userIdIn } from './users-of-email.ts';
import { newLink } from './welcome.ts';

export interface UserInvited extends Completed<ExistingUser> {
  /** The token of the welcome link; it cannot be shown again. */
  readonly token: string;
}

export interface Invitation {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
}

/** The asker: a user of the dashboard by its context, or an operator. */
export type By = Context | 'operator';

const contextOf = ({ world }: UserNeeds, accountId: string, by: By): Context =>
  by === 'operator' ? operatorContext(world, accountId) : by;

/**
 * NotFound for an unknown account; Conflict for an e-mail that a user of this account has. Other accounts change
 * neither the answer nor the work.
 */
export async function inviteUser(
  needs: UserNeeds,
  { accountId, email, role }: Invitation,
  by: By,
): Promise<UserInvited | Rejection> {
  const { state: account } = await needs.accounts.current(accountId);
  if (account.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const plain = plainEmail(email);
  const userId = await userIdIn(needs, accountId, plain);
  const context = contextOf(needs, accountId, by);
  const { token, link } = newLink(needs, userId);
  await needs.mayWrite();
  const refused = await listUnderEmail(needs, { userId, email: plain }, context);
  if (refused !== undefined) return refused;
  const done = await transact(needs.users, userId, context, decideInvitation({ accountId, email: plain, role }, link));
  const invited = done.kind === 'rejected' ? done : existingUser(userId, done.folded);
  return invited.kind === 'rejected' ? invited : { ...invited, token };
}

/**
 * A new link; password, second factor and sessions end now. Conflict for a disabled user, and from the dashboard for
 * the last owner.
 */
export async function resetUser(
  needs: UserNeeds,
  accountId: string,
  userId: string,
  by: By,
): Promise<UserInvited | Rejection> {
  const context = contextOf(needs, accountId, by);
  const { token, link } = newLink(needs, userId);
  const owners = by === 'operator' ? undefined : 'leave'; // an operator lets the last owner in again
  const done = await change(needs, { accountId, userId, context, owners }, resetAccess(accountId, link));
  return done.kind === 'rejected' ? done : { ...done, token };
}

/** NotFound for an unknown user; Conflict for a disabled one, and for the last active owner. */
export const changeRole = (
  needs: UserNeeds,
  accountId: string,
  userId: string,
  role: Role,
  by: By,
): Promise<Answer<ExistingUser>> => {
  const context = contextOf(needs, accountId, by);
  return change(
    needs,
    { accountId, userId, context, owners: role === 'owner' ? 'join' : 'leave' },
    decideRole(accountId, role),
  );
};

/** Every session ends at once. NotFound for an unknown user; Conflict for the last active owner. */
export const disableUser = (
  needs: UserNeeds,
  accountId: string,
  userId: string,
  by: By,
): Promise<Answer<ExistingUser>> =>
  change(
    needs,
    { accountId, userId, context: contextOf(needs, accountId, by), owners: 'leave' },
    decideDisabling(accountId),
  );

interface Changed {
  readonly accountId: string;
  readonly userId: string;
  readonly context: Context;
  /** The change of the account's list of owners, which comes first; undefined: none. */
  readonly owners: 'join' | 'leave' | undefined;
}

async function change(
  needs: UserNeeds,
  changed: Changed,
  decide: Decide<User, UserEvent>,
): Promise<Answer<ExistingUser>> {
  const { accountId, userId, context, owners } = changed;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { state, head } = await needs.users.current(userId);
    if (state.status === 'absent' || state.accountId !== accountId) return reject('NotFound', 'There is no such user.');
    const before = decide(state, head.revision);
    if (before.kind === 'rejected') return before;
    await needs.mayWrite();
    const isOwner = state.role === 'owner';
    const turn = before.events.length === 0 || isOwner === (owners === 'join') ? undefined : owners;
    const refused = turn && (await (turn === 'join' ? joinOwners : leaveOwners)(needs, accountId, userId, context));
    if (refused !== undefined) return refused;
    const done = await transact(needs.users, userId, context, (user, revision) =>
      revision === head.revision ? decide(user, revision) : MOVED,
    );
    if (done !== MOVED) return done.kind === 'rejected' ? done : existingUser(userId, done.folded);
  }
  return MOVED;
}
