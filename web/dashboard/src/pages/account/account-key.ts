// The name under which the answer about the user's own account is kept.
import { KEYS } from '../../app/query-keys.ts';

export const ACCOUNT_KEY = [KEYS.account] as const;
