// A path of POST /webhooks as the command line prints it: as the dashboard shows it, with the account.
import type { ExistingApiKey, IncomingWebhook } from '../../domain/api-key/state.ts';
import { type IncomingWebhookAnswer, incomingWebhookAnswer } from '../../http/answers/incoming-webhook.ts';

export interface IncomingWebhookView extends IncomingWebhookAnswer {
  readonly accountId: string;
}

/** `at`: now, ms. */
export const incomingWebhookView = (keyId: string, key: ExistingApiKey, webhook: IncomingWebhook, at: number): IncomingWebhookView => ({
  ...incomingWebhookAnswer(keyId, key, webhook, at),
  accountId: key.accountId,
});
