// A checkpoint of the log as the API shows it: the receipt that `counterfoil-verify` takes.
import { z } from 'zod';
import { Instant } from './instant.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const CheckpointAnswer = z
  .strictObject({
    format: z.literal('counterfoil-checkpoint-1'),
    storeId: z.string().describe("The id of the store's first event."),
    treeSize: z.int().min(1).describe('The number of events that the checkpoint covers: the first ones of the log.'),
    root: sha256.describe('The root of the Merkle tree over these events (RFC 6962, SHA-256).'),
    position: z.string().describe('The position of the last of these events in the store that signed.'),
    madeAt: Instant,
    publicKey: z.string().describe('The public key of the signature (Ed25519), base64url.'),
    signature: z.string().describe('The signature over format, store, size, root, position and time, base64url.'),
    extends: z
      .strictObject({ treeSize: z.int().min(1), root: sha256, path: z.array(sha256).readonly() })
      .optional()
      .describe('Shows that the log extends that of the previous checkpoint (RFC 6962, section 2.1.2).'),
  })
  .meta({ id: 'Checkpoint' });

export const CheckpointListAnswer = z
  .strictObject({ data: z.array(CheckpointAnswer), nextCursor: z.string().optional() })
  .meta({ id: 'CheckpointList' });
