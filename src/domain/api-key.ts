// An API key: never the key, only a keyed hash of its secret, and which secrets it honours (contract §2).
import { z } from 'zod';
import { refuseCardNumber } from './card-number/check.ts';
import { category, event } from './category.ts';
import { accept, type Decider, type Decision, type Rejection, reject } from './decider.ts';
import { inOrder, type Scope } from './scopes.ts';

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
type ManagementKeyCreated = z.infer<typeof ManagementKeyCreated>;

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

type KeyDecision = Decision<ApiKeyEvent>;

/** Makes it; again: nothing. CardNumberNotAllowed for a name that holds a card number. */
export const createApiKey =
  (made: ApiKeyCreated) =>
  (key: ApiKey): KeyDecision =>
    key.status === 'absent'
      ? (refuseCardNumber(made.name) ??
        accept({ type: 'ApiKeyCreated', data: { ...made, scopes: inOrder(made.scopes) } }))
      : accept();

/** Creates a management key; again: nothing. CardNumberNotAllowed for a name that contains a card number. */
export const createManagementKey =
  (made: ManagementKeyCreated) =>
  (key: ApiKey): KeyDecision =>
    key.status === 'absent'
      ? (refuseCardNumber(made.name) ??
        accept({ type: 'ManagementKeyCreated', data: { ...made, grants: inOrder(made.grants) } }))
      : accept();

/**
 * The limit of a caller on the scopes of keys that it creates, changes or rotates; undefined: none, as for users and
 * operators.
 */
export type Granting = readonly string[] | undefined;

/** InsufficientScope if a scope is beyond the limit, otherwise undefined. */
export function refuseBeyond(granting: Granting, scopes: readonly string[]): Rejection | undefined {
  const beyond = granting === undefined ? [] : scopes.filter((scope) => !granting.includes(scope));
  return beyond.length === 0
    ? undefined
    : reject('InsufficientScope', `The management key may not grant ${beyond.join(', ')}.`);
}

// A revoked key is gone for good: nothing of it can be changed.
const ifActive = (key: ApiKey, decide: (active: ExistingApiKey) => KeyDecision): KeyDecision => {
  if (key.status === 'absent') return reject('NotFound', 'There is no such API key.');
  return key.status === 'revoked' ? reject('Conflict', 'The API key is revoked.') : decide(key);
};

/**
 * Replaces the scopes; the same ones: nothing. Conflict for a management key, which has none. InsufficientScope beyond
 * the limit of the caller.
 */
export const setApiKeyScopes =
  (scopes: readonly Scope[], granting?: Granting) =>
  (key: ApiKey): KeyDecision =>
    ifActive(key, (active) => {
      if (active.purpose === 'management') return reject('Conflict', 'A management key has no scopes of its own.');
      const refused = refuseBeyond(granting, scopes);
      if (refused !== undefined) return refused;
      const wanted = inOrder(scopes);
      return wanted.join() === inOrder(active.scopes).join()
        ? accept()
        : accept({ type: 'ApiKeyScopesChanged', data: { scopes: wanted } });
    });

/**
 * A new secret; the old one is honoured until `previousExpiresAt` (ms). The same new secret again: nothing.
 * InsufficientScope for a key with a scope beyond the limit of the caller, who sees the new secret.
 */
export const rotateApiKey =
  (rotation: { readonly secretHash: string; readonly previousExpiresAt: number }, granting?: Granting) =>
  (key: ApiKey): KeyDecision =>
    ifActive(key, ({ secretHash, scopes }) => {
      if (secretHash === rotation.secretHash) return accept();
      return refuseBeyond(granting, scopes) ?? accept({ type: 'ApiKeyRotated', data: { ...rotation } });
    });

/** Ends it for good; again: nothing. */
export const revokeApiKey =
  () =>
  (key: ApiKey): KeyDecision =>
    key.status === 'revoked' ? accept() : ifActive(key, () => accept({ type: 'ApiKeyRevoked', data: {} }));

/** The name of a path, which includes its key. */
const webhookIdOf = (keyId: string, place: number): string => `${keyId}.${place + 1}`;

/** The id of the key in the name of a path. */
export const keyIdOfWebhook = (webhookId: string): string => webhookId.slice(0, Math.max(0, webhookId.indexOf('.')));

/** Paths of one key that are not revoked: each is another one that could leak. */
const MOST_PATHS = 20;

/**
 * Another path of `processor` that stands for the key; Conflict for a key that may not send notifications, or has
 * MOST_PATHS.
 */
export const addIncomingWebhook =
  (keyId: string, added: { readonly processor: string; readonly tokenHash: string }) =>
  (key: ApiKey): KeyDecision =>
    ifActive(key, ({ scopes, webhooks = [] }) => {
      if (!scopes.includes('third_party:webhook_trigger'))
        return reject('Conflict', 'The API key lacks the scope third_party:webhook_trigger.');
      if (webhooks.filter(({ revokedAt }) => revokedAt === undefined).length >= MOST_PATHS)
        return reject(
          'Conflict',
          `The API key has ${MOST_PATHS} incoming webhooks, and may not have more. Revoke one that you do not need.`,
        );
      return accept({
        type: 'IncomingWebhookAdded',
        data: { webhookId: webhookIdOf(keyId, webhooks.length), ...added },
      });
    });

/** Revokes a path permanently, even if its key is revoked. No event for a repetition. */
export const revokeIncomingWebhook =
  (webhookId: string) =>
  (key: ApiKey): KeyDecision => {
    const known = key.status === 'absent' ? undefined : key.webhooks?.find((one) => one.webhookId === webhookId);
    if (known === undefined) return reject('NotFound', 'There is no such incoming webhook.');
    return known.revokedAt === undefined ? accept({ type: 'IncomingWebhookRevoked', data: { webhookId } }) : accept();
  };
