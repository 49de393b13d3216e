// A path of POST /webhooks as the command line prints it: never its token, unless it was made a moment ago.
import { type ExistingApiKey, type IncomingWebhook, isUsable } from '../../domain/api-key/state.ts';
import { formatTime } from '../../world.ts';

export interface IncomingWebhookView {
  readonly id: string;
  readonly processor: string;
  readonly keyId: string;
  readonly accountId: string;
  /** `dead`: its key is revoked, has expired, or may not send notifications any more. */
  readonly state: 'active' | 'revoked' | 'dead';
  readonly addedAt: string;
  readonly revokedAt: string | null;
}

/** `at`: now, ms. */
export function incomingWebhookView(keyId: string, key: ExistingApiKey, webhook: IncomingWebhook, at: number): IncomingWebhookView {
  const { webhookId: id, processor, addedAt, revokedAt } = webhook;
  const isOpen = isUsable(key, at) && key.scopes.includes('third_party:webhook_trigger');
  const state = revokedAt !== undefined ? 'revoked' : isOpen ? 'active' : 'dead';
  const times = { addedAt: formatTime(addedAt), revokedAt: revokedAt === undefined ? null : formatTime(revokedAt) };
  return { id, processor, keyId, accountId: key.accountId, state, ...times };
}
