// An API key for the command line: never its secret, unless the key was just created.
import { type ExistingApiKey, isUsable, type KeyPurpose } from '../../domain/api-key/state.ts';
import { formatTime } from '../../world.ts';

export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly accountId: string;
  readonly expiresAt: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly purpose: KeyPurpose;
  /** The scopes that a management key may grant. */
  readonly grants?: readonly string[];
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));

/** `at`: now, ms. */
export function keyView(id: string, key: ExistingApiKey, at: number): KeyView {
  const { name, scopes, accountId, purpose } = key;
  const state = key.status === 'revoked' ? 'revoked' : isUsable(key, at) ? 'active' : 'expired';
  const times = {
    expiresAt: timeOf(key.expiresAt),
    createdAt: formatTime(key.createdAt),
    revokedAt: timeOf(key.revokedAt),
  };
  return { id, name, scopes, ...(key.grants && { grants: key.grants }), accountId, state, purpose, ...times };
}

/** The printed members of a key that was just made or rotated, in this order. */
export const madeView = (
  id: string,
  key: string,
  { name, scopes, grants, accountId, expiresAt }: ExistingApiKey,
): object => ({
  id,
  key,
  name,
  scopes,
  ...(grants && { grants }),
  accountId,
  expiresAt: timeOf(expiresAt),
});
