// API keys: made, rescoped, rotated and revoked by operators; the secret is shown once and only its keyed hash is kept (contract §2).
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
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, type Completed, completed } from '../caller.ts';
import { formatApiKey } from './api-key-text.ts';
import type { AccessNeeds } from './needs.ts';

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

export async function createApiKey(
  needs: AccessNeeds,
  { accountId, name, scopes, expiresInMs, purpose = 'merchant' }: NewApiKey,
): Promise<ApiKeyMade | Rejection> {
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const keyId = newId(needs.world, 'key');
  const secret = newSecret(needs);
  const context = operatorContext(needs.world, accountId);
  await needs.mayWrite();
  const created = await transact(
    needs.apiKeys,
    keyId,
    context,
    decideCreation({
      accountId,
      name,
      scopes: [...scopes],
      secretHash: hashOf(needs, secret),
      createdAt: context.at,
      purpose,
      ...(expiresInMs !== undefined && { expiresAt: context.at + expiresInMs }),
    }),
  );
  if (created.kind === 'rejected') return created;
  return { ...completed(keyId, created.folded), key: formatApiKey({ env: needs.mode, keyId, secret }) };
}

export const setApiKeyScopes = (needs: AccessNeeds, keyId: string, scopes: readonly Scope[]): Promise<Answer<ApiKey>> =>
  changeKey(needs, keyId, () => decideScopes([...scopes]));

export const revokeApiKey = (needs: AccessNeeds, keyId: string): Promise<Answer<ApiKey>> =>
  changeKey(needs, keyId, () => decideRevocation());

/** The same key id with a new secret; the old one is good for `overlapMs` more. */
export async function rotateApiKey(needs: AccessNeeds, keyId: string, overlapMs: number): Promise<ApiKeyMade | Rejection> {
  const secret = newSecret(needs);
  const rotated = await changeKey(needs, keyId, (at) =>
    decideRotation({ secretHash: hashOf(needs, secret), previousExpiresAt: at + overlapMs }),
  );
  if (rotated.kind === 'rejected') return rotated;
  return { ...rotated, key: formatApiKey({ env: needs.mode, keyId, secret }) };
}

/** Decides on a key on behalf of an operator. NotFound for an unknown key. */
export async function changeKey(
  needs: AccessNeeds,
  keyId: string,
  decide: (at: number) => (key: ApiKey) => Decision<ApiKeyEvent>,
): Promise<Answer<ApiKey>> {
  const { state } = await needs.apiKeys.current(keyId);
  if (state.status === 'absent') return reject('NotFound', `There is no key ${keyId}.`);
  const context = operatorContext(needs.world, state.accountId);
  await needs.mayWrite();
  const changed = await transact(needs.apiKeys, keyId, context, decide(context.at));
  return changed.kind === 'rejected' ? changed : completed(keyId, changed.folded);
}

const newSecret = ({ world }: AccessNeeds): string => Buffer.from(world.randomBytes(32)).toString('hex');
export const hashOf = ({ secrets }: Pick<AccessNeeds, 'secrets'>, secret: string): string =>
  secrets.sign('api-key-hash', secret).toString('hex');
