// Paths of POST /webhooks that stand for an API key: added and revoked by operators; the token is shown once
// (contract §8).
import {
  type ApiKey,
  addIncomingWebhook as decideAddition,
  revokeIncomingWebhook as decideRevocation,
  keyIdOfWebhook,
} from '../../domain/api-key.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import { answerOf } from '../idempotency.ts';
import { changeKey } from './manage-api-keys.ts';
import type { AccessNeeds } from './needs.ts';
import { OnceSecrets } from './once-secrets.ts';
import { formatWebhookToken } from './webhook-token.ts';

export interface IncomingWebhookMade extends Completed<ApiKey> {
  readonly webhookId: string;
  /** It cannot be shown again. */
  readonly token: string;
}

/**
 * `by` in these: the user of the dashboard, once for its idempotency key; an operator where it is left out. NotFound
 * for an unknown key; Conflict for a key that is revoked, or that may not send notifications.
 */
export async function addIncomingWebhook(
  needs: AccessNeeds,
  { keyId, processor }: { readonly keyId: string; readonly processor: string },
  by?: Caller,
): Promise<IncomingWebhookMade | Rejection> {
  const secrets = new OnceSecrets(needs, by);
  const changed = await changeKey(needs, { name: 'add-incoming-webhook', keyId, by }, (effect) => {
    const tokenHash = needs.secrets.sign('webhook-token', secrets.of(effect)).toString('hex');
    return decideAddition(keyId, { processor, tokenHash });
  });
  if (changed.kind === 'rejected') return changed;
  const { state } = changed.folded;
  const made = state.status === 'absent' ? undefined : state.webhooks?.at(-1); // the key as the effect left it
  if (made === undefined) return reject('Conflict', 'The incoming webhook was not added. Try again.');
  const token = formatWebhookToken({ keyId, secret: secrets.of(changed.effect) });
  return { ...answerOf(changed), webhookId: made.webhookId, token };
}

/** Revokes a path: it is refused from its next request on. NotFound for an unknown name. */
export async function revokeIncomingWebhook(
  needs: AccessNeeds,
  webhookId: string,
  by?: Caller,
): Promise<Answer<ApiKey>> {
  const changing = { name: 'revoke-incoming-webhook', keyId: keyIdOfWebhook(webhookId), by };
  return answerOf(await changeKey(needs, changing, () => decideRevocation(webhookId)));
}
