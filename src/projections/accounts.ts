// Accounts by id.
import { type Account, account } from '../domain/account/state.ts';
import { foldOf, type Projection, projection } from './projection.ts';

export const accounts: Projection<Account, never> = projection(foldOf(account), { name: 'accounts', version: 1, keys: {}, indexes: [] });
