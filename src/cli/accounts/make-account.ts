// Makes the account that an operator asks for, as the command line prints it; in test mode the sandbox knows it.
import type { Account } from '../../domain/account/state.ts';
import { accounts } from '../../projections/models/accounts.ts';
import { SETTINGS } from '../../settings.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { formatTime } from '../../world.ts';
import { connectAccount } from '../connect-account.ts';
import { unlessRefused, untilEffective } from '../effect.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';

export interface AccountView {
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

/** An account as the command line prints it. */
export const accountView = (id: string, account: Account): AccountView => ({
  id,
  name: account.status === 'absent' ? '' : account.name,
  operator: account.status === 'absent' ? false : account.operator,
  createdAt: account.status === 'absent' ? null : formatTime(account.createdAt),
  allowedOrigins: account.status === 'absent' ? [] : (account.allowedOrigins ?? []),
});

/** Throws Refused for a text that is not a valid name; `what` names the text. */
export function refuseName(what: string, name: string): void {
  if (name === '' || [...name].length > 255) throw new Refused(`${what} needs 1 to 255 characters.`);
}

/** Throws Refused for a text that is not a valid name. */
export async function makeAccount(opened: Opened, name: string, operator = false): Promise<AccountView> {
  refuseName('--name', name);
  const { service } = opened;
  const made = unlessRefused(await service.access.createAccount(name, operator));
  await untilEffective(service, accounts, made);
  await connectNow(opened, made.id);
  return accountView(made.id, made.doc);
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
