// Accounts by id.
import { type Account, account } from '../../domain/account/state.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export const accounts: StreamProjection<Account, never> = projection(foldOf(account), {
  name: 'accounts',
  version: 1,
  keys: {},
  indexes: [],
});
