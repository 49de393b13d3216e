// Whether users of an account may change what concerns the whole store, such as its clock.
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account } from '../domain/account/state.ts';
import type { Streams } from '../journal/streams.ts';
import { accounts as accountModel } from '../projections/models/accounts.ts';
import type { ReadModels } from '../stores/read-models.ts';

/**
 * True of an operator's account, and of the only account of a store. Of accounts that were made before operators were recorded the oldest
 * one is the operator's. Throws StoreUnavailable.
 */
export const operatesStore =
  (accounts: Streams<Account, AccountEvent>, readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string): Promise<boolean> => {
    const { state } = await accounts.current(accountId);
    if (state.status === 'absent') return false;
    if (state.operator === true) return true;
    const oldest = { where: {}, order: { by: 'createdAt', descending: false }, limit: 2 } as const;
    const [first, another] = await readModels.find(accountModel, oldest);
    return first?.id === accountId && (another === undefined || state.operator === null);
  };
