// Keys that exist once for an account, whoever makes them: the first one and the sandbox's.
import { formatApiKey } from '../commands/access/api-key-text.ts';
import { hashOf } from '../commands/access/manage-api-keys.ts';
import { createApiKey as decideCreation } from '../domain/api-key/decide.ts';
import { SCOPES, type Scope } from '../domain/api-key/scopes.ts';
import { operatorContext } from '../journal/contexts.ts';
import { transact } from '../journal/transact.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import { untilEffective } from './effect.ts';
import { Refused } from './exit.ts';
import type { Opened } from './open/open.ts';

export interface KeyMade {
  readonly keyId: string;
  /** The key itself. */
  readonly key: string;
}

export interface KeyWanted {
  readonly accountId: string;
  /** Tells the account's keys of this kind apart. */
  readonly what: string;
  readonly name: string;
  readonly scopes: readonly Scope[] | 'all';
  readonly purpose: 'merchant' | 'sandbox';
}

/** The id of such a key: only this store can compute it. */
export const keyIdOf = ({ service }: Opened, { accountId, what }: Pick<KeyWanted, 'accountId' | 'what'>): string =>
  `key_${service.house.storeKey.name('derived-id', `${what} of ${accountId}`)}`;

/** The key, for the one process whose append made it; undefined for all others, now and later. */
export async function makeKeyOnce(opened: Opened, wanted: KeyWanted): Promise<KeyMade | undefined> {
  const { service, world } = opened;
  const { house, mode } = service;
  const { accountId, name, purpose } = wanted;
  const keyId = keyIdOf(opened, wanted);
  const secret = Buffer.from(world.randomBytes(32)).toString('hex');
  const context = operatorContext(world, accountId);
  const scopes = wanted.scopes === 'all' ? [...SCOPES] : [...wanted.scopes];
  const creation = decideCreation({ accountId, name, scopes, secretHash: hashOf(house, secret), createdAt: context.at, purpose });
  const made = await transact(house.apiKeys, keyId, context, creation);
  if (made.kind === 'rejected') throw new Refused(made.description);
  if (made.kind !== 'written') return undefined;
  // Whoever made it is the only one who can ever show it, so it is handed over also when it does not hold yet.
  await untilEffective(service, apiKeys, { id: keyId, revision: made.folded.head.revision }).catch((fault: unknown) =>
    opened.log.warn(String(fault)),
  );
  return { keyId, key: formatApiKey({ env: mode, keyId, secret }) };
}
