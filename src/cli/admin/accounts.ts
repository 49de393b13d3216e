// The work of counterfoil accounts, and the account that a first start or a demo makes.
import type { Account } from '../../domain/account.ts';
import { accounts } from '../../projections/models/accounts.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { allOf } from '../../queries/pages.ts';
import { SETTINGS } from '../../settings.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { formatTime } from '../../world.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { effective, untilEffective } from '../effect.ts';
import { Refused } from '../exit.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { accounts as rows } from '../rows/access.ts';
import { listing, toSecond } from '../table.ts';

interface AccountView {
  readonly id: string;
  readonly name: string;
  /**
   * Its users may change what concerns the whole store; null: made before that was recorded, when the first account was
   * the operator's.
   */
  readonly operator: boolean | null;
  readonly createdAt: string | null;
  /** The origins whose pages may frame its checkout in live mode. */
  readonly allowedOrigins: readonly string[];
}

const accountView = (id: string, account: Account): AccountView => ({
  id,
  name: account.status === 'absent' ? '' : account.name,
  operator: account.status === 'absent' ? false : account.operator,
  createdAt: account.status === 'absent' ? null : formatTime(account.createdAt),
  allowedOrigins: account.status === 'absent' ? [] : (account.allowedOrigins ?? []),
});

/** In test mode it makes the key, too, that the sandbox notifies the account with. */
export async function create(
  { name, operator }: GivenValues<typeof rows.create>,
  opened: Opened,
): Promise<CommandResult> {
  const account = await makeAccount(opened, name, operator === true);
  return { json: account, text: `${account.id}  ${account.name}` };
}

export async function list(_given: CommonOptions, { service }: Opened): Promise<CommandResult> {
  const data = [];
  for await (const { id, doc } of allOf(service.readModels, accounts, { where: {} })) data.push(accountView(id, doc));
  const lines = data.map(({ id, name, createdAt }) => [id, name, createdAt === null ? '' : toSecond(createdAt)]);
  return { json: { data }, text: listing('accounts', ['id', 'name', 'created'], lines) };
}

export async function rename(
  { id: named, name }: GivenValues<typeof rows.rename>,
  { service }: Opened,
): Promise<CommandResult> {
  refuseName('The name', name);
  const id = await wholeId(service.readModels, named);
  const { doc } = await effective(service, accounts, await service.access.renameAccount(id, name));
  return { json: accountView(id, doc), text: `${id}  ${name}` };
}

export async function setOrigins(given: GivenValues<typeof rows.setOrigins>, opened: Opened): Promise<CommandResult> {
  const { service } = opened;
  const id = await whichAccount(opened, given);
  const { doc } = await effective(service, accounts, await service.access.setAllowedOrigins(id, given.origins));
  const account = accountView(id, doc);
  return { json: account, text: `${id} may be framed by: ${account.allowedOrigins.join(', ') || 'no origin'}` };
}

/** Throws Refused for a text that is not a valid name; `what` names the text. */
function refuseName(what: string, name: string): void {
  if (name === '' || [...name].length > 255) throw new Refused(`${what} needs 1 to 255 characters.`);
}

/** Throws Refused for a text that is not a valid name. */
export async function makeAccount(opened: Opened, name: string, operator = false): Promise<AccountView> {
  refuseName('--name', name);
  const { service } = opened;
  const { id, doc } = await effective(service, accounts, await service.access.createAccount(name, operator));
  await connectNow(opened, id);
  return accountView(id, doc);
}

/**
 * The account exists whatever becomes of the sandbox's key; the next node to start makes a key that could not be made
 * now.
 */
async function connectNow(opened: Opened, accountId: string): Promise<void> {
  const { sandbox, service, log } = opened;
  const later = 'its notifications reach the account once that node has been restarted.';
  if (sandbox === undefined) {
    if (service.mode === 'test')
      log.warn(`The sandbox is on another node, which ${SETTINGS.sandboxUrl.variable} does not name: ${later}`);
    return;
  }
  await connectAccount(opened, accountId).catch((fault: unknown) => {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    log.warn(`${fault.message}: ${later}`);
  });
}

/**
 * Gives the sandbox the key that it notifies an account with; nothing where there is no sandbox. Throws Refused,
 * Unavailable and StoreUnavailable.
 */
export async function connectAccount({ sandbox, service }: Opened, accountId: string): Promise<void> {
  if (sandbox === undefined) return;
  const untilHolds = (key: { readonly id: string; readonly revision: number }) => untilEffective(service, apiKeys, key);
  const refused = await service.access.connectSandbox({ accountId, sandbox, untilHolds });
  if (refused !== undefined) throw new Refused(refused.description, refused.errorId);
}
