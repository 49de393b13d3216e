// Events of an e-mail over all accounts: which users sign in with it. No account may read this stream: its length says
// how many others there are.
import { z } from 'zod';
import { category, event } from '../category.ts';

export const emailCategory = category(
  'email',
  z.discriminatedUnion('type', [
    /** The user may be one who was never invited: the e-mail lists first, and the process may have died then. */
    event('UserListed', z.strictObject({ userId: z.string() })),
  ]),
);
export type EmailEvent = z.infer<typeof emailCategory.event>;
