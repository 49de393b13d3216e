// Accounts by id; the oldest ones are found by their time, and those with rules of routing.
import { type Account, account } from '../../domain/account.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type AccountKey = 'createdAt' | 'routed';

export const accounts: StreamProjection<Account, AccountKey> = projection(foldOf(account), {
  name: 'accounts',
  version: 3,
  keys: {
    createdAt: (one) => (one.status === 'absent' ? undefined : one.createdAt),
    routed: (one) => (one.status !== 'absent' && one.routing !== undefined ? true : undefined),
  },
  indexes: [['createdAt'], ['routed']],
});
