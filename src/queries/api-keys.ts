// The API keys of an account, and the documents by which a key authenticates.
import type { KeyDocuments } from '../commands/access/needs.ts';
import type { ExistingApiKey } from '../domain/api-key/state.ts';
import type { Context } from '../journal/context.ts';
import { lastUses } from '../projections/models/api-key-uses.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import type { ReadModels } from '../stores/read-models.ts';

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

const MOST = 1_000;

/** The account's keys, the newest first. */
export const listApiKeys =
  (readModels: Pick<ReadModels, 'find' | 'get'>) =>
  async (accountId: string): Promise<ApiKeyList> => {
    const rows = await readModels.find(apiKeys, { where: { accountId: [accountId] }, limit: MOST });
    const uses = await lastUses(
      readModels,
      rows.map(({ id }) => id),
    );
    const keys = rows.flatMap(({ id, doc }) =>
      doc.status === 'absent' ? [] : [{ id, doc, lastUsedAt: uses.get(id) }],
    );
    return {
      keys: keys.toSorted((one, other) => other.doc.createdAt - one.doc.createdAt),
      isCut: rows.length === MOST,
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
