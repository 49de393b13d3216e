// API keys: made, rescoped, rotated and revoked by operators and users of the dashboard; the secret is shown once and
// only its keyed hash is kept (contract §2).
import {
  createApiKey as decideCreation,
  revokeApiKey as decideRevocation,
  rotateApiKey as decideRotation,
  setApiKeyScopes as decideScopes,
} from '../../domain/api-key/decide.ts';
import type { ApiKeyEvent } from '../../domain/api-key/events.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { ApiKey } from '../../domain/api-key/state.ts';
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

/**
 * `by` in these: the user of the dashboard, once for its idempotency key; an operator at the command line where it is
 * left out.
 */
export async function createApiKey(
  needs: AccessNeeds,
  { accountId, name, scopes, expiresInMs, purpose = 'merchant' }: NewApiKey,
  by?: Caller,
): Promise<ApiKeyMade | Rejection> {
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const secrets = new OnceSecrets(needs, by);
  const made = (effect: Effect, folded: Folded<ApiKey>): ApiKeyMade =>
    withText(needs, effect.resourceId, folded, secrets.of(effect));
  return onceFor(needs, by, accountId, {
    name: 'create-api-key',
    target: needs.apiKeys,
    resource: { prefix: 'key' },
    appendsOnce: true,
    work(effect): Promise<Worked<ApiKeyMade>> {
      const { at: createdAt } = effect.context;
      const decide = decideCreation({
        accountId,
        name,
        scopes: [...scopes],
        secretHash: hashOf(needs, secrets.of(effect)),
        createdAt,
        purpose,
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
  changeKey(needs, { name: 'set-api-key-scopes', keyId, decide: () => decideScopes([...scopes]), answer: changed }, by);

export const revokeApiKey = (needs: AccessNeeds, keyId: string, by?: Caller): Promise<Answer<ApiKey>> =>
  changeKey(needs, { name: 'revoke-api-key', keyId, decide: () => decideRevocation(), answer: changed }, by);

/** Gives the key a new secret under the same id; the old secret stays valid for another `overlapMs`. */
export function rotateApiKey(
  needs: AccessNeeds,
  keyId: string,
  overlapMs: number,
  by?: Caller,
): Promise<ApiKeyMade | Rejection> {
  const secrets = new OnceSecrets(needs, by);
  return changeKey(
    needs,
    {
      name: 'rotate-api-key',
      keyId,
      decide: (effect) =>
        decideRotation({
          secretHash: hashOf(needs, secrets.of(effect)),
          previousExpiresAt: effect.context.at + overlapMs,
        }),
      answer: (effect, folded) => withText(needs, keyId, folded, secrets.of(effect)),
    },
    by,
  );
}

export interface KeyChange<A extends Completed<ApiKey>> {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly keyId: string;
  readonly decide: (effect: Effect) => (key: ApiKey) => Decision<ApiKeyEvent>;
  /** The response for the caller, from the recorded effect; called again when the request is repeated under its key. */
  readonly answer: (effect: Effect, folded: Folded<ApiKey>) => A | Rejection;
}

/** The response of a change that reveals no secret. */
export const changed = ({ resourceId }: Effect, folded: Folded<ApiKey>): Completed<ApiKey> =>
  completed(resourceId, folded);

/**
 * Decides on a key. NotFound for an unknown key, and for one that is not the user's to change: another account's, or
 * the sandbox's own.
 */
export async function changeKey<A extends Completed<ApiKey>>(
  needs: AccessNeeds,
  { name, keyId, decide, answer }: KeyChange<A>,
  by?: Caller,
): Promise<A | Rejection> {
  const { state } = await needs.apiKeys.current(keyId);
  const isTheirs =
    state.status !== 'absent' &&
    (by === undefined || (state.accountId === by.accountId && state.purpose !== 'sandbox'));
  if (!isTheirs) return reject('NotFound', `There is no key ${keyId}.`);
  return onceFor(needs, by, state.accountId, {
    name,
    target: needs.apiKeys,
    resource: { id: keyId },
    appendsOnce: true,
    work: (effect) => worked(needs, effect, decide(effect), answer),
    replay: async (effect, revision) => answer(effect, await needs.apiKeys.at(keyId, revision)),
  });
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
