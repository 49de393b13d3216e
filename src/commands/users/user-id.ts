// The ids of users and of e-mails: they derive from account and e-mail, so that an invitation and a sign-in find both
// without a search.
import { plainEmail } from '../../domain/user/roles.ts';
import type { StoreKey } from '../../secrets.ts';

export const userIdOf = (storeKey: StoreKey, accountId: string, email: string): string =>
  `usr_${storeKey.name('derived-id', `user-of-account ${accountId} ${plainEmail(email)}`)}`;

/**
 * The id of the only user of an e-mail, of whichever account, in logs of versions before an e-mail could have several.
 */
export const soleUserIdOf = (storeKey: StoreKey, email: string): string =>
  `usr_${storeKey.name('derived-id', `user ${plainEmail(email)}`)}`;

/** The stream's name alone: no page and no command shows it. */
export const emailIdOf = (storeKey: StoreKey, email: string): string =>
  storeKey.name('email-stream', plainEmail(email));
