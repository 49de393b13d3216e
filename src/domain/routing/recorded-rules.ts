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

export const SkipReasonV1 = z.enum(['disabled', 'circuit_open', 'not_supported', 'no_token']);
/**
 * Why a connection did not take a payment. `not_supported`: its processor cannot do something else that the payment
 * asks for.
 */
export const SkipReason = z.enum([
  ...SkipReasonV1.options,
  'method_not_supported',
  'currency_not_supported',
  'separate_capture_not_supported',
]);
export type SkipReason = z.infer<typeof SkipReason>;

/** Why a connection did not take a payment, as the end of a sentence that begins with the connection. */
export const SKIPPED: { readonly [B in SkipReason]: string } = {
  disabled: 'is disabled',
  circuit_open: 'does not respond, and its circuit is open',
  not_supported: 'does not support what the payment asks for',
  method_not_supported: 'does not take the method of the payment',
  currency_not_supported: 'does not take the currency of the payment',
  separate_capture_not_supported: 'takes the money at once, and the payment is captured later',
  no_token: 'has no token of the card',
};
