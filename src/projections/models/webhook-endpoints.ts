// Webhook endpoints by id, and by account.
import { type WebhookEndpoint, webhookEndpoint } from '../../domain/webhook-endpoint.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type WebhookEndpointKey = 'accountId' | 'enabled';

export const webhookEndpoints: StreamProjection<WebhookEndpoint, WebhookEndpointKey> = projection(
  foldOf(webhookEndpoint),
  {
    name: 'webhook-endpoints',
    version: 2,
    keys: {
      accountId: (endpoint) => (endpoint.status === 'absent' ? undefined : endpoint.accountId),
      enabled: (endpoint) => (endpoint.status === 'enabled' ? true : undefined),
    },
    indexes: [['accountId'], ['enabled']],
  },
);
