// Events of a webhook queue: the messages about one payment or agreement to one endpoint, and every attempt to deliver
// them (contract §8).
import { z } from 'zod';
import { AGREEMENT_MESSAGE_TYPES } from '../agreement/message.ts';
import { category, event, upcast } from '../category.ts';
import { PAYMENT_MESSAGE_TYPES } from '../payment/message.ts';
import { CHECKPOINT_TYPE } from '../webhook-endpoint.ts';

const MessageQueued = z.strictObject({
  accountId: z.string(),
  endpointId: z.string(),
  paymentId: z.string(),
  /** The payment's event that the message reports, and its type for receivers. */
  eventId: z.string(),
  eventType: z.enum(PAYMENT_MESSAGE_TYPES),
  /** The event's revision in the payment's stream. */
  sequence: z.number(),
  /** The sequence of the previous message; absent on the first. */
  previousSequence: z.number().optional(),
  queuedAt: z.number(),
});
export type MessageQueued = Readonly<z.infer<typeof MessageQueued>>;

const AgreementMessageQueued = MessageQueued.omit({ paymentId: true, eventType: true }).extend({
  agreementId: z.string(),
  eventType: z.enum(AGREEMENT_MESSAGE_TYPES),
});
export type AgreementMessageQueued = Readonly<z.infer<typeof AgreementMessageQueued>>;

/** The only message of its queue: a receipt is good alone, and waits for no other. */
const CheckpointQueued = z.strictObject({
  accountId: z.string(),
  endpointId: z.string(),
  /** The event of the checkpoint. */
  eventId: z.string(),
  eventType: z.literal(CHECKPOINT_TYPE),
  /** The event's revision in the stream of checkpoints. */
  sequence: z.number(),
  queuedAt: z.number(),
});
export type CheckpointQueued = Readonly<z.infer<typeof CheckpointQueued>>;

/** One call of the endpoint. `tookMs`: by a steady clock. */
const call = { sequence: z.number(), at: z.number(), tookMs: z.number() };
/**
 * The headers of the call that nothing else tells: `webhook-timestamp` (s, real time) and `webhook-signature`. The
 * signature proves later which body was sent. Absent from calls recorded by version 1.
 */
const signed = z.strictObject({ timestamp: z.number(), signature: z.string() }).optional();
const attempt = { ...call, signed };
/** The response of the receiver; `body`: its beginning. */
const answer = { status: z.number(), body: z.string().optional() };
/** How a call failed; see the event. */
const failure = {
  status: z.number().optional(),
  body: z.string().optional(),
  fault: z.string().optional(),
  nextAttemptAt: z.number().optional(),
};

/** Version 1 did not record how the call was signed. */
const unsigned = <Call extends z.ZodRawShape>(shape: Call) => [
  upcast(z.strictObject({ ...call, ...shape }), (recorded) => ({ ...recorded })),
];

export const webhookQueueCategory = category(
  'webhookQueue',
  z.discriminatedUnion('type', [
    event('MessageQueued', MessageQueued),
    event('AgreementMessageQueued', AgreementMessageQueued),
    event('CheckpointQueued', CheckpointQueued),
    event('MessageDelivered', z.strictObject({ ...attempt, ...answer })),
    /**
     * `status`: where the receiver answered. Otherwise `fault` says why it did not. `nextAttemptAt`: when it is tried
     * again, ms; without it the delivery has failed for good, and can be resent.
     */
    event('DeliveryFailed', z.strictObject({ ...attempt, ...failure })),
    /** A person requested redelivery, whatever the earlier result. */
    event('MessageResent', z.strictObject({ sequence: z.number(), dueAt: z.number() })),
  ]),
  { MessageDelivered: unsigned(answer), DeliveryFailed: unsigned(failure) },
);
export type WebhookQueueEvent = z.infer<typeof webhookQueueCategory.event>;
