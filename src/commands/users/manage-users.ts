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
import { plainEmail } from '../../domain/user/email.ts';
import type { UserEvent } from '../../domain/user/events.ts';
import type { Role } from '../../domain/user/roles.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import { type Decide, transact } from '../../journal/transact.ts';
import { grantingOf } from '../access/manage-api-keys.ts';
import { OnceSecrets } from '../access/once-secrets.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import { onceFor } from '../once-for.ts';
import { existingUser } from './existing-user.ts';
import type { UserNeeds } from './needs.ts';
import { joinOwners, leaveOwners, MAX_ROUNDS, MOVED } from './owners.ts';
import { listUnderEmail, userIdIn } from './users-of-email.ts';
import { linkOfSecret } from './welcome.ts';

export interface UserInvited extends Completed<ExistingUser> {
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
  return onceFor(needs, caller, accountId, {
    name: 'invite-user',
    target: needs.users,
    resource: { id: userId },
    appendsOnce: true,
    async work(effect): Promise<Worked<UserInvited>> {
      const { token, link } = linkOf(effect);
      const unlisted = await listUnderEmail(needs, { userId, email: plain }, effect.context);
      if (unlisted !== undefined) return { answer: unlisted, appended: false };
      const decide = unlessOwner(granting, decideInvitation({ accountId, email: plain, role }, link));
      const done = await transactFor(effect, needs.users, decide);
      if (done.kind === 'rejected') return { answer: done, appended: false };
      return {
        answer: withToken(existingUser(userId, await leftBy(needs.users, userId, done)), token),
        appended: true,
      };
    },
    replay: async (effect, revision) =>
      withToken(existingUser(userId, await needs.users.at(userId, revision)), linkOf(effect).token),
  });
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
  return change(
    needs,
    {
      name: 'reset-user',
      accountId,
      userId,
      owners: by === 'operator' ? undefined : 'leave', // an operator lets the last owner in again
      decide: (effect) => resetAccess(accountId, linkOf(effect).link),
      answer: (effect, user) => withToken(user, linkOf(effect).token),
    },
    by,
  );
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
  const decide = unlessOwner(granting, decideRole(accountId, role));
  return (
    refuseRole(granting, role) ??
    change(
      needs,
      {
        name: 'change-role',
        accountId,
        userId,
        owners: role === 'owner' ? 'join' : 'leave',
        decide: () => decide,
        answer: (_effect, user) => user,
      },
      by,
    )
  );
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
  return change(
    needs,
    {
      name: 'disable-user',
      accountId,
      userId,
      owners: 'leave',
      decide: () => decide,
      answer: (_effect, user) => user,
    },
    by,
  );
}

interface UserChange<A extends Answer<ExistingUser>> {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly accountId: string;
  readonly userId: string;
  /** The change of the account's list of owners, which comes first; undefined: none. */
  readonly owners: 'join' | 'leave' | undefined;
  readonly decide: (effect: Effect) => Decide<User, UserEvent>;
  readonly answer: (effect: Effect, user: Answer<ExistingUser>) => A | Rejection;
}

async function change<A extends Answer<ExistingUser>>(
  needs: UserNeeds,
  changing: UserChange<A>,
  by: By,
): Promise<A | Rejection> {
  const { name, accountId, userId, answer } = changing;
  const { state } = await needs.users.current(userId);
  if (state.status === 'absent' || state.accountId !== accountId) return reject('NotFound', 'There is no such user.');
  return onceFor(needs, callerOf(by), accountId, {
    name,
    target: needs.users,
    resource: { id: userId },
    appendsOnce: true,
    work: (effect) => changed(needs, changing, effect),
    replay: async (effect, revision) => answer(effect, existingUser(userId, await needs.users.at(userId, revision))),
  });
}

async function changed<A extends Answer<ExistingUser>>(
  needs: UserNeeds,
  { accountId, userId, owners, decide: decideFor, answer }: UserChange<A>,
  effect: Effect,
): Promise<Worked<A>> {
  const { context, how } = effect;
  const decide = decideFor(effect);
  const rejected = (answered: Rejection): Worked<A> => ({ answer: answered, appended: false });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { state, head } = await needs.users.current(userId);
    const before = decide(state, head.revision);
    if (before.kind === 'rejected') return rejected(before);
    const isOwner = state.status !== 'absent' && state.role === 'owner';
    const turn = before.events.length === 0 || isOwner === (owners === 'join') ? undefined : owners;
    const refused = turn && (await (turn === 'join' ? joinOwners : leaveOwners)(needs, accountId, userId, context));
    if (refused !== undefined) return rejected(refused);
    const done = await transact(
      needs.users,
      userId,
      context,
      (user, revision) => (revision === head.revision ? decide(user, revision) : MOVED),
      how,
    );
    if (done === MOVED) continue;
    if (done.kind === 'rejected') return rejected(done);
    const user = existingUser(userId, await leftBy(needs.users, userId, done));
    return { answer: answer(effect, user), appended: done.kind !== 'unchanged' };
  }
  return rejected(MOVED);
}
