// Events of an idempotency key: the operation that holds it, and its release after a refusal (contract §6).
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';

const Claim = z.strictObject({
  /** Keyed hash of method, path and body. */
  fingerprint: z.string(),
  operationId: z.string(),
  /** The operation's name, kebab-case. */
  operation: z.string(),
  /** The id of the target, whose category follows from the operation. */
  resourceId: z.string(),
  /** The target's revision before the operation: its events come after it. */
  targetRevision: z.number(),
  claimedAt: z.number(),
  /** Until then the key stands for the operation, ms. */
  expiresAt: z.number(),
});
export type Claim = Readonly<z.infer<typeof Claim>>;

/** As version 1 had it: with the name of the target's stream, which the operation and the resource say already. */
const ClaimWithStream = Claim.extend({ targetStream: z.string() });

export const idempotencyCategory = category(
  'idempotency',
  z.discriminatedUnion('type', [
    event('IdempotencyClaimed', Claim),
    /** `abandoned`: the operation never had an effect and never can have one. */
    event('IdempotencyReleased', z.strictObject({ operationId: z.string(), abandoned: z.literal(true).optional() })),
  ]),
  { IdempotencyClaimed: [upcast(ClaimWithStream, ({ targetStream: _, ...claim }) => claim)] },
);
export type IdempotencyEvent = z.infer<typeof idempotencyCategory.event>;
