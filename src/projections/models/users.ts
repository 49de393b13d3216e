// Users of the dashboard by id; found by their account.
import { type User, user } from '../../domain/user/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type UserKey = 'accountId' | 'signedInAt';

export const users: StreamProjection<User, UserKey> = projection(foldOf(user), {
  name: 'users',
  version: 2, // whether the password was used, and its recipe
  keys: {
    accountId: (one) => (one.status === 'absent' ? undefined : one.accountId),
    signedInAt: (one) => (one.status === 'absent' ? undefined : one.signedInAt),
  },
  indexes: [['accountId'], ['signedInAt']],
});
