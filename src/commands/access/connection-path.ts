// The API key of a connection, which may only send notifications, and a path that stands for it.
import type { Rejection } from '../../domain/decider.ts';
import type { Caller } from '../caller.ts';
import { keyIdOf, makeKeyOnce } from './key-once.ts';
import { addIncomingWebhook, type IncomingWebhookMade } from './manage-incoming-webhooks.ts';
import type { AccessNeeds } from './needs.ts';

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
