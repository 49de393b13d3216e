// API keys: made, rescoped, rotated and revoked by operators, users of the dashboard and management keys; the secret is
// shown once and only its keyed hash is kept (contract §2).
import {
  type ApiKey,
  type ApiKeyCreated,
  type ApiKeyEvent,
  createApiKey as decideCreation,
  createManagementKey as decideManagementKey,
  revokeApiKey as decideRevocation,
  rotateApiKey as decideRotation,
  setApiKeyScopes as decideScopes,
  type Granting,
  type KeyPurpose,
  refuseBeyond,
} from '../../domain/api-key.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import type { Effect } from '../effect.ts';
import { answerOf, type Changed, changeFor } from '../idempotency.ts';
import { formatApiKey } from './api-key-text.ts';
import type { AccessNeeds } from './needs.ts';
import { OnceSecrets } from './once-secrets.ts';

export interface ApiKeyMade extends Completed<ApiKey> {
  /** The key itself; it cannot be shown again. */
  readonly key: string;
}

interface NewApiKey {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** From now, ms; without it the key does not expire. */
  readonly expiresInMs?: number | undefined;
  /** `sandbox`: the key that the sandbox signs in with. */
  readonly purpose?: 'merchant' | 'sandbox';
}

interface NewManagementKey extends Pick<NewApiKey, 'accountId' | 'name' | 'expiresInMs'> {
  /** The scopes that it may give to other keys. */
  readonly grants: readonly Scope[];
}

/**
 * `by` in these: the user of the dashboard, or the management key, once for its idempotency key; an operator at the
 * command line where it is left out. InsufficientScope for a scope that a management key may not grant.
 */
export async function createApiKey(
  needs: AccessNeeds,
  { scopes, purpose = 'merchant', ...request }: NewApiKey,
  by?: Caller,
): Promise<ApiKeyMade | Rejection> {
  const refused = refuseBeyond(await grantingOf(needs, by), scopes);
  if (refused !== undefined) return refused;
  return create(
    needs,
    {
      ...request,
      operation: 'create-api-key',
      decide: (made) => decideCreation({ ...made, scopes: [...scopes], purpose }),
    },
    by,
  );
}

/** `by`: an owner of the account, or an operator where it is left out. */
export const createManagementKey = (
  needs: AccessNeeds,
  { grants, ...request }: NewManagementKey,
  by?: Caller,
): Promise<ApiKeyMade | Rejection> =>
  create(
    needs,
    {
      ...request,
      operation: 'create-management-key',
      decide: (made) => decideManagementKey({ ...made, grants: [...grants] }),
    },
    by,
  );

interface KeyCreation extends Pick<NewApiKey, 'accountId' | 'name' | 'expiresInMs'> {
  readonly operation: string;
  readonly decide: (made: Omit<ApiKeyCreated, 'scopes' | 'purpose'>) => (key: ApiKey) => Decision<ApiKeyEvent>;
}

async function create(
  needs: AccessNeeds,
  { accountId, name, expiresInMs, operation, decide: decideOn }: KeyCreation,
  by?: Caller,
): Promise<ApiKeyMade | Rejection> {
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const secrets = new OnceSecrets(needs, by);
  const target = { streams: needs.apiKeys, resource: { prefix: 'key' } };
  const changed = await changeFor(needs, { name: operation, accountId, by }, target, (effect) => {
    const { at: createdAt } = effect.context;
    const secretHash = hashOf(needs, secrets.of(effect));
    const lives = expiresInMs !== undefined && { expiresAt: createdAt + expiresInMs };
    return decideOn({ accountId, name, secretHash, createdAt, ...lives });
  });
  return changed.kind === 'rejected' ? changed : withText(needs, changed, secrets.of(changed.effect));
}

/** `purpose` in these: of the keys that `by` may change, `merchant` if it is left out; see changeKey. */
export const setApiKeyScopes = async (
  needs: AccessNeeds,
  keyId: string,
  scopes: readonly Scope[],
  by?: Caller,
): Promise<Answer<ApiKey>> => {
  const changing = { name: 'set-api-key-scopes', keyId, by };
  return answerOf(await changeKey(needs, changing, (_effect, granting) => decideScopes([...scopes], granting)));
};

