// Events of a webhook endpoint: where an account's messages go. Never a secret: it derives from the store key and the
// secret's number.
import { z } from 'zod';
import { category, event } from '../category.ts';

const WebhookEndpointAdded = z.strictObject({
  accountId: z.string(),
  url: z.string(),
  /** The wanted message types; left out: all, later ones too. */
  events: z.array(z.string()).optional(),
  addedAt: z.number(),
});
export type WebhookEndpointAdded = Readonly<z.infer<typeof WebhookEndpointAdded>>;

export const webhookEndpointCategory = category(
  'webhookEndpoint',
  z.discriminatedUnion('type', [
    event('WebhookEndpointAdded', WebhookEndpointAdded),
    /**
     * The command that made it (`listen`, a demo) serves it: where nobody is there to take a call, that command has
     * ended.
     */
    event('WebhookEndpointMadeShortLived', z.strictObject({})),
    /** The URL and the wanted message types from now on; `events` as in WebhookEndpointAdded. */
    event('WebhookEndpointChanged', z.strictObject({ url: z.string(), events: z.array(z.string()).optional() })),
    /**
     * `asked`: by a person. `gone`: the receiver answered 410, or the command that served a short-lived one has ended.
     */
    event('WebhookEndpointDisabled', z.strictObject({ because: z.enum(['asked', 'gone']) })),
    /**
     * The next secret signs from now on; the one before it signs as well until `previousExpiresAt`, ms of the machine's
     * clock.
     */
    event('WebhookSecretRotated', z.strictObject({ previousExpiresAt: z.number() })),
    /** The end of an endpoint that lists leave out from now on. Nothing more is sent to it; its deliveries stay. */
    event('WebhookEndpointDeleted', z.strictObject({})),
  ]),
);
export type WebhookEndpointEvent = z.infer<typeof webhookEndpointCategory.event>;
