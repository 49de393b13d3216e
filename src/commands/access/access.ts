// Access as a subject: accounts and their API keys, made and changed by operators (contract §2).
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { House } from '../house.ts';
import { createAccount } from './manage-accounts.ts';
import { createApiKey, type NewApiKey, revokeApiKey, rotateApiKey, setApiKeyScopes } from './manage-api-keys.ts';

export type Access = ReturnType<typeof makeAccess>;

export const makeAccess = (needs: House) => ({
  createAccount: (name: string) => createAccount(needs, name),
  createApiKey: (request: NewApiKey) => createApiKey(needs, request),
  setApiKeyScopes: (keyId: string, scopes: readonly Scope[]) => setApiKeyScopes(needs, keyId, scopes),
  revokeApiKey: (keyId: string) => revokeApiKey(needs, keyId),
  rotateApiKey: (keyId: string, overlapMs: number) => rotateApiKey(needs, keyId, overlapMs),
});
