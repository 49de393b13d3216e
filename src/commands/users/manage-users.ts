// Users invited, given another role, disabled and let in again: by owners in the dashboard, by management keys, and by
// operators at the command line.

import { type Rejection, reject } from '../../domain/decider.ts';
import {
  disableUser as decideDisabling,
  inviteUser as decideInvitation,
  changeRole as decideRole,
  refuseRole,
  resetAccess,
  unlessOwner,
} from '../../domain/user/decide.ts';
import type { UserEvent } from '../../domain/user/events.ts';
import { plainEmail, type Role } from '../../domain/user/roles.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import { type Decide, transact } from '../../journal/transact.ts';
import { grantingOf } from '../access/manage-api-keys.ts';
import { OnceSecrets } from '../access/once-secrets.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import { type Effect, leftBy, transactFor } from '../effect.ts';
import { type Changed, replayed } from '../idempotency.ts';
import { existingUser } from './existing-user.ts';
import type { UserNeeds } from './needs.ts';
import { joinOwners, leaveOwners, MAX_ROUNDS, MOVED } from './owners.ts';
import { listUnderEmail, userIdIn } from './users-of-email.ts';
import { linkOfSecret } from './welcome.ts';

interface UserInvited extends Completed<ExistingUser> {
  /** The token of the welcome link; it cannot be shown again. */
  readonly token: string;
}

export interface Invitation {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
}

/** The asker: a user of the dashboard or a management key, once for its idempotency key; or an operator. */
export type By = Caller | 'operator';

const callerOf = (by: By): Caller | undefined => (by === 'operator' ? undefined : by);

/**
 * NotFound for an unknown account; Conflict for an e-mail that a user of this account has. InsufficientScope for an
 * owner, or a role beyond the limit, of a management key. Other accounts change neither the answer nor the work.
 */
export async function inviteUser(
  needs: UserNeeds,
  { accountId, email, role }: Invitation,
  by: By,
): Promise<UserInvited | Rejection> {
  const { state: account } = await needs.accounts.current(accountId);
  if (account.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const caller = callerOf(by);
  const granting = await grantingOf(needs, caller);
  const refused = refuseRole(granting, role);
  if (refused !== undefined) return refused;
  const plain = plainEmail(email);
  const userId = await userIdIn(needs, accountId, plain);
  const linkOf = linksOf(needs, userId, caller);
  const { users } = needs;
  using operation = await needs.idempotency.openFor(caller, accountId, 'invite-user');
  const begun = await operation.begin({ streams: users, resource: { id: userId }, appendsOnce: true });
  if (begun.kind === 'rejected') return begun;
  const { token, link } = linkOf(begun);
  if (begun.kind === 'repeated')
    return replayed(withToken(existingUser(userId, await users.at(userId, begun.revision)), token));
  const unlisted = await listUnderEmail(needs, { userId, email: plain }, begun.context);
  if (unlisted !== undefined) return operation.end(begun, unlisted, 'nothing');
  const decide = unlessOwner(granting, decideInvitation({ accountId, email: plain, role }, link));
  const done = await transactFor(begun, users, decide);
  if (done.kind === 'rejected') return operation.end(begun, done, 'nothing');
  return operation.end(begun, withToken(existingUser(userId, await leftBy(users, userId, done)), token), 'appended');
}

/** The link of an effect: the same again for a call that is repeated under its key. */
function linksOf(needs: UserNeeds, userId: string, by: Caller | undefined) {
  const secrets = new OnceSecrets(needs, by);
  return (effect: Effect) => linkOfSecret(needs, userId, Buffer.from(secrets.of(effect), 'hex').toString('base64url'));
}

const withToken = (invited: Answer<ExistingUser>, token: string): UserInvited | Rejection =>
  invited.kind === 'rejected' ? invited : { ...invited, token };

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
  const linkOf = linksOf(needs, userId, callerOf(by));
  const changing = {
    name: 'reset-user',
    accountId,
    userId,
    by,
    owners: by === 'operator' ? undefined : 'leave', // an operator lets the last owner in again
  } as const;
  const changed = await change(needs, changing, (effect) => resetAccess(accountId, linkOf(effect).link));
  return changed.kind === 'rejected' ? changed : withToken(userOf(changed), linkOf(changed.effect).token);
}

