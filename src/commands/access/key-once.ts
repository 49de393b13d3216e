// API keys that exist once for an account, on any node: the first key, the sandbox's, and those of connections.
import { createApiKey as decideCreation } from '../../domain/api-key.ts';
import type { Rejection } from '../../domain/decider.ts';
import { SCOPES, type Scope } from '../../domain/scopes.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { formatApiKey } from './api-key-text.ts';
import { hashOf } from './manage-api-keys.ts';
import type { AccessNeeds } from './needs.ts';

export interface KeyMade {
  readonly kind: 'made';
  readonly keyId: string;
  /** The key itself; it cannot be shown again. */
  readonly key: string;
  readonly revision: number;
}

interface KeyWanted {
  readonly accountId: string;
  /** Tells the account's keys of this kind apart. */
  readonly what: string;
  readonly name: string;
  readonly scopes: readonly Scope[] | 'all';
  readonly purpose: 'merchant' | 'sandbox';
}

/** The id of such a key: only this store can compute it. */
export const keyIdOf = (
  { storeKey }: Pick<AccessNeeds, 'storeKey'>,
  { accountId, what }: Pick<KeyWanted, 'accountId' | 'what'>,
): string => `key_${storeKey.name('derived-id', `${what} of ${accountId}`)}`;

/**
 * The key, for the one process whose append made it; undefined for all others, now and later. `by`: the user of the
 * dashboard; an operator or the service itself where it is left out.
 */
export async function makeKeyOnce(
  needs: AccessNeeds,
  wanted: KeyWanted,
  by?: ActingUser,
): Promise<KeyMade | Rejection | undefined> {
  const { apiKeys, mode, world } = needs;
  const { accountId, name, purpose } = wanted;
  const keyId = keyIdOf(needs, wanted);
  const secret = Buffer.from(world.randomBytes(32)).toString('hex');
  const context = operatorContext(world, accountId, by);
  const scopes = wanted.scopes === 'all' ? [...SCOPES] : [...wanted.scopes];
  const creation = decideCreation({
    accountId,
    name,
    scopes,
    secretHash: hashOf(needs, secret),
    createdAt: context.at,
    purpose,
  });
  const made = await transact(apiKeys, keyId, context, creation);
  if (made.kind === 'rejected') return made;
  if (made.kind !== 'written') return undefined;
  return { kind: 'made', keyId, key: formatApiKey({ env: mode, keyId, secret }), revision: made.folded.head.revision };
}
