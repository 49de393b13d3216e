// The answer of a command on a user: the user after it, who exists.
import { reject } from '../../domain/decider.ts';
import type { ExistingUser, User } from '../../domain/user/state.ts';
import type { Folded } from '../../journal/fold.ts';
import { type Answer, completed } from '../caller.ts';

/** NotFound where there is no such user. */
export const existingUser = (userId: string, { state, head }: Folded<User>): Answer<ExistingUser> =>
  state.status === 'absent' ? reject('NotFound', 'There is no such user.') : completed(userId, { state, head });
