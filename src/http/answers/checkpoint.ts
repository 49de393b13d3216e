// A checkpoint of the log as the API shows it: the receipt that `counterfoil-verify` takes.
import { z } from 'zod';
import { receiptOf } from '../../audit/checkpoint.ts';
import type { CheckpointMade } from '../../domain/checkpoint/events.ts';
import { publicEventId } from '../../domain/public-event-id.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint/types.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';
import { API_VERSION } from './payment-message.ts';

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

export const CheckpointListAnswer = z
  .strictObject({ data: z.array(CheckpointAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'CheckpointList' });

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
