// Whether a store has an account.
import { accounts } from '../projections/models/accounts.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** Throws StoreUnavailable. */
export const hasAccounts = (readModels: ReadModels) => async (): Promise<boolean> =>
  (await readModels.find(accounts, { where: {}, limit: 1 })).length > 0;
