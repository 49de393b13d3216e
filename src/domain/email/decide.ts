// Decisions on an e-mail: this stream owns which users a sign-in with it tries, over all accounts.
import { accept, type Decision } from '../decider.ts';
import type { EmailEvent } from './events.ts';
import type { Email } from './state.ts';

/** A sign-in reads the stream of each. Users after them name their account, so that nobody can use the places up. */
export const MOST_LISTED = 50;

/** Nothing for a user who is listed, and for one after the last place: no answer says how many there are. */
export const listUser =
  (userId: string) =>
  ({ userIds }: Email): Decision<EmailEvent> =>
    userIds.includes(userId) || userIds.length >= MOST_LISTED
      ? accept()
      : accept({ type: 'UserListed', data: { userId } });
