// An API key as it stands, and which secrets it honours.
import type { Decider } from '../decider.ts';
import { type ApiKeyCreated, type ApiKeyEvent, apiKeyCategory } from './events.ts';

/** `management`: the key calls /management, and no route of payments. */
export type KeyPurpose = ApiKeyCreated['purpose'] | 'management';

export interface ExistingApiKey extends Readonly<Omit<ApiKeyCreated, 'purpose'>> {
  readonly purpose: KeyPurpose;
  /** The scopes that a management key may give to other keys. */
  readonly grants?: readonly string[];
  readonly status: 'active' | 'revoked';
  /** The secret before the last rotation, honoured until then (ms). */
  readonly previous?: { readonly secretHash: string; readonly expiresAt: number };
  readonly revokedAt?: number;
  /** In the order in which they were added. */
  readonly webhooks?: readonly IncomingWebhook[];
}

/** A path that stands for the key, for one processor. */
export interface IncomingWebhook {
  readonly webhookId: string;
  readonly processor: string;
  readonly tokenHash: string;
  /** ms */
  readonly addedAt: number;
  readonly revokedAt?: number;
}

export type ApiKey = { readonly status: 'absent' } | ExistingApiKey;

export const apiKey: Decider<ApiKey, ApiKeyEvent> = {
  category: apiKeyCategory,
  initial: { status: 'absent' },
  evolve(key, { type, data }, { at }) {
    if (type === 'ApiKeyCreated') return { status: 'active', ...data };
    if (type === 'ManagementKeyCreated') return { status: 'active', purpose: 'management', scopes: [], ...data };
    if (key.status === 'absent') throw new Error(`${type} before ApiKeyCreated`);
    switch (type) {
      case 'ApiKeyScopesChanged':
        return { ...key, scopes: data.scopes };
      case 'ApiKeyRotated':
        return {
          ...key,
          secretHash: data.secretHash,
          previous: { secretHash: key.secretHash, expiresAt: data.previousExpiresAt },
        };
      case 'ApiKeyRevoked':
        return { ...key, status: 'revoked', revokedAt: at };
      case 'IncomingWebhookAdded':
        return { ...key, webhooks: [...(key.webhooks ?? []), { ...data, addedAt: at }] };
      case 'IncomingWebhookRevoked': {
        const { webhookId } = data;
        return {
          ...key,
          webhooks: key.webhooks?.map((one) => (one.webhookId === webhookId ? { ...one, revokedAt: at } : one)) ?? [],
        };
      }
      default:
        return type satisfies never;
    }
  },
};

/** True if the key may be used at `at` (ms); the moment of expiry is too late. */
export const isUsable = (key: ApiKey, at: number): key is ExistingApiKey =>
  key.status === 'active' && (key.expiresAt === undefined || at < key.expiresAt);

/** Hashes of the secrets that open the key at `at`: the current one, and the previous one while a rotation overlaps. */
export function honouredHashes(key: ApiKey, at: number): readonly string[] {
  if (!isUsable(key, at)) return [];
  return key.previous !== undefined && at < key.previous.expiresAt
    ? [key.secretHash, key.previous.secretHash]
    : [key.secretHash];
}

/** Hashes of the tokens that stand for the key at `at` (ms), in a path of this processor. */
export const honouredWebhooks = (key: ApiKey, processor: string, at: number): readonly string[] =>
  isUsable(key, at)
    ? (key.webhooks ?? []).flatMap((one) =>
        one.processor === processor && one.revokedAt === undefined ? [one.tokenHash] : [],
      )
    : [];
