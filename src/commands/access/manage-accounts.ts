// Accounts: made by operators only (contract §2).
import { createAccount as decideCreation } from '../../domain/account/decide.ts';
import type { Account } from '../../domain/account/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, completed } from '../caller.ts';
import type { House } from '../house.ts';

export async function createAccount(house: House, name: string): Promise<Answer<Account>> {
  const id = newId(house.world, 'acc');
  const context = operatorContext(house.world, id);
  await house.operations.mayWrite();
  const created = await transact(house.accounts, id, context, decideCreation(name));
  return created.kind === 'rejected' ? created : completed(id, created.folded);
}
