// The origins whose pages may frame an account's checkout (contract §2): asked for each card frame in live mode.
import { accounts } from '../projections/models/accounts.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** Empty for an account that has named none, and for one that there is not: both look alike from outside. */
export const readAllowedOrigins =
  (readModels: ReadModels) =>
  async (accountId: string): Promise<readonly string[]> => {
    const [account] = await readModels.get(accounts, [accountId]);
    return account === undefined || account.doc.status === 'absent' ? [] : (account.doc.allowedOrigins ?? []);
  };
