// Events of a connection: an account's access to a processor, made by operators. Secrets are references, never values.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';

/** Name to `env:NAME` or `file:PATH`. */
const Secrets = z.record(z.string(), z.string());

const ConnectionCreatedV1 = z.strictObject({
  accountId: z.string(),
  processor: z.string(),
  name: z.string(),
  secrets: Secrets,
  /** Milliseconds since the epoch, business time. */
  createdAt: z.number(),
});

/**
 * `webhookKeyId`: the API key whose URL its notifications come by. `publishableKey`: not secret, browsers see it.
 * `apiUrl`: another server that speaks the processor's API, in test mode.
 */
const ConnectionCreated = ConnectionCreatedV1.extend({
  webhookKeyId: z.string().optional(),
  publishableKey: z.string().optional(),
  apiUrl: z.string().optional(),
});
export type ConnectionCreated = Readonly<z.infer<typeof ConnectionCreated>>;

const ConnectionChangedV1 = z.strictObject({ name: z.string().optional(), secrets: Secrets.optional() });
const ConnectionChangedV2 = ConnectionChangedV1.extend({ publishableKey: z.string().optional() });
/**
 * `burnProven`: the server at which a run of `connections check --script` passed, its URL or the name of the processor
 * for its own; null: a later run failed.
 */
const ConnectionChanged = ConnectionChangedV2.extend({ burnProven: z.string().nullable().optional() });

export const connectionCategory = category(
  'connection',
  z.discriminatedUnion('type', [
    event('ConnectionCreated', ConnectionCreated),
    /** The members that changed, each as a whole. */
    event('ConnectionChanged', ConnectionChanged),
    /** No new payment begins by it; its payments are still captured, refunded, cancelled and looked up. */
    event('ConnectionDisabled', z.strictObject({})),
    /** The processor's list of events was read up to this time, ms, and all of them were received. */
    event('EventsSwept', z.strictObject({ until: z.number() })),
  ]),
  {
    ConnectionCreated: [upcast(ConnectionCreatedV1, (older) => older)],
    ConnectionChanged: [upcast(ConnectionChangedV1, (older) => older), upcast(ConnectionChangedV2, (older) => older)],
  },
);
export type ConnectionEvent = z.infer<typeof connectionCategory.event>;
