// What is recorded of an API key: never the key, only a keyed hash of its secret (contract §2).
import { z } from 'zod';
import { category, event } from '../category.ts';
import { identifier } from '../text.ts';
import { Scope } from './scopes.ts';

const ApiKeyCreated = z.strictObject({
  accountId: z.string(),
  name: identifier,
  scopes: z.array(Scope),
  secretHash: z.string(),
  expiresAt: z.int().optional(),
  createdAt: z.int(),
  /** `sandbox`: the key that the sandbox processor sends its notifications with. */
  purpose: z.enum(['merchant', 'sandbox']),
});
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>;

export const apiKeyCategory = category(
  'apiKey',
  z.discriminatedUnion('type', [
    event('ApiKeyCreated', ApiKeyCreated),
    event('ApiKeyScopesSet', z.strictObject({ scopes: z.array(Scope) })),
    event('ApiKeyRotated', z.strictObject({ secretHash: z.string(), previousValidUntil: z.int() })),
    event('ApiKeyRevoked', z.strictObject({})),
  ]),
);
export type ApiKeyEvent = z.infer<typeof apiKeyCategory.event>;
