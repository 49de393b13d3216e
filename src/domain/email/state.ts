// An e-mail as it stands: the users who sign in with it, over all accounts.
import type { Decider } from '../decider.ts';
import { type EmailEvent, emailCategory } from './events.ts';

export interface Email {
  /** In the order in which they were invited. */
  readonly userIds: readonly string[];
}

export const email: Decider<Email, EmailEvent> = {
  category: emailCategory,
  initial: { userIds: [] },
  evolve: ({ userIds }, { data }) => ({ userIds: [...userIds, data.userId] }),
};
