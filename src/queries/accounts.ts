// Queries on accounts.
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account, OpenAccount, Routing } from '../domain/account/state.ts';
import type { Streams } from '../journal/streams.ts';
import { type AccountKey, accounts as accountModel } from '../projections/models/accounts.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

/** The accounts that have rules of routing, by their ids. Throws StoreUnavailable. */
export async function readRoutings(readModels: ReadModels): Promise<ReadonlyMap<string, Routing>> {
  const found = new Map<string, Routing>();
  for await (const { id, doc } of allOf(readModels, accountModel, { where: { routed: [true] } }))
    if (doc.status !== 'absent' && doc.routing !== undefined) found.set(id, doc.routing);
  return found;
}

/** Each throws StoreUnavailable. */
export const accountQueries = (
  readModels: Pick<ReadModels, 'find' | 'get'>,
  accounts: Streams<Account, AccountEvent>,
) => {
  const read = async (accountId: string): Promise<OpenAccount | undefined> => {
    const [row] = await readModels.get(accountModel, [accountId]);
    return row === undefined || row.doc.status === 'absent' ? undefined : row.doc;
  };
  return {
    hasAccounts: async (): Promise<boolean> =>
      (await readModels.find(accountModel, { where: {}, limit: 1 })).length > 0,
    /** The account from its stream, which is always the newest; undefined for an unknown account. */
    readAccount: async (accountId: string): Promise<OpenAccount | undefined> => {
      const { state } = await accounts.current(accountId);
      return state.status === 'absent' ? undefined : state;
    },
    /** The name that the customers of its payments see at their bank, or undefined if there is no such account. */
    readAccountName: async (accountId: string): Promise<string | undefined> => (await read(accountId))?.name,
    /**
     * The origins whose pages may frame the account's checkout (contract §3). Empty for an account without origins and
     * for an unknown account: both look alike from outside.
     */
    readAllowedOrigins: async (accountId: string): Promise<readonly string[]> =>
      (await read(accountId))?.allowedOrigins ?? [],
    /**
     * True if users of the account may change what concerns the whole store, such as its clock: those of an operator's
     * account, and of the only account of a store. Of accounts that were made before operators were recorded the oldest
     * one is the operator's.
     */
    operatesStore: async (accountId: string): Promise<boolean> => {
      const { state } = await accounts.current(accountId);
      if (state.status === 'absent') return false;
      if (state.operator === true) return true;
      const oldest: Query<AccountKey> = { where: {}, order: { by: 'createdAt', descending: false }, limit: 2 };
      const [first, another] = await readModels.find(accountModel, oldest);
      return first?.id === accountId && (another === undefined || state.operator === null);
    },
  };
};
