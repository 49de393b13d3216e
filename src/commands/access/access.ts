// AccessControl as a subject: accounts and API keys, made and changed by operators, users and management keys, and the
// caller of a request (contract §2).
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { Caller } from '../caller.ts';
import { Authentication } from './authenticate.ts';
import { type Connecting, connectSandbox } from './connect-sandbox.ts';
import { addConnectionPath, pathsOf } from './connection-path.ts';
import { makeFirstAccount } from './first-account.ts';
import { createAccount, renameAccount, setAllowedOrigins } from './manage-accounts.ts';
import {
  createApiKey,
  createManagementKey,
  type NewApiKey,
  type NewManagementKey,
  revokeApiKey,
  rotateApiKey,
  setApiKeyScopes,
} from './manage-api-keys.ts';
import { addIncomingWebhook, revokeIncomingWebhook } from './manage-incoming-webhooks.ts';
import type { AccessNeeds } from './needs.ts';
import { RecordedKeys } from './recorded-keys.ts';

export type AccessControl = ReturnType<typeof makeAccess>;

export function makeAccess(needs: AccessNeeds) {
  const keys = new RecordedKeys(needs, needs.keyDocuments);
  return {
    authentication: new Authentication(needs, keys, needs.keyUses),
    /** The streams of keys whose documents differ from the record; for operators. */
    refusedKeys: () => keys.refused,
    /** Looks again at the keys that are refused, until the signal aborts. */
    watchKeys: (signal: AbortSignal) => keys.run(signal),
    /**
     * `operator`: its users may change what concerns the whole store; the first account of a store is one in any case.
     */
    createAccount: (name: string, operator = false) => createAccount(needs, name, operator),
    renameAccount: (accountId: string, name: string, by?: Caller) => renameAccount(needs, accountId, name, by),
    setAllowedOrigins: (accountId: string, origins: readonly string[]) => setAllowedOrigins(needs, accountId, origins),
    makeFirstAccount: () => makeFirstAccount(needs),
    connectSandbox: (connecting: Connecting) => connectSandbox(needs, connecting),
    createApiKey: (request: NewApiKey, by?: Caller) => createApiKey(needs, request, by),
    createManagementKey: (request: NewManagementKey, by?: Caller) => createManagementKey(needs, request, by),
    setApiKeyScopes: (keyId: string, scopes: readonly Scope[], by?: Caller) =>
      setApiKeyScopes(needs, keyId, scopes, by),
    revokeApiKey: (keyId: string, by?: Caller) => revokeApiKey(needs, keyId, by),
    rotateApiKey: (keyId: string, overlapMs: number, by?: Caller) => rotateApiKey(needs, keyId, overlapMs, by),
    /** By an owner, for keys that no other user may change. */
    revokeManagementKey: (keyId: string, by: Caller) => revokeApiKey(needs, keyId, by, 'management'),
    rotateManagementKey: (keyId: string, overlapMs: number, by: Caller) =>
      rotateApiKey(needs, keyId, overlapMs, by, 'management'),
    addIncomingWebhook: (request: { readonly keyId: string; readonly processor: string }, by?: Caller) =>
      addIncomingWebhook(needs, request, by),
    addConnectionPath: (wanted: Parameters<typeof addConnectionPath>[1], by?: Caller) =>
      addConnectionPath(needs, wanted, by),
    pathsOf: (paths: Parameters<typeof pathsOf>[1]) => pathsOf(needs, paths),
    revokeIncomingWebhook: (webhookId: string, by?: Caller) => revokeIncomingWebhook(needs, webhookId, by),
  };
}
