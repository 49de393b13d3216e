// AccessControl as a subject: accounts and API keys, made and changed by operators, users and management keys, and the
// caller of a request (contract §2).
import { bind } from '../bind.ts';
import { Authentication } from './authenticate.ts';
import { connectSandbox } from './connect-sandbox.ts';
import { createAccount, makeFirstAccount, renameAccount, setAllowedOrigins } from './manage-accounts.ts';
import {
  createApiKey,
  createManagementKey,
  revokeApiKey,
  revokeManagementKey,
  rotateApiKey,
  rotateManagementKey,
  setApiKeyScopes,
} from './manage-api-keys.ts';
import { addConnectionPath, addIncomingWebhook, pathsOf, revokeIncomingWebhook } from './manage-incoming-webhooks.ts';
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
    ...bind(needs, {
      createAccount,
      renameAccount,
      setAllowedOrigins,
      makeFirstAccount,
      connectSandbox,
      createApiKey,
      createManagementKey,
      setApiKeyScopes,
      revokeApiKey,
      rotateApiKey,
      revokeManagementKey,
      rotateManagementKey,
      addIncomingWebhook,
      addConnectionPath,
      pathsOf,
      revokeIncomingWebhook,
    }),
  };
}
