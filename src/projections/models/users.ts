// Users of the dashboard by id; found by their account.
import { type User, user } from '../../domain/user/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type UserKey = 'accountId' | 'signedInAt' | 'sessionEndsAt';

/** When the first of the sessions that did not end before expires, ms of the machine's clock. */
const firstEndOf = (one: User): number | undefined =>
  one.status === 'absent' || one.sessions.length === 0
    ? undefined
    : Math.min(...one.sessions.map(({ expiresAt }) => expiresAt));

export const users: StreamProjection<User, UserKey> = projection(foldOf(user), {
  name: 'users',
  version: 3, // when the first of the sessions expires
  keys: {
    accountId: (one) => (one.status === 'absent' ? undefined : one.accountId),
    signedInAt: (one) => (one.status === 'absent' ? undefined : one.signedInAt),
    sessionEndsAt: firstEndOf,
  },
  indexes: [['accountId'], ['signedInAt'], ['sessionEndsAt']],
});
