// A path of POST /webhooks that stands for an API key, as users and operators see it: never its token.
import { z } from 'zod';
import { type ExistingApiKey, type IncomingWebhook, isUsable } from '../../domain/api-key/state.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';

export const IncomingWebhookAnswer = z
  .strictObject({
    id: z.string(),
    processor: z.string(),
    /** The API key that it stands for. */
    keyId: z.string(),
    /** `dead`: its key is revoked, has expired, or may no longer send notifications. */
    state: z.enum(['active', 'revoked', 'dead']),
    addedAt: Instant,
    revokedAt: Instant.nullable(),
  })
  .meta({ id: 'DashboardIncomingWebhook' });
export type IncomingWebhookAnswer = z.infer<typeof IncomingWebhookAnswer>;

/** `at`: now, ms. */
export function incomingWebhookAnswer(
  keyId: string,
  key: ExistingApiKey,
  webhook: IncomingWebhook,
  at: number,
): IncomingWebhookAnswer {
  const { webhookId: id, processor, addedAt, revokedAt } = webhook;
  const isOpen = isUsable(key, at) && key.scopes.includes('third_party:webhook_trigger');
  const state = revokedAt !== undefined ? 'revoked' : isOpen ? 'active' : 'dead';
  return {
    id,
    processor,
    keyId,
    state,
    addedAt: formatTime(addedAt),
    revokedAt: revokedAt === undefined ? null : formatTime(revokedAt),
  };
}
