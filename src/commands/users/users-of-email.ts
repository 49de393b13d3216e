// The users of an e-mail, over all accounts, from the streams alone: a sign-in works without any read model.

import type { Rejection } from '../../domain/decider.ts';
import { listUser } from '../../domain/email/decide.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { transactUnread } from '../../journal/transact.ts';
import type { UserNeeds } from './needs.ts';
import { emailIdOf, soleUserIdOf, userIdOf } from './user-id.ts';

type EmailNeeds = Pick<UserNeeds, 'users' | 'emails' | 'storeKey' | 'passwords'>;

export interface UserOfEmail {
  readonly userId: string;
  readonly user: ExistingUser;
}

export interface UsersOfEmail {
  /** Reads those who were invited and exist, disabled ones too. Rejects with StoreUnavailable. */
  readonly users: () => Promise<readonly UserOfEmail[]>;
  /** How their passwords are hashed: all alike, so that one hash is compared with each of them. */
  readonly recipe: string;
}

/** Those over all accounts. `accountId`: only the one of this account, listed or not. Throws StoreUnavailable. */
export async function usersOfEmail(needs: EmailNeeds, email: string, accountId?: string): Promise<UsersOfEmail> {
  const { users, emails, storeKey } = needs;
  const soleId = soleUserIdOf(storeKey, email);
  const [{ state: sole }, { state: listed }] = await Promise.all([users.inLog(soleId), emails.current(emailIdOf(storeKey, email))]);
  const ids = accountId === undefined ? [soleId, ...listed.userIds] : [idBeside(needs, sole, accountId, email)];
  const read = async (userId: string): Promise<readonly UserOfEmail[]> => {
    const user = userId === soleId ? sole : (await users.inLog(userId)).state;
    return user.status === 'absent' ? [] : [{ userId, user }];
  };
  return { users: async () => (await Promise.all(ids.map(read))).flat(), recipe: recipeBeside(needs, email, sole) };
}

/** How passwords of the e-mail are hashed. Throws StoreUnavailable. */
export async function recipeFor(needs: EmailNeeds, email: string): Promise<string> {
  return recipeBeside(needs, email, (await needs.users.inLog(soleUserIdOf(needs.storeKey, email))).state);
}

/** As the sole user's first password was, whose salt is random; it stays so for all passwords of the e-mail. */
function recipeBeside({ passwords }: EmailNeeds, email: string, sole: User): string {
  const recipe = sole.status === 'absent' ? undefined : sole.passwordRecipe;
  return recipe !== undefined && passwords.canMake(recipe) ? recipe : passwords.recipeFor(email);
}

/**
 * The id of the user with this e-mail in the account, whether there is one or not; the work is the same whether another account has the
 * sole user or nobody. Throws StoreUnavailable, and BrokenStream for a sole user whose events were lost: nobody takes that one's place.
 */
export async function userIdIn(needs: EmailNeeds, accountId: string, email: string): Promise<string> {
  return idBeside(needs, (await needs.users.currentAlike(soleUserIdOf(needs.storeKey, email))).state, accountId, email);
}

const idBeside = ({ storeKey }: EmailNeeds, sole: User, accountId: string, email: string): string =>
  sole.status !== 'absent' && sole.accountId === accountId ? soleUserIdOf(storeKey, email) : userIdOf(storeKey, accountId, email);

/** Before the user's own stream begins: sign-ins with the e-mail try the user as well. The work is the same wherever else the e-mail is known. */
export async function listUnderEmail(
  { emails, storeKey }: EmailNeeds,
  { userId, email }: { readonly userId: string; readonly email: string },
  context: Context,
): Promise<Rejection | undefined> {
  if (userId === soleUserIdOf(storeKey, email)) return undefined;
  const emailId = emailIdOf(storeKey, email);
  await emails.current(emailId); // one read in each case: a process keeps the fold of an e-mail that it knows
  // Of no account: one that could read these events would see in their revisions how many others there are.
  const done = await transactUnread(emails, emailId, { ...context, accountId: '' }, listUser(userId));
  return done.kind === 'rejected' ? done : undefined;
}
