// The user that a command names, by id, or by e-mail and account.
import type { Service } from '../../service.ts';
import { Refused, WrongUsage } from '../exit.ts';
import type { AccountOption } from '../which-account.ts';

export const USER_ACCOUNT_FLAG = ['--account <id>', "the user's account; needed where users of several accounts have the e-mail"] as const;

interface Named {
  readonly userId: string;
  readonly accountId: string;
}

/** Throws Refused for a user that does not exist, WrongUsage for an e-mail of several accounts without `account`. */
export async function userNamed(
  { users, queries }: Pick<Service, 'users' | 'queries'>,
  named: string,
  { account }: AccountOption,
): Promise<Named> {
  const found = named.includes('@') ? await byEmail(users, named, account) : await byId(queries, named, account);
  const [only, another] = found;
  if (only === undefined) throw new Refused(`There is no user ${named}${account === undefined ? '' : ` in the account ${account}`}.`);
  if (another === undefined) return only;
  const accounts = found.map(({ accountId }) => accountId).join(', ');
  throw new WrongUsage(`Users of several accounts have the e-mail ${named}: name one with --account (${accounts}).`);
}

const byEmail = async (users: Service['users'], email: string, account: string | undefined): Promise<readonly Named[]> =>
  (await users.usersOfEmail(email, account)).map(({ userId, user: { accountId } }) => ({ userId, accountId }));

async function byId(queries: Service['queries'], userId: string, account: string | undefined): Promise<readonly Named[]> {
  const read = await queries.readUser(userId);
  return read === undefined || (account !== undefined && account !== read.user.accountId)
    ? []
    : [{ userId, accountId: read.user.accountId }];
}
