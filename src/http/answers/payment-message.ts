// A message about a payment, as webhooks carry it and GET /events answers it (contract §8).
import { z } from 'zod';
import { MESSAGE_TYPES, MESSAGE_WORDS, type TellableMessage } from '../../domain/payment/message.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { publicEventId } from '../../domain/public-event-id.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { PaymentAnswer, paymentAnswer } from './payment.ts';
import { valuesIn } from './values.ts';

/** The version of the API that bodies follow (contract §1). */
export const API_VERSION = '1.0';

export const PaymentMessageAnswer = z
  .strictObject({
    eventId: z.string(),
    eventType: z.enum(MESSAGE_TYPES).meta(valuesIn(MESSAGE_WORDS)),
    date: Instant,
    version: z.string().describe('The version of the API that defines the payment object.'),
    sequence: z.int().min(0).describe('The version of the payment that the message reports.'),
    payment: PaymentAnswer,
  })
  .meta({ id: 'PaymentMessage' });
export type PaymentMessageAnswer = z.infer<typeof PaymentMessageAnswer>;

/** The body of a webhook. */
export const WebhookMessageAnswer = PaymentMessageAnswer.extend({
  previousSequence: z
    .int()
    .min(0)
    .optional()
    .describe('The sequence of the previous message for this endpoint and payment; absent in the first message.'),
}).meta({ id: 'WebhookMessage' });

/** `payment`: as it was right after the event. */
export const paymentMessageAnswer = (
  { eventId, eventType, paymentId, sequence }: TellableMessage,
  payment: KnownPayment,
): PaymentMessageAnswer => ({
  eventId: publicEventId(eventId),
  eventType,
  date: formatTime(payment.dateUpdated),
  version: API_VERSION,
  sequence,
  payment: paymentAnswer(paymentId, sequence, payment),
});

export const PaymentMessageListAnswer = z
  .strictObject({ data: z.array(PaymentMessageAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'PaymentMessageList' });
