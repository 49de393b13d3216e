// Events of an account: operators make it, and everything else belongs to one (contract §2).
import { z } from 'zod';
import { category, event } from '../category.ts';

export const accountCategory = category(
  'account',
  z.discriminatedUnion('type', [event('AccountCreated', z.strictObject({ name: z.string() }))]),
);
export type AccountEvent = z.infer<typeof accountCategory.event>;
