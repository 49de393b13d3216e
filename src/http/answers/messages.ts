// Messages about a payment or an agreement, as webhooks carry them and GET /events lists them (contract §§8, 14), and
// about a checkpoint of the log, with the receipt that `counterfoil-verify` takes.
import { z } from 'zod';
import { receiptOf } from '../../audit/checkpoint.ts';
import {
  AGREEMENT_MESSAGE_TYPES,
  AGREEMENT_MESSAGE_WORDS,
  type ToldAgreement,
} from '../../domain/agreement/message.ts';
import { publicEventId } from '../../domain/category.ts';
import type { CheckpointMade } from '../../domain/checkpoint.ts';
import type { AgreementTold, PaymentTold } from '../../domain/message.ts';
import { PAYMENT_MESSAGE_TYPES, PAYMENT_MESSAGE_WORDS } from '../../domain/payment/message.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint.ts';
import { formatTime } from '../../world.ts';
import { API_VERSION } from '../checks/headers.ts';
import { AgreementAnswer, agreementAnswer, PeriodAnswer, periodAnswer } from './agreement.ts';
import { PaymentAnswer, paymentAnswer } from './payment.ts';
import { Instant, pageOf, valuesIn } from './shapes.ts';

export const PaymentMessageAnswer = z
  .strictObject({
    eventId: z.string(),
    eventType: z.enum(PAYMENT_MESSAGE_TYPES).meta(valuesIn(PAYMENT_MESSAGE_WORDS)),
    date: Instant,
    version: z.string().describe('The version of the API that defines the payment object.'),
    sequence: z.int().min(0).describe('The version of the payment that the message reports.'),
    payment: PaymentAnswer,
  })
  .meta({ id: 'PaymentMessage' });
export type PaymentMessageAnswer = z.infer<typeof PaymentMessageAnswer>;

/** The body of a webhook about a payment. */
export const WebhookMessageAnswer = PaymentMessageAnswer.extend({
  previousSequence: z
    .int()
    .min(0)
    .optional()
    .describe('The sequence of the previous message for this endpoint and payment; absent in the first message.'),
}).meta({ id: 'WebhookMessage' });

/** `payment`: as it was right after the event. */
export const paymentMessageAnswer = (
  { eventId, eventType, paymentId, sequence }: PaymentTold,
  payment: KnownPayment,
): PaymentMessageAnswer => ({
  eventId: publicEventId(eventId),
  eventType,
  date: formatTime(payment.dateUpdated),
  version: API_VERSION,
  sequence,
  payment: paymentAnswer(paymentId, sequence, payment),
});

export const AgreementMessageAnswer = z
  .strictObject({
    eventId: z.string(),
    eventType: z.enum(AGREEMENT_MESSAGE_TYPES).meta(valuesIn(AGREEMENT_MESSAGE_WORDS)),
    date: Instant,
    version: z.string().describe('The version of the API that defines the agreement object.'),
    sequence: z.int().min(0).describe('The version of the agreement that the message reports.'),
    agreement: AgreementAnswer,
    charge: PeriodAnswer.optional(),
    previousSequence: z
      .int()
      .min(0)
      .optional()
      .describe('The sequence of the previous message for this endpoint and agreement; absent in GET /events.'),
  })
  .meta({ id: 'AgreementMessage' });
export type AgreementMessageAnswer = z.infer<typeof AgreementMessageAnswer>;

/** Without its previous sequence. `told`: as it was right after the event. */
export const agreementMessageAnswer = (
  { eventId, eventType, agreementId, sequence }: AgreementTold,
  { agreement, charge }: ToldAgreement,
): AgreementMessageAnswer => ({
  eventId: publicEventId(eventId),
  eventType,
  date: formatTime(agreement.updatedAt),
  version: API_VERSION,
  sequence,
  agreement: agreementAnswer(agreementId, sequence, agreement),
  ...(charge !== undefined && { charge: periodAnswer(charge) }),
});

export const MessageListAnswer = pageOf('MessageList', z.union([PaymentMessageAnswer, AgreementMessageAnswer]));

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const CheckpointReceipt = z
  .strictObject({
    format: z.literal('counterfoil-checkpoint-1').describe('The version of the format.'),
    storeId: z.string().describe("The id of the store's first event."),
    treeSize: z.int().min(1).describe('The number of events that the checkpoint covers: the first ones of the log.'),
    root: sha256.describe('The root of the Merkle tree over these events (RFC 6962, SHA-256).'),
    position: z.string().describe('The position of the last of these events in the store that signed.'),
    madeAt: Instant.describe('When the checkpoint was signed, in business time.'),
    publicKey: z.string().describe('The public key of the signature (Ed25519), base64url.'),
    signature: z.string().describe('The signature over format, store, size, root, position and time, base64url.'),
  })
  .meta({ id: 'CheckpointReceipt' });

const CheckpointAnswer = CheckpointReceipt.extend({
  extends: z
    .strictObject({
      treeSize: z.int().min(1).describe('The number of events that the previous checkpoint covers.'),
      root: sha256.describe('The root of the previous checkpoint.'),
      path: z.array(sha256).readonly().describe('The hashes that lead from the previous root to this one.'),
    })
    .optional()
    .describe('Shows that the log extends that of the previous checkpoint (RFC 6962, section 2.1.2).'),
}).meta({ id: 'Checkpoint' });

export const CheckpointListAnswer = pageOf('CheckpointList', CheckpointAnswer);

/** The body of a webhook about a checkpoint: root, size and signature, and nothing of a payment. */
export const CheckpointMessageAnswer = z
  .strictObject({
    eventId: z.string(),
    eventType: z.literal(CHECKPOINT_TYPE),
    date: Instant,
    version: z.string().describe('The version of the API that defines the body.'),
    sequence: z.int().min(0).describe('The number of the checkpoint, from 0 on.'),
    checkpoint: CheckpointReceipt.describe('The receipt: a file for `counterfoil-verify`.'),
  })
  .meta({ id: 'CheckpointMessage' });

/** `date`: when the checkpoint was recorded, ms. */
export function checkpointMessageAnswer(
  { eventId, sequence, date }: { readonly eventId: string; readonly sequence: number; readonly date: number },
  made: CheckpointMade,
): z.input<typeof CheckpointMessageAnswer> {
  const { extends: _, ...checkpoint } = receiptOf(made);
  return {
    eventId: publicEventId(eventId),
    eventType: CHECKPOINT_TYPE,
    date: formatTime(date),
    version: API_VERSION,
    sequence,
    checkpoint,
  };
}
