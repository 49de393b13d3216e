// The name of an account, as the customers of its payments see it at their bank.
import { accounts } from '../projections/models/accounts.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** Undefined for an account that there is not. */
export const readAccountName =
  (readModels: ReadModels) =>
  async (accountId: string): Promise<string | undefined> => {
    const [account] = await readModels.get(accounts, [accountId]);
    return account === undefined || account.doc.status === 'absent' ? undefined : account.doc.name;
  };
