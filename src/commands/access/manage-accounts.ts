// Accounts: created by operators only; renamed by owners and management keys too (contract §2). The first one is made
// with its key when a store is started first.
import {
  type Account,
  createAccount as decideCreation,
  setAllowedOrigins as decideOrigins,
  renameAccount as decideRenaming,
  UNNAMED,
} from '../../domain/account.ts';
import type { Rejection } from '../../domain/decider.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { answerOf, changeFor } from '../idempotency.ts';
import { type KeyMade, makeKeyOnce } from './key-once.ts';
import type { AccessNeeds } from './needs.ts';
import { unlessUnreadable } from './unless-unreadable.ts';

/**
 * `operator`: its users may change what concerns the whole store; the first account of a store is one in any case.
 * Throws StoreUnavailable.
 */
export async function createAccount(needs: AccessNeeds, name: string, operator = false): Promise<Answer<Account>> {
  const id = newId(needs.world, 'acc');
  const context = operatorContext(needs.world, id);
  await needs.mayWrite();
  const isOperator = operator || !(await needs.hasAccounts());
  const created = await transact(needs.accounts, id, context, decideCreation(name, isOperator));
  return created.kind === 'rejected' ? created : completed(id, created.folded);
}

/**
 * Gives the account another name. `by`: an owner or a management key of the account; an operator where it is left out.
 * NotFound for an unknown account. Throws StoreUnavailable.
 */
export async function renameAccount(
  needs: AccessNeeds,
  accountId: string,
  name: string,
  by?: Caller,
): Promise<Answer<Account>> {
  const target = { streams: needs.accounts, resource: { id: accountId } };
  const renaming = { name: 'rename-account', accountId, by };
  return answerOf(await changeFor(needs, renaming, target, () => decideRenaming(name)));
}

/** Sets the complete list of origins whose pages may frame the account's checkout in live mode (contract §3). */
export async function setAllowedOrigins(
  needs: AccessNeeds,
  accountId: string,
  origins: readonly string[],
): Promise<Answer<Account>> {
  await needs.mayWrite();
  const set = await transact(
    needs.accounts,
    accountId,
    operatorContext(needs.world, accountId),
    decideOrigins(origins),
  );
  return set.kind === 'rejected' ? set : completed(accountId, set.folded);
}

export interface FirstAccount {
  readonly kind: 'first_account';
  readonly accountId: string;
  /** The first key, for the process that made it; it is never shown again. */
  readonly key: KeyMade | undefined;
}

/**
 * Makes the first account and its key in a store that has no account; undefined if operators have made accounts
 * themselves. The ids derive from the store's key, so two processes that start at once meet in the same streams, and
 * the next start finishes the work of a killed one. Throws StoreUnavailable.
 */
export async function makeFirstAccount(needs: AccessNeeds): Promise<FirstAccount | Rejection | undefined> {
  const { accounts, storeKey, world, hasAccounts, report } = needs;
  const accountId = `acc_${storeKey.name('derived-id', 'first account')}`;
  const known = await unlessUnreadable(report, () => accounts.current(accountId));
  if (known?.state.status === 'absent') {
    if (await hasAccounts()) return undefined;
    const made = await transact(accounts, accountId, operatorContext(world, accountId), decideCreation(UNNAMED, true));
    if (made.kind === 'rejected') return made;
  }
  const wanted = { accountId, what: 'first key', name: 'First key', scopes: 'all', purpose: 'merchant' } as const;
  const key = await unlessUnreadable(report, () => makeKeyOnce(needs, wanted));
  return key?.kind === 'rejected' ? key : { kind: 'first_account', accountId, key };
}
