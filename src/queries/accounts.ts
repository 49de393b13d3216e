// Accounts with their users, API keys and connections: as pages show them, and as requests are authenticated by.

import type { KeyDocuments } from '../commands/access/needs.ts';
import type { ConnectionRow } from '../commands/connections/connections.ts';
import { type Account, type AccountEvent, type OpenAccount, type Routing, shopNameIn } from '../domain/account.ts';
import type { ExistingApiKey } from '../domain/api-key.ts';
import type { UserEvent } from '../domain/user/events.ts';
import type { ExistingUser, User } from '../domain/user/state.ts';
import type { Context } from '../journal/context.ts';
import type { Streams } from '../journal/streams.ts';
import { type AccountKey, accounts as accountModel } from '../projections/models/accounts.ts';
import { lastUses } from '../projections/models/api-key-uses.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import { connections } from '../projections/models/connections.ts';
import { users as userModel } from '../projections/models/users.ts';
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
    /** The name that its customers see, or undefined if nobody has named the account, or there is none. */
    readShopName: async (accountId: string): Promise<string | undefined> => {
      const account = await read(accountId);
      return account && shopNameIn(account);
    },
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

/** A user and the name of the account. */
interface ReadUser {
  readonly userId: string;
  readonly user: ExistingUser;
  readonly accountName: string;
  /** False until somebody has named the account: its customers see no name. */
  readonly isNamed: boolean;
}

export interface UserStreams {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly users: Streams<User, UserEvent>;
}

/** Undefined for an unknown user. Throws StoreUnavailable. */
export const readUser =
  ({ accounts, users }: UserStreams) =>
  async (userId: string): Promise<ReadUser | undefined> => {
    const { state: user } = await users.current(userId);
    if (user.status === 'absent') return undefined;
    const { state: account } = await accounts.current(user.accountId);
    if (account.status === 'absent') return { userId, user, accountName: '', isNamed: false };
    return { userId, user, accountName: account.name, isNamed: shopNameIn(account) !== undefined };
  };

/** Accounts have few users; a page shows them all. */
const MOST_USERS = 1_000;

/** The users of the account, disabled ones too. */
export const usersOfAccount =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string): Promise<readonly { readonly userId: string; readonly user: ExistingUser }[]> => {
    const rows = await readModels.find(userModel, { where: { accountId: [accountId] }, limit: MOST_USERS });
    return rows.flatMap(({ id, doc }) => (doc.status === 'absent' ? [] : [{ userId: id, user: doc }]));
  };

/** The e-mail addresses of the account's users, by their ids. */
export const emailsOfAccount =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string): Promise<ReadonlyMap<string, string>> =>
    new Map((await usersOfAccount(readModels)(accountId)).map(({ userId, user }) => [userId, user.email]));

interface ListedApiKey {
  readonly id: string;
  readonly doc: ExistingApiKey;
  /** ms, to the minute; undefined for a key that was never used. */
  readonly lastUsedAt: number | undefined;
}

interface ApiKeyList {
  readonly keys: readonly ListedApiKey[];
  /** The account has more than the thousand that are read. */
  readonly isCut: boolean;
}

const MOST_KEYS = 1_000;

/** The account's keys, the newest first. */
export const listApiKeys =
  (readModels: Pick<ReadModels, 'find' | 'get'>) =>
  async (accountId: string): Promise<ApiKeyList> => {
    const rows = await readModels.find(apiKeys, { where: { accountId: [accountId] }, limit: MOST_KEYS });
    const uses = await lastUses(
      readModels,
      rows.map(({ id }) => id),
    );
    const keys = rows.flatMap(({ id, doc }) =>
      doc.status === 'absent' ? [] : [{ id, doc, lastUsedAt: uses.get(id) }],
    );
    return {
      keys: keys.toSorted((one, other) => other.doc.createdAt - one.doc.createdAt),
      isCut: rows.length === MOST_KEYS,
    };
  };

/** A key of the account, or undefined if it has none with this id. */
export const readApiKey =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (id: string, accountId: string): Promise<ListedApiKey | undefined> => {
    const [row] = await readModels.get(apiKeys, [id]);
    if (row === undefined || row.doc.status === 'absent' || row.doc.accountId !== accountId) return undefined;
    return { id, doc: row.doc, lastUsedAt: (await lastUses(readModels, [id])).get(id) };
  };

/** Names of the account's API keys among the actors, by id. */
export const keyNames =
  (readModels: Pick<ReadModels, 'get'>) =>
  async (accountId: string, actors: readonly Context['actor'][]): Promise<ReadonlyMap<string, string>> => {
    const ids = [...new Set(actors.flatMap(({ kind, id }) => (kind === 'apiKey' ? [id] : [])))];
    const rows = ids.length === 0 ? [] : await readModels.get(apiKeys, ids);
    return new Map(
      rows.flatMap(({ id, doc }) => (doc.status !== 'absent' && doc.accountId === accountId ? [[id, doc.name]] : [])),
    );
  };

export const keyDocuments = (readModels: ReadModels): KeyDocuments => ({
  peek: (keyId) => readModels.peek?.(apiKeys, keyId),
  read: async (keyId) => (await readModels.get(apiKeys, [keyId]))[0],
});

/** `isActive`: without the disabled ones. The oldest first. Throws StoreUnavailable. */
export async function listConnections(
  readModels: ReadModels,
  { accountId, isActive = false }: { readonly accountId?: string | undefined; readonly isActive?: boolean } = {},
): Promise<readonly ConnectionRow[]> {
  const where = {
    ...(accountId !== undefined && { accountId: [accountId] }),
    ...(isActive && { active: [true] }),
  };
  const rows: ConnectionRow[] = [];
  for await (const { id, doc } of allOf(readModels, connections, { where }))
    if (doc.status !== 'absent') rows.push({ id, doc });
  return rows.sort((a, b) => a.doc.createdAt - b.doc.createdAt || (a.id < b.id ? -1 : 1));
}
