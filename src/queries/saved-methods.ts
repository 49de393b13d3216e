// What is known by a saved method: which one a processor's token is of, and the agreements that charge it.
import type { Agreement } from '../domain/agreement/state.ts';
import { type AgreementKey, agreements } from '../projections/models/agreements.ts';
import { savedTokenId, savedTokens } from '../projections/models/saved-tokens.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

/**
 * The saved method whose token at a connection a notification names; undefined if none of the account is known (yet).
 * Throws StoreUnavailable.
 */
export const methodCalled =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, connectionId: string, processorToken: string): Promise<string | undefined> => {
    const [row] = await readModels.get(savedTokens, [savedTokenId({ connectionId, processorToken })]);
    return row?.doc.accountId === accountId ? row.doc.paymentMethodToken : undefined;
  };

/** The ids of the agreements that charge a method and are not over. Throws StoreUnavailable. */
export const agreementsCharging =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (paymentMethodToken: string): Promise<readonly string[]> => {
    const ids: string[] = [];
    const query = {
      where: { paymentMethodToken: [paymentMethodToken] },
      order: { by: 'paymentMethodToken', descending: false },
    } as const;
    for await (const { id } of allOf<Agreement, AgreementKey>(readModels, agreements, query)) ids.push(id);
    return ids;
  };
