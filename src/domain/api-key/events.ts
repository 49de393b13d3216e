// Events of an API key: never the key, only a keyed hash of its secret (contract §2).
import { z } from 'zod';
import { category, event } from '../category.ts';

const ApiKeyCreated = z.strictObject({
  accountId: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  secretHash: z.string(),
  expiresAt: z.number().optional(),
  createdAt: z.number(),
  /** `sandbox`: the key that the sandbox processor sends its notifications with. */
  purpose: z.enum(['merchant', 'sandbox']),
});
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>;

/** A key that manages the account and has no scope of its own; `grants`: the scopes that it may give to other keys. */
const ManagementKeyCreated = z.strictObject({
  accountId: z.string(),
  name: z.string(),
  grants: z.array(z.string()),
  secretHash: z.string(),
  expiresAt: z.number().optional(),
  createdAt: z.number(),
});
export type ManagementKeyCreated = z.infer<typeof ManagementKeyCreated>;

export const apiKeyCategory = category(
  'apiKey',
  z.discriminatedUnion('type', [
    event('ApiKeyCreated', ApiKeyCreated),
    event('ManagementKeyCreated', ManagementKeyCreated),
    event('ApiKeyScopesChanged', z.strictObject({ scopes: z.array(z.string()) })),
    /** `previousExpiresAt`: until then the secret before is honoured as well, ms. */
    event('ApiKeyRotated', z.strictObject({ secretHash: z.string(), previousExpiresAt: z.number() })),
    event('ApiKeyRevoked', z.strictObject({})),
    /**
     * A path of POST /webhooks that stands for this key, for one processor; of its token only a keyed hash
     * (contract §8).
     */
    event(
      'IncomingWebhookAdded',
      z.strictObject({ webhookId: z.string(), processor: z.string(), tokenHash: z.string() }),
    ),
    event('IncomingWebhookRevoked', z.strictObject({ webhookId: z.string() })),
  ]),
);
export type ApiKeyEvent = z.infer<typeof apiKeyCategory.event>;
