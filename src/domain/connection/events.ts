// Events of a connection: an account's access to a processor, made by operators. Secrets are references, never values.
import { z } from 'zod';
import { category, event } from '../category.ts';

/** Name to `env:NAME` or `file:PATH`. */
const Secrets = z.record(z.string(), z.string());

const ConnectionCreated = z.strictObject({
  accountId: z.string(),
  processor: z.string(),
  name: z.string(),
  secrets: Secrets,
  /** Milliseconds since the epoch, business time. */
  createdAt: z.number(),
});

export const connectionCategory = category(
  'connection',
  z.discriminatedUnion('type', [
    event('ConnectionCreated', ConnectionCreated),
    /** The members that changed, each as a whole. */
    event('ConnectionChanged', z.strictObject({ name: z.string().optional(), secrets: Secrets.optional() })),
    /** No new attempt is sent by it; open attempts are still looked up. */
    event('ConnectionDisabled', z.strictObject({})),
  ]),
);
export type ConnectionEvent = z.infer<typeof connectionCategory.event>;
