// Paths of POST /webhooks that stand for an API key: added and revoked by operators; the token is shown once
// (contract §8). A connection has a key and a path of its own, which may only send notifications.
import {
  type ApiKey,
  addIncomingWebhook as decideAddition,
  revokeIncomingWebhook as decideRevocation,
  honouredWebhooks,
  keyIdOfWebhook,
} from '../../domain/api-key.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import { answerOf } from '../idempotency.ts';
import { keyIdOf, makeKeyOnce } from './key-once.ts';
import { changeKey } from './manage-api-keys.ts';
import type { AccessNeeds } from './needs.ts';
import { OnceSecrets } from './once-secrets.ts';
import { formatWebhookToken, parseWebhookToken } from './webhook-token.ts';

interface IncomingWebhookMade extends Completed<ApiKey> {
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
