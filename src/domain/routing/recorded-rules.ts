// The rules of routing as the log holds them: whatever a later rule of requests forbids stays readable.
import { z } from 'zod';

const Texts = z.array(z.string());
const RecordedTarget = z.strictObject({
  use: z.array(z.strictObject({ connection: z.string(), weight: z.number() })),
  then: Texts,
});
const RecordedWhen = z.strictObject({
  currencyCode: Texts.optional(),
  amount: z.strictObject({ gte: z.number().optional(), lt: z.number().optional() }).optional(),
  methodType: Texts.optional(),
  network: Texts.optional(),
  initiator: Texts.optional(),
  metadata: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()]))).optional(),
});
export type RecordedWhen = Readonly<z.infer<typeof RecordedWhen>>;

export const RecordedRules = z.strictObject({
  rules: z.array(RecordedTarget.extend({ name: z.string(), when: RecordedWhen })),
  default: RecordedTarget,
  fallbackOn: Texts,
  never: Texts,
  mostAttempts: z.number(),
});
export type RecordedRules = Readonly<z.infer<typeof RecordedRules>>;

/** A connection under the name that the rules have for it, as it was when they were set. */
export const NamedConnection = z.strictObject({ name: z.string(), connectionId: z.string(), processor: z.string() });
export type NamedConnection = Readonly<z.infer<typeof NamedConnection>>;

/** Why a connection did not take a payment. `not_supported`: its processor cannot do what the payment asks. */
export const SkipReason = z.enum(['disabled', 'circuit_open', 'not_supported', 'no_token']);
export type SkipReason = z.infer<typeof SkipReason>;
