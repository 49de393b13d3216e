// Paths of POST /webhooks that stand for an API key: added and revoked by operators; the token is shown once (contract §8).
import {
  addIncomingWebhook as decideAddition,
  revokeIncomingWebhook as decideRevocation,
  keyIdOfWebhook,
} from '../../domain/api-key/decide.ts';
import type { ApiKey } from '../../domain/api-key/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Answer, Completed } from '../caller.ts';
import { changeKey } from './manage-api-keys.ts';
import type { AccessNeeds } from './needs.ts';
import { formatWebhookToken } from './webhook-token.ts';

export interface IncomingWebhookMade extends Completed<ApiKey> {
  readonly webhookId: string;
  /** It cannot be shown again. */
  readonly token: string;
}

/** NotFound for an unknown key; Conflict for a key that is revoked, or that may not send notifications. */
export async function addIncomingWebhook(
  needs: AccessNeeds,
  { keyId, processor }: { readonly keyId: string; readonly processor: string },
): Promise<IncomingWebhookMade | Rejection> {
  const secret = Buffer.from(needs.world.randomBytes(32)).toString('hex');
  const tokenHash = needs.secrets.sign('webhook-token', secret).toString('hex');
  const added = await changeKey(needs, keyId, () => decideAddition(keyId, { processor, tokenHash }));
  if (added.kind === 'rejected') return added;
  const made = added.doc.status === 'absent' ? undefined : added.doc.webhooks?.find((one) => one.tokenHash === tokenHash);
  if (made === undefined) return reject('Conflict', 'The incoming webhook was not added; try again.');
  return { ...added, webhookId: made.webhookId, token: formatWebhookToken({ keyId, secret }) };
}

/** The path is refused from the very next request on. NotFound for an unknown name. */
export const revokeIncomingWebhook = (needs: AccessNeeds, webhookId: string): Promise<Answer<ApiKey>> =>
  changeKey(needs, keyIdOfWebhook(webhookId), () => decideRevocation(webhookId));
