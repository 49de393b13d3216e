// The account that a command is about: the one named by --account, or the only one.
import { accounts } from '../projections/models/accounts.ts';
import { Refused, WrongUsage } from './exit.ts';
import type { Opened } from './open/open.ts';

export interface AccountOption {
  readonly account?: string;
}
export const ACCOUNT_FLAG = ['--account <id>', 'the account; optional if there is only one'] as const;

/** The account's whole id. Throws Refused for an account that does not exist. */
export async function mustBeAccount(
  { readModels }: Pick<Opened['service'], 'readModels'>,
  named: string,
): Promise<string> {
  const { wholeId } = await import('./whole-id.ts');
  const account = await wholeId(readModels, named);
  const [found] = await readModels.get(accounts, [account]);
  if (found === undefined) throw new Refused(`There is no account ${account}.`);
  return account;
}

/**
 * Throws Refused for an account that does not exist, WrongUsage when none is named and the number of accounts is not
 * one.
 */
export async function whichAccount({ service }: Opened, { account }: AccountOption): Promise<string> {
  if (account !== undefined) return mustBeAccount(service, account);
  const [only, another] = await service.readModels.find(accounts, { where: {}, limit: 2 });
  if (only === undefined)
    throw new WrongUsage('There is no account yet. Create one with `counterfoil accounts create --name N`.');
  if (another !== undefined)
    throw new WrongUsage('There are several accounts. Name one with --account (`counterfoil accounts list`).');
  return only.id;
}
