// The user that a command names, by id or by e-mail.
import type { Service } from '../../service.ts';
import { Refused } from '../exit.ts';

/** Throws Refused for a user that does not exist. */
export async function userNamed(
  { users, queries }: Pick<Service, 'users' | 'queries'>,
  named: string,
): Promise<{ readonly userId: string; readonly accountId: string }> {
  const userId = named.includes('@') ? users.userIdOf(named) : named;
  const read = await queries.readUser(userId);
  if (read === undefined) throw new Refused(`There is no user ${named}.`);
  return { userId, accountId: read.user.accountId };
}