export const revokeApiKey = async (
  needs: AccessNeeds,
  keyId: string,
  by?: Caller,
  purpose?: ChangedPurpose,
): Promise<Answer<ApiKey>> =>
  answerOf(await changeKey(needs, { name: 'revoke-api-key', keyId, by, purpose }, () => decideRevocation()));

/** Gives the key a new secret under the same id; the old secret stays valid for another `overlapMs`. */
export async function rotateApiKey(
  needs: AccessNeeds,
  keyId: string,
  overlapMs: number,
  by?: Caller,
  purpose?: ChangedPurpose,
): Promise<ApiKeyMade | Rejection> {
  const secrets = new OnceSecrets(needs, by);
  const changing = { name: 'rotate-api-key', keyId, by, purpose };
  const changed = await changeKey(needs, changing, (effect, granting) => {
    const secretHash = hashOf(needs, secrets.of(effect));
    return decideRotation({ secretHash, previousExpiresAt: effect.context.at + overlapMs }, granting);
  });
  return changed.kind === 'rejected' ? changed : withText(needs, changed, secrets.of(changed.effect));
}

/** By an owner, for keys that no other user may change. */
export const revokeManagementKey = (needs: AccessNeeds, keyId: string, by: Caller): Promise<Answer<ApiKey>> =>
  revokeApiKey(needs, keyId, by, 'management');
export const rotateManagementKey = (
  needs: AccessNeeds,
  keyId: string,
  overlapMs: number,
  by: Caller,
): Promise<ApiKeyMade | Rejection> => rotateApiKey(needs, keyId, overlapMs, by, 'management');

interface KeyChange {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly keyId: string;
  readonly by: Caller | undefined;
  readonly purpose?: ChangedPurpose | undefined;
}
type ChangedPurpose = Exclude<KeyPurpose, 'sandbox'>;

/**
 * Decides on a key; `granting`: the limit of the caller on scopes. NotFound for an unknown key, and for a key that the
 * caller may not change: of another account, or of another purpose, such as that of the sandbox. An operator may change
 * every key.
 */
export async function changeKey(
  needs: AccessNeeds,
  { name, keyId, by, purpose = 'merchant' }: KeyChange,
  decide: (effect: Effect, granting: Granting) => (key: ApiKey) => Decision<ApiKeyEvent>,
): Promise<Changed<ApiKey> | Rejection> {
  const [{ state }, granting] = await Promise.all([needs.apiKeys.current(keyId), grantingOf(needs, by)]);
  const isTheirs =
    state.status !== 'absent' && (by === undefined || (state.accountId === by.accountId && state.purpose === purpose));
  if (!isTheirs) return reject('NotFound', `There is no key ${keyId}.`);
  const target = { streams: needs.apiKeys, resource: { id: keyId } };
  return changeFor(needs, { name, accountId: state.accountId, by }, target, (effect) => decide(effect, granting));
}

/**
 * The limit of the caller on scopes, from its own stream. Another API key than a management key would have the limit of
 * no scope.
 */
export async function grantingOf(
  { apiKeys }: Pick<AccessNeeds, 'apiKeys'>,
  by: Pick<Caller, 'actor'> | undefined,
): Promise<Granting> {
  if (by?.actor.kind !== 'apiKey') return undefined;
  const { state } = await apiKeys.current(by.actor.id);
  return state.status === 'absent' ? [] : (state.grants ?? []);
}

function withText({ mode }: AccessNeeds, changed: Changed<ApiKey>, secret: string): ApiKeyMade {
  const keyId = changed.effect.resourceId;
  return { ...answerOf(changed), key: formatApiKey({ env: mode, keyId, secret }) };
}

export const hashOf = ({ secrets }: Pick<AccessNeeds, 'secrets'>, secret: string): string =>
  secrets.sign('api-key-hash', secret).toString('hex');
