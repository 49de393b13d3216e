// API keys: made, rescoped, rotated and revoked by operators, users of the dashboard and management keys; the secret is
// shown once and only its keyed hash is kept (contract §2).
import {
  createApiKey as decideCreation,
  createManagementKey as decideManagementKey,
  revokeApiKey as decideRevocation,
  rotateApiKey as decideRotation,
  setApiKeyScopes as decideScopes,
  type Granting,
  refuseBeyond,
} from '../../domain/api-key/decide.ts';
import type { ApiKeyCreated, ApiKeyEvent } from '../../domain/api-key/events.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { ApiKey, KeyPurpose } from '../../domain/api-key/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { Folded } from '../../journal/fold.ts';
import { type Answer, type Caller, type Completed, completed } from '../caller.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import { onceFor } from '../once-for.ts';
import { formatApiKey } from './api-key-text.ts';
import type { AccessNeeds } from './needs.ts';
import { OnceSecrets } from './once-secrets.ts';

export interface ApiKeyMade extends Completed<ApiKey> {
  /** The key itself; it cannot be shown again. */
  readonly key: string;
}

export interface NewApiKey {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** From now, ms; without it the key does not expire. */
  readonly expiresInMs?: number;
  /** `sandbox`: the key that the sandbox signs in with. */
  readonly purpose?: 'merchant' | 'sandbox';
}

export interface NewManagementKey extends Pick<NewApiKey, 'accountId' | 'name' | 'expiresInMs'> {
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
  const made = (effect: Effect, folded: Folded<ApiKey>): ApiKeyMade =>
    withText(needs, effect.resourceId, folded, secrets.of(effect));
  return onceFor(needs, by, accountId, {
    name: operation,
    target: needs.apiKeys,
    resource: { prefix: 'key' },
    appendsOnce: true,
    work(effect): Promise<Worked<ApiKeyMade>> {
      const { at: createdAt } = effect.context;
      const decide = decideOn({
        accountId,
        name,
        secretHash: hashOf(needs, secrets.of(effect)),
        createdAt,
        ...(expiresInMs !== undefined && { expiresAt: createdAt + expiresInMs }),
      });
      return worked(needs, effect, decide, made);
    },
    replay: async (effect, revision) => made(effect, await needs.apiKeys.at(effect.resourceId, revision)),
  });
}

export const setApiKeyScopes = (
  needs: AccessNeeds,
  keyId: string,
  scopes: readonly Scope[],
  by?: Caller,
): Promise<Answer<ApiKey>> =>
  changeKey(
    needs,
    {
      name: 'set-api-key-scopes',
      keyId,
      decide: (_effect, granting) => decideScopes([...scopes], granting),
      answer: changed,
    },
    by,
  );

/** `purpose`: the purpose of the keys that the caller may change; see changeKey. */
export const revokeApiKey = (
  needs: AccessNeeds,
  keyId: string,
  by?: Caller,
  purpose?: ChangedPurpose,
): Promise<Answer<ApiKey>> =>
  changeKey(
    needs,
    { name: 'revoke-api-key', keyId, decide: () => decideRevocation(), answer: changed, ...(purpose && { purpose }) },
    by,
  );

/**
 * Gives the key a new secret under the same id; the old secret stays valid for another `overlapMs`. `purpose`: see
 * changeKey.
 */
export function rotateApiKey(
  needs: AccessNeeds,
  keyId: string,
  overlapMs: number,
  by?: Caller,
  purpose?: ChangedPurpose,
): Promise<ApiKeyMade | Rejection> {
  const secrets = new OnceSecrets(needs, by);
  return changeKey(
    needs,
    {
      name: 'rotate-api-key',
      keyId,
      decide: (effect, granting) =>
        decideRotation(
          {
            secretHash: hashOf(needs, secrets.of(effect)),
            previousExpiresAt: effect.context.at + overlapMs,
          },
          granting,
        ),
      answer: (effect, folded) => withText(needs, keyId, folded, secrets.of(effect)),
      ...(purpose && { purpose }),
    },
    by,
  );
}

export interface KeyChange<A extends Completed<ApiKey>> {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly keyId: string;
  /** `granting`: the limit of the caller on scopes. */
  readonly decide: (effect: Effect, granting: Granting) => (key: ApiKey) => Decision<ApiKeyEvent>;
  /** The response for the caller, from the recorded effect; called again when the request is repeated under its key. */
  readonly answer: (effect: Effect, folded: Folded<ApiKey>) => A | Rejection;
  /** The purpose of the keys that `by` may change: `merchant` if it is left out. */
  readonly purpose?: ChangedPurpose;
}
type ChangedPurpose = Exclude<KeyPurpose, 'sandbox'>;

/** The response of a change that reveals no secret. */
export const changed = ({ resourceId }: Effect, folded: Folded<ApiKey>): Completed<ApiKey> =>
  completed(resourceId, folded);

/**
 * Decides on a key. NotFound for an unknown key, and for a key that the caller may not change: of another account, or
 * of another purpose, such as that of the sandbox. An operator may change every key.
 */
export async function changeKey<A extends Completed<ApiKey>>(
  needs: AccessNeeds,
  { name, keyId, decide, answer, purpose = 'merchant' }: KeyChange<A>,
  by?: Caller,
): Promise<A | Rejection> {
  const [{ state }, granting] = await Promise.all([needs.apiKeys.current(keyId), grantingOf(needs, by)]);
  const isTheirs =
    state.status !== 'absent' && (by === undefined || (state.accountId === by.accountId && state.purpose === purpose));
  if (!isTheirs) return reject('NotFound', `There is no key ${keyId}.`);
  return onceFor(needs, by, state.accountId, {
    name,
    target: needs.apiKeys,
    resource: { id: keyId },
    appendsOnce: true,
    work: (effect) => worked(needs, effect, decide(effect, granting), answer),
    replay: async (effect, revision) => answer(effect, await needs.apiKeys.at(keyId, revision)),
  });
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

async function worked<A extends Completed<ApiKey>>(
  { apiKeys }: AccessNeeds,
  effect: Effect,
  decide: (key: ApiKey) => Decision<ApiKeyEvent>,
  answer: KeyChange<A>['answer'],
): Promise<Worked<A>> {
  const done = await transactFor(effect, apiKeys, decide);
  if (done.kind === 'rejected') return { answer: done, appended: false };
  return {
    answer: answer(effect, await leftBy(apiKeys, effect.resourceId, done)),
    appended: done.kind !== 'unchanged',
  };
}

const withText = ({ mode }: AccessNeeds, keyId: string, folded: Folded<ApiKey>, secret: string): ApiKeyMade => ({
  ...completed(keyId, folded),
  key: formatApiKey({ env: mode, keyId, secret }),
});

export const hashOf = ({ secrets }: Pick<AccessNeeds, 'secrets'>, secret: string): string =>
  secrets.sign('api-key-hash', secret).toString('hex');
