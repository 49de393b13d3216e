// The account and the key that the first start of a store makes.
import { createAccount as decideCreation } from '../../domain/account.ts';
import type { Rejection } from '../../domain/decider.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { type KeyMade, makeKeyOnce } from './key-once.ts';
import type { AccessNeeds } from './needs.ts';
import { unlessUnreadable } from './unless-unreadable.ts';

const NAME = 'Default';

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
    const made = await transact(accounts, accountId, operatorContext(world, accountId), decideCreation(NAME, true));
    if (made.kind === 'rejected') return made;
  }
  const wanted = { accountId, what: 'first key', name: 'First key', scopes: 'all', purpose: 'merchant' } as const;
  const key = await unlessUnreadable(report, () => makeKeyOnce(needs, wanted));
  return key?.kind === 'rejected' ? key : { kind: 'first_account', accountId, key };
}
