// Events of a webhook queue: the messages about one payment to one endpoint, and every attempt to deliver them (contract §8).
import { z } from 'zod';
import { category, event } from '../category.ts';
import { MESSAGE_TYPES } from '../payment/message.ts';

const MessageQueued = z.strictObject({
  accountId: z.string(),
  endpointId: z.string(),
  paymentId: z.string(),
  /** The payment's event that the message tells of, and its type for receivers. */
  eventId: z.string(),
  eventType: z.enum(MESSAGE_TYPES),
  /** The event's revision in the payment's stream. */
  sequence: z.number(),
  /** That of the message queued before; absent of the first. */
  previousSequence: z.number().optional(),
  queuedAt: z.number(),
});
export type MessageQueued = Readonly<z.infer<typeof MessageQueued>>;

/** One call of the endpoint. `tookMs`: by a steady clock. */
const attempt = { sequence: z.number(), at: z.number(), tookMs: z.number() };
/** What the receiver answered; `body`: its beginning. */
const answer = { status: z.number(), body: z.string().optional() };

export const webhookQueueCategory = category(
  'webhookQueue',
  z.discriminatedUnion('type', [
    event('MessageQueued', MessageQueued),
    event('MessageDelivered', z.strictObject({ ...attempt, ...answer })),
    /**
     * `status`: where the receiver answered; else `fault` says why it did not. `nextAttemptAt`: when it is tried again, ms; without it
     * the delivery has failed for good, and can be resent.
     */
    event(
      'DeliveryFailed',
      z.strictObject({
        ...attempt,
        status: z.number().optional(),
        body: z.string().optional(),
        fault: z.string().optional(),
        nextAttemptAt: z.number().optional(),
      }),
    ),
    /** A person asks for it to be delivered again, whatever became of it. */
    event('MessageResent', z.strictObject({ sequence: z.number(), dueAt: z.number() })),
  ]),
);
export type WebhookQueueEvent = z.infer<typeof webhookQueueCategory.event>;
