// Accounts: made by operators only (contract §2).
import { createAccount as decideCreation, setAllowedOrigins as decideOrigins } from '../../domain/account/decide.ts';
import type { Account } from '../../domain/account/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, completed } from '../caller.ts';
import type { AccessNeeds } from './needs.ts';

/**
 * `operator`: its users may change what concerns the whole store; the first account of a store is one in any case.
 * Throws StoreUnavailable.
 */
export async function createAccount(needs: AccessNeeds, name: string, operator: boolean): Promise<Answer<Account>> {
  const id = newId(needs.world, 'acc');
  const context = operatorContext(needs.world, id);
  await needs.mayWrite();
  const isOperator = operator || !(await needs.hasAccounts());
  const created = await transact(needs.accounts, id, context, decideCreation(name, isOperator));
  return created.kind === 'rejected' ? created : completed(id, created.folded);
}

/** Sets the complete list of origins whose pages may frame the account's checkout in live mode (contract §2). */
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
