// The documents of API keys, as authentication reads them.
import type { KeyDocuments } from '../commands/access/needs.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import type { ReadModels } from '../stores/read-models.ts';

export const keyDocuments = (readModels: ReadModels): KeyDocuments => ({
  peek: (keyId) => readModels.peek?.(apiKeys, keyId),
  read: async (keyId) => (await readModels.get(apiKeys, [keyId]))[0],
});
