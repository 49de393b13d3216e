// The API key of a connection, which may only send notifications, and a path that stands for it.
import { honouredWebhooks } from '../../domain/api-key.ts';
import type { Rejection } from '../../domain/decider.ts';
import type { Caller } from '../caller.ts';
import { keyIdOf, makeKeyOnce } from './key-once.ts';
import { addIncomingWebhook, type IncomingWebhookMade } from './manage-incoming-webhooks.ts';
import type { AccessNeeds } from './needs.ts';
import { parseWebhookToken } from './webhook-token.ts';

/**
 * The key is the connection's alone: an addition that broke off leaves it to the next one. Conflict if somebody has
 * revoked it since.
 */
export async function addConnectionPath(
  needs: AccessNeeds,
  {
    accountId,
    connectionId,
    processor,
    name,
  }: {
    readonly accountId: string;
    readonly connectionId: string;
    readonly processor: string;
    readonly name: string;
  },
  by?: Caller,
): Promise<IncomingWebhookMade | Rejection> {
  const wanted = {
    accountId,
    what: `connection ${connectionId}`,
    name: `${processor} ${name}`,
    scopes: ['third_party:webhook_trigger'],
    purpose: 'merchant',
  } as const;
  const made = await makeKeyOnce(needs, wanted, by);
  return made?.kind === 'rejected' ? made : addIncomingWebhook(needs, { keyId: keyIdOf(needs, wanted), processor }, by);
}

/** Says of the token of a path whether it stands for the key now. Throws StoreUnavailable. */
export async function pathsOf(
  { apiKeys, secrets, world }: AccessNeeds,
  { keyId, processor }: { readonly keyId: string; readonly processor: string },
): Promise<(token: string) => boolean> {
  const honoured = honouredWebhooks((await apiKeys.current(keyId)).state, processor, world.now());
  return (text) => {
    const token = parseWebhookToken(text);
    if (token?.keyId !== keyId) return false;
    return secrets.signatures('webhook-token', token.secret).some((hash) => honoured.includes(hash));
  };
}
