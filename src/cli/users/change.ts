// counterfoil users disable and reset: what an operator does to one user, who is named by id or e-mail.
import type { Command } from 'commander';
import type { Service } from '../../service.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print } from '../output.ts';
import type { AccountOption } from '../which-account.ts';
import { LINK_SETTINGS, printedUser, printLink } from './view.ts';

export function usersDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <id>',
    summary: 'Disable a user, effective immediately (`users add` enables the user again)',
    examples: ['users disable usr_0123', 'users disable ada@example.org'],
    rules: [
      'Sessions end at once. An e-mail of users in several accounts needs --account; without it the command names the accounts and exits 2.',
    ],
    settings: STORE_SETTINGS,
  })
    .option(...USER_ACCOUNT_FLAG)
    .action(async (id: string, options: CommonOptions & AccountOption) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused } = await import('../effect.ts');
      await withService(options, async ({ service }) => {
        const { userId, accountId } = await userNamed(service, id, options);
        const { doc } = unlessRefused(await service.users.disableUser(accountId, userId, 'operator'));
        print({ json: printedUser(userId, doc), text: `${doc.email} is disabled.` }, options);
      });
    });
}

export function usersReset(parent: Command): void {
  declare(parent, {
    usage: 'reset <id>',
    summary: "Remove a user's password and second factor, end all sessions, and print a one-time link",
    examples: ['users reset usr_0123', 'users reset ada@example.org'],
    rules: ['Ends password, two-factor and sessions, and prints a link as `users add` does.'],
    settings: LINK_SETTINGS,
  })
    .option(...USER_ACCOUNT_FLAG)
    .action(async (id: string, options: CommonOptions & AccountOption) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused } = await import('../effect.ts');
      await withService(options, async ({ service }) => {
        const { userId, accountId } = await userNamed(service, id, options);
        const { doc, token } = unlessRefused(await service.users.resetUser(accountId, userId, 'operator'));
        await printLink(userId, doc, token, options);
      });
    });
}

const USER_ACCOUNT_FLAG = [
  '--account <id>',
  "the user's account; needed if users of several accounts have this e-mail address",
] as const;

interface NamedUser {
  readonly userId: string;
  readonly accountId: string;
}

/** Throws Refused for a user that does not exist, WrongUsage for an e-mail of several accounts without `account`. */
async function userNamed(
  { users, queries, readModels }: Pick<Service, 'users' | 'queries' | 'readModels'>,
  text: string,
  options: AccountOption,
): Promise<NamedUser> {
  const { wholeId } = await import('../whole-id.ts');
  const named = await wholeId(readModels, text);
  const account = options.account === undefined ? undefined : await wholeId(readModels, options.account);
  const found = named.includes('@') ? await byEmail(users, named, account) : await byId(queries, named, account);
  const [only, another] = found;
  if (only === undefined)
    throw new Refused(`There is no user ${named}${account === undefined ? '' : ` in the account ${account}`}.`);
  if (another === undefined) return only;
  const accounts = found.map(({ accountId }) => accountId).join(', ');
  throw new WrongUsage(
    `Users of several accounts have the e-mail address ${named}. Name an account with --account (${accounts}).`,
  );
}

const byEmail = async (
  users: Service['users'],
  email: string,
  account: string | undefined,
): Promise<readonly NamedUser[]> =>
  (await users.usersOfEmail(email, account)).map(({ userId, user: { accountId } }) => ({ userId, accountId }));

async function byId(
  queries: Service['queries'],
  userId: string,
  account: string | undefined,
): Promise<readonly NamedUser[]> {
  const read = await queries.readUser(userId);
  return read === undefined || (account !== undefined && account !== read.user.accountId)
    ? []
    : [{ userId, accountId: read.user.accountId }];
}