/**
 * NotFound for an unknown user; Conflict for a disabled one, and for the last active owner. InsufficientScope for an
 * owner, or a role beyond the limit, of a management key.
 */
export async function changeRole(
  needs: UserNeeds,
  accountId: string,
  userId: string,
  role: Role,
  by: By,
): Promise<Answer<ExistingUser>> {
  const granting = await grantingOf(needs, callerOf(by));
  const refused = refuseRole(granting, role);
  if (refused !== undefined) return refused;
  const owners = role === 'owner' ? 'join' : 'leave';
  const decide = unlessOwner(granting, decideRole(accountId, role));
  return userOf(await change(needs, { name: 'change-role', accountId, userId, by, owners }, () => decide));
}

/**
 * Every session ends at once. NotFound for an unknown user; Conflict for the last active owner; InsufficientScope for
 * an owner and a management key.
 */
export async function disableUser(
  needs: UserNeeds,
  accountId: string,
  userId: string,
  by: By,
): Promise<Answer<ExistingUser>> {
  const decide = unlessOwner(await grantingOf(needs, callerOf(by)), decideDisabling(accountId));
  return userOf(await change(needs, { name: 'disable-user', accountId, userId, by, owners: 'leave' }, () => decide));
}

/** The answer of a change. */
function userOf(changed: Changed<User> | Rejection): Answer<ExistingUser> {
  if (changed.kind === 'rejected') return changed;
  const answer = existingUser(changed.effect.resourceId, changed.folded);
  return changed.replayed === true ? replayed(answer) : answer;
}

interface UserChange {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly accountId: string;
  readonly userId: string;
  readonly by: By;
  /** The change of the account's list of owners, which comes first; undefined: none. */
  readonly owners: 'join' | 'leave' | undefined;
}

async function change(
  needs: UserNeeds,
  { name, accountId, userId, by, owners }: UserChange,
  decideFor: (effect: Effect) => Decide<User, UserEvent>,
): Promise<Changed<User> | Rejection> {
  const { users } = needs;
  const found = (await users.current(userId)).state;
  if (found.status === 'absent' || found.accountId !== accountId) return reject('NotFound', 'There is no such user.');
  using operation = await needs.idempotency.openFor(callerOf(by), accountId, name);
  const begun = await operation.begin({ streams: users, resource: { id: userId }, appendsOnce: true });
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated')
    return { kind: 'changed', effect: begun, folded: await users.at(userId, begun.revision), replayed: true };
  const { context, how } = begun;
  const decide = decideFor(begun);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { state, head } = await users.current(userId);
    const before = decide(state, head.revision);
    if (before.kind === 'rejected') return operation.end(begun, before, 'nothing');
    const isOwner = state.status !== 'absent' && state.role === 'owner';
    const turn = before.events.length === 0 || isOwner === (owners === 'join') ? undefined : owners;
    const refused = turn && (await (turn === 'join' ? joinOwners : leaveOwners)(needs, accountId, userId, context));
    if (refused !== undefined) return operation.end(begun, refused, 'nothing');
    const unlessMoved: typeof decide = (user, revision) =>
      revision === head.revision ? decide(user, revision) : MOVED;
    const done = await transact(users, userId, context, unlessMoved, how);
    if (done === MOVED) continue;
    if (done.kind === 'rejected') return operation.end(begun, done, 'nothing');
    const changed = { kind: 'changed', effect: begun, folded: await leftBy(users, userId, done) } as const;
    return operation.end(begun, changed, done.kind === 'unchanged' ? 'nothing' : 'appended');
  }
  return operation.end(begun, MOVED, 'nothing');
}
