// Decisions on an API key.
import { refuseCardNumber } from '../card-number/check.ts';
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import type { ApiKeyCreated, ApiKeyEvent, ManagementKeyCreated } from './events.ts';
import { inOrder, type Scope } from './scopes.ts';
import type { ApiKey, ExistingApiKey } from './state.ts';

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
