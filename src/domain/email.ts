// An e-mail over all accounts: its stream owns which users a sign-in with it tries. No account may read it: its length
// says how many others there are.
import { z } from 'zod';
import { category, event } from './category.ts';
import { accept, type Decider, type Decision } from './decider.ts';

export const emailCategory = category(
  'email',
  z.discriminatedUnion('type', [
    /** The user may be one who was never invited: the e-mail lists first, and the process may have died then. */
    event('UserListed', z.strictObject({ userId: z.string() })),
  ]),
);
export type EmailEvent = z.infer<typeof emailCategory.event>;

export interface Email {
  /** In the order in which they were invited. */
  readonly userIds: readonly string[];
}

export const email: Decider<Email, EmailEvent> = {
  category: emailCategory,
  initial: { userIds: [] },
  evolve: ({ userIds }, { data }) => ({ userIds: [...userIds, data.userId] }),
};

/** A sign-in reads the stream of each. Users after them name their account, so that nobody can use the places up. */
export const MOST_LISTED = 50;

/** Nothing for a user who is listed, and for one after the last place: no answer says how many there are. */
export const listUser =
  (userId: string) =>
  ({ userIds }: Email): Decision<EmailEvent> =>
    userIds.includes(userId) || userIds.length >= MOST_LISTED
      ? accept()
      : accept({ type: 'UserListed', data: { userId } });
