// The id of a user: it derives from the e-mail, so that one e-mail is one stream, and a sign-in finds it without a search.
import { plainEmail } from '../../domain/user/email.ts';
import type { StoreKey } from '../../secrets.ts';

export const userIdOf = (storeKey: StoreKey, email: string): string => `usr_${storeKey.name('derived-id', `user ${plainEmail(email)}`)}`;
