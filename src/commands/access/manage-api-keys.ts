// API keys: made, rescoped, rotated and revoked by operators and users of the dashboard; the secret is shown once and only its keyed hash is kept (contract §2).
import {
  createApiKey as decideCreation,
  revokeApiKey as decideRevocation,
  rotateApiKey as decideRotation,
  setApiKeyScopes as decideScopes,
} from '../../domain/api-key/decide.ts';
import type { ApiKeyEvent } from '../../domain/api-key/events.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import type { ApiKey, ExistingApiKey } from '../../domain/api-key/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
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

/** A user of the dashboard changes the keys of the own account alone, and never the one that the sandbox signs in with. */
export interface ActingUserOf extends ActingUser {
  readonly accountId: string;
}

const mayChange = ({ accountId, purpose }: ExistingApiKey, by: ActingUserOf | undefined): boolean =>
  by === undefined || (accountId === by.accountId && purpose !== 'sandbox');

/** `by` in these: the user of the dashboard; an operator at the command line where it is left out. */
export async function createApiKey(
  needs: AccessNeeds,
  { accountId, name, scopes, expiresInMs, purpose = 'merchant' }: NewApiKey,
  by?: ActingUser,
): Promise<ApiKeyMade | Rejection> {
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const keyId = newId(needs.world, 'key');
  const secret = newSecret(needs);
  const context = operatorContext(needs.world, accountId, by);
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

export const setApiKeyScopes = (needs: AccessNeeds, keyId: string, scopes: readonly Scope[], by?: ActingUserOf): Promise<Answer<ApiKey>> =>
  changeKey(needs, keyId, () => decideScopes([...scopes]), by);

export const revokeApiKey = (needs: AccessNeeds, keyId: string, by?: ActingUserOf): Promise<Answer<ApiKey>> =>
  changeKey(needs, keyId, () => decideRevocation(), by);

/** The same key id with a new secret; the old one is good for `overlapMs` more. */
export async function rotateApiKey(
  needs: AccessNeeds,
  keyId: string,
  overlapMs: number,
  by?: ActingUserOf,
): Promise<ApiKeyMade | Rejection> {
  const secret = newSecret(needs);
  const secretHash = hashOf(needs, secret);
  const rotated = await changeKey(needs, keyId, (at) => decideRotation({ secretHash, previousExpiresAt: at + overlapMs }), by);
  if (rotated.kind === 'rejected') return rotated;
  return { ...rotated, key: formatApiKey({ env: needs.mode, keyId, secret }) };
}

/** Decides on a key on behalf of an operator or a user. NotFound for an unknown key, and for one that is not the user's to change. */
export async function changeKey(
  needs: AccessNeeds,
  keyId: string,
  decide: (at: number) => (key: ApiKey) => Decision<ApiKeyEvent>,
  by?: ActingUserOf,
): Promise<Answer<ApiKey>> {
  const { state } = await needs.apiKeys.current(keyId);
  if (state.status === 'absent' || !mayChange(state, by)) return reject('NotFound', `There is no key ${keyId}.`);
  const context = operatorContext(needs.world, state.accountId, by);
  await needs.mayWrite();
  const changed = await transact(needs.apiKeys, keyId, context, decide(context.at));
  return changed.kind === 'rejected' ? changed : completed(keyId, changed.folded);
}

const newSecret = ({ world }: AccessNeeds): string => Buffer.from(world.randomBytes(32)).toString('hex');
export const hashOf = ({ secrets }: Pick<AccessNeeds, 'secrets'>, secret: string): string =>
  secrets.sign('api-key-hash', secret).toString('hex');
