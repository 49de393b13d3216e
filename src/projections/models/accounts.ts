// Accounts by id; the oldest ones are found by their time.
import { type Account, account } from '../../domain/account/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export type AccountKey = 'createdAt';

export const accounts: StreamProjection<Account, AccountKey> = projection(foldOf(account), {
  name: 'accounts',
  version: 2,
  keys: { createdAt: (one) => (one.status === 'absent' ? undefined : one.createdAt) },
  indexes: [['createdAt']],
});
