// Accounts: created by operators only; renamed by owners and management keys too (contract §2).
import {
  createAccount as decideCreation,
  setAllowedOrigins as decideOrigins,
  renameAccount as decideRenaming,
} from '../../domain/account/decide.ts';
import type { Account } from '../../domain/account/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { leftBy, transactFor } from '../effect.ts';
import { onceFor } from '../once-for.ts';
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
  const { accounts } = needs;
  return onceFor(needs, by, accountId, {
    name: 'rename-account',
    target: accounts,
    resource: { id: accountId },
    appendsOnce: true,
    async work(effect) {
      const done = await transactFor(effect, accounts, decideRenaming(name));
      if (done.kind === 'rejected') return { answer: done, appended: false };
      return {
        answer: completed(accountId, await leftBy(accounts, accountId, done)),
        appended: done.kind !== 'unchanged',
      };
    },
    replay: async (_effect, revision) => completed(accountId, await accounts.at(accountId, revision)),
  });
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
