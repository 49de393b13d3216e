// What can be asked of an API key.
import { refuseCardNumber } from '../card-number-check.ts';
import { accept, type Decision, reject } from '../decider.ts';
import type { ApiKeyCreated, ApiKeyEvent } from './events.ts';
import { inOrder, type Scope } from './scopes.ts';
import type { ApiKey, ExistingApiKey } from './state.ts';

type KeyDecision = Decision<ApiKeyEvent>;

/** Makes it; again: nothing. CardNumberNotAllowed for a name that holds a card number. */
export const createApiKey =
  (made: ApiKeyCreated) =>
  (key: ApiKey): KeyDecision =>
    key.status === 'absent'
      ? (refuseCardNumber(made.name) ?? accept({ type: 'ApiKeyCreated', data: { ...made, scopes: inOrder(made.scopes) } }))
      : accept();

// A revoked key is gone for good: nothing of it can be changed.
const ifActive = (key: ApiKey, decide: (active: ExistingApiKey) => KeyDecision): KeyDecision => {
  if (key.status === 'absent') return reject('NotFound', 'There is no such API key.');
  return key.status === 'revoked' ? reject('Conflict', 'The API key is revoked.') : decide(key);
};

/** Replaces the scopes; the same ones: nothing. */
export const setApiKeyScopes =
  (scopes: readonly Scope[]) =>
  (key: ApiKey): KeyDecision =>
    ifActive(key, (active) => {
      const wanted = inOrder(scopes);
      return wanted.join() === inOrder(active.scopes).join() ? accept() : accept({ type: 'ApiKeyScopesChanged', data: { scopes: wanted } });
    });

/** A new secret; the old one is honoured until `previousExpiresAt` (ms). The same new secret again: nothing. */
export const rotateApiKey =
  (rotation: { readonly secretHash: string; readonly previousExpiresAt: number }) =>
  (key: ApiKey): KeyDecision =>
    ifActive(key, ({ secretHash }) =>
      secretHash === rotation.secretHash ? accept() : accept({ type: 'ApiKeyRotated', data: { ...rotation } }),
    );

/** Ends it for good; again: nothing. */
export const revokeApiKey =
  () =>
  (key: ApiKey): KeyDecision =>
    key.status === 'revoked' ? accept() : ifActive(key, () => accept({ type: 'ApiKeyRevoked', data: {} }));
