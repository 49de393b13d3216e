// The users of an e-mail, over all accounts, from the streams alone: a sign-in works without any read model. Ids derive
// from account and e-mail, so that an invitation and a sign-in find both without a search.
import type { Rejection } from '../../domain/decider.ts';
import { listUser } from '../../domain/email.ts';
import { plainEmail } from '../../domain/user/roles.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import type { Context } from '../../journal/context.ts';
import { UnknownEvent } from '../../journal/envelope.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';
import type { UserNeeds } from './needs.ts';

type EmailNeeds = Pick<UserNeeds, 'users' | 'emails' | 'storeKey' | 'passwords'>;

export interface UserOfEmail {
  readonly userId: string;
  readonly user: ExistingUser;
}

type Unreadable = BrokenStream | UnknownEvent;

interface FoundUsers {
  /**
   * The users who were invited and exist, disabled ones too. A user whose stream cannot be read is left out, and does
   * not prevent the sign-in of another.
   */
  readonly users: readonly UserOfEmail[];
  /** Why one was left out, or perhaps: nobody knows who. */
  readonly unreadable: Unreadable | undefined;
}

interface UsersOfEmail {
  /** Rejects with StoreUnavailable. */
  readonly read: () => Promise<FoundUsers>;
  /** How their passwords are hashed: all alike, so that one hash is compared with each of them. */
  readonly recipe: string;
}

/** The users over all accounts. `accountId`: only the user of this account, listed or not. Throws StoreUnavailable. */
export async function usersOfEmail(needs: EmailNeeds, email: string, accountId?: string): Promise<UsersOfEmail> {
  const { users, emails, storeKey, passwords } = needs;
  const soleId = soleUserIdOf(storeKey, email);
  const [sole, listed] = await Promise.all([
    legible(users.inLog(soleId)),
    legible(emails.current(emailIdOf(storeKey, email))),
  ]);
  const ids =
    accountId === undefined
      ? [soleId, ...(listed.state?.userIds ?? [])]
      : [idBeside(needs, sole.state, accountId, email)];
  const read = async (): Promise<FoundUsers> => {
    const streams = await Promise.all(
      ids.map(async (userId) => ({ userId, ...(userId === soleId ? sole : await legible(users.inLog(userId))) })),
    );
    return {
      users: streams.flatMap(({ userId, state: user }) =>
        user === undefined || user.status === 'absent' ? [] : [{ userId, user }],
      ),
      unreadable: [sole, listed, ...streams].find(({ fault }) => fault !== undefined)?.fault,
    };
  };
  const recipe = recipeBeside(needs, email, sole.state);
  if (recipe !== undefined) return { read, recipe };
  const found = await read(); // before the hash, which needs it: the others have had the sole user's recipe
  const recipes = found.users.flatMap(({ user }) => user.passwordRecipe ?? []);
  return {
    read: async () => found,
    recipe: recipes.find((one) => passwords.canMake(one)) ?? passwords.recipeFor(email),
  };
}

/**
 * Finds the users for callers that have to know all of them. Throws the fault of a stream that cannot be read, unless
 * the user of `accountId` was found.
 */
export async function everyUserOfEmail(
  needs: EmailNeeds,
  email: string,
  accountId?: string,
): Promise<readonly UserOfEmail[]> {
  const { users, unreadable } = await (await usersOfEmail(needs, email, accountId)).read();
  if (unreadable !== undefined && (accountId === undefined || users.length === 0)) throw unreadable;
  return users;
}

/**
 * The fold, or why it cannot be read here: a break is on record when it is thrown, and an event of a newer version
 * parks its stream.
 */
async function legible<State>(
  reading: Promise<Folded<State>>,
): Promise<{ readonly state?: State; readonly fault?: Unreadable }> {
  try {
    const { state } = await reading;
    return { state };
  } catch (fault) {
    if (fault instanceof BrokenStream || fault instanceof UnknownEvent) return { fault };
    throw fault;
  }
}

/** How passwords of the e-mail are hashed. Throws StoreUnavailable. */
export async function recipeFor(needs: EmailNeeds, email: string): Promise<string> {
  return (await usersOfEmail(needs, email)).recipe;
}

/**
 * As the sole user's first password was, whose salt is random; it stays so for all passwords of the e-mail. Undefined:
 * that is not known.
 */
function recipeBeside({ passwords }: EmailNeeds, email: string, sole: User | undefined): string | undefined {
  if (sole === undefined) return undefined;
  const recipe = sole.status === 'absent' ? undefined : sole.passwordRecipe;
  if (recipe === undefined) return passwords.recipeFor(email);
  return passwords.canMake(recipe) ? recipe : undefined;
}

/**
 * The id of the user with this e-mail in the account, whether there is one or not; the work is the same whether another
 * account has the sole user or nobody. Throws StoreUnavailable, and BrokenStream for a sole user whose events were
 * lost: nobody takes that one's place.
 */
export async function userIdIn(needs: EmailNeeds, accountId: string, email: string): Promise<string> {
  return idBeside(needs, (await needs.users.currentAlike(soleUserIdOf(needs.storeKey, email))).state, accountId, email);
}

const idBeside = ({ storeKey }: EmailNeeds, sole: User | undefined, accountId: string, email: string): string =>
  sole !== undefined && sole.status !== 'absent' && sole.accountId === accountId
    ? soleUserIdOf(storeKey, email)
    : userIdOf(storeKey, accountId, email);

/**
 * Before the user's own stream begins: sign-ins with the e-mail try the user as well. The work is the same wherever
 * else the e-mail is known.
 */
export async function listUnderEmail(
  { emails, storeKey }: EmailNeeds,
  { userId, email }: { readonly userId: string; readonly email: string },
  context: Context,
): Promise<Rejection | undefined> {
  if (userId === soleUserIdOf(storeKey, email)) return undefined;
  const emailId = emailIdOf(storeKey, email);
  await emails.current(emailId); // one read in each case: a process keeps the fold of an e-mail that it knows
  // Of no account: one that could read these events would see in their revisions how many others there are.
  const done = await transact(emails, emailId, { ...context, accountId: '' }, listUser(userId), { start: 'guess' });
  return done.kind === 'rejected' ? done : undefined;
}

const userIdOf = (storeKey: StoreKey, accountId: string, email: string): string =>
  `usr_${storeKey.name('derived-id', `user-of-account ${accountId} ${plainEmail(email)}`)}`;

/**
 * The id of the only user of an e-mail, of whichever account, in logs of versions before an e-mail could have several.
 */
export const soleUserIdOf = (storeKey: StoreKey, email: string): string =>
  `usr_${storeKey.name('derived-id', `user ${plainEmail(email)}`)}`;

/** The stream's name alone: no page and no command shows it. */
const emailIdOf = (storeKey: StoreKey, email: string): string => storeKey.name('email-stream', plainEmail(email));
