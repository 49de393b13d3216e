// What becomes of a call to a processor, graded by evidence (contract §4, "Outcomes are graded by evidence").
import { z } from 'zod';

export const Operation = z.enum(['authorization', 'capture', 'cancellation', 'refund', 'adjustment']);
export type Operation = z.infer<typeof Operation>;

/** Why an operation, and with an authorization the payment, ended as it did; the words behind `type` are the processor's. */
export const Reason = z.strictObject({
  type: z.enum(['ISSUER_DECLINE', 'GATEWAY_TIMEOUT', 'GATEWAY_UNAVAILABLE', 'APPLICATION_ERROR', 'AUTHENTICATION_REQUIRED']),
  declineType: z.enum(['SOFT', 'HARD']).optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  advisedAction: z.string().optional(),
});
export type Reason = z.infer<typeof Reason>;

/** Done, as the processor reports it; amount (minor units) and currency may differ from what was asked. */
export interface Succeeded {
  readonly kind: 'succeeded';
  readonly processorTransactionId: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly avsResult?: string | undefined;
  readonly cvcResult?: string | undefined;
  /** An authorization: when the issuer's hold ends, where the processor says so; ms, business time. */
  readonly holdExpiresAt?: number | undefined;
}
/** Refused by the processor or the issuer: nothing happened. */
export interface Declined {
  readonly kind: 'declined';
  readonly reason: Reason;
  readonly processorTransactionId?: string | undefined;
}
/** Accepted; a notification or a look-up tells later. */
export interface Pending {
  readonly kind: 'pending';
  readonly processorTransactionId: string;
}
/** Surely never reached the processor. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly detail: string;
}
/** Sent, and nobody here knows what became of it. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly detail: string;
}
/** The processor does not know the reference; evidence only after its consistency window. */
export interface NotFound {
  readonly kind: 'not_found';
}
export type Outcome = Succeeded | Declined | Pending | NotSent | Unknown;
export type LookUp = Succeeded | Declined | Pending | NotFound | Unknown;

export const EvidenceSource = z.enum(['answer', 'lookup', 'notification', 'operator']);
/** Who said it: the answer of the call itself, a look-up, a notification, or an operator who asked elsewhere. */
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** What a processor was sent, without anything of the card: neither data nor the whole of its token. Amounts in minor units. */
export const Sent = z.strictObject({
  operation: z.enum([...Operation.options, 'look_up']),
  /** Our own name for the attempt. */
  reference: z.string(),
  amount: z.number().optional(),
  currencyCode: z.string().optional(),
  processorTransactionId: z.string().optional(),
  final: z.boolean().optional(),
});
export type Sent = z.infer<typeof Sent>;

/** What an outcome rests on. */
export const Evidence = z.strictObject({
  source: EvidenceSource,
  /** Absent where nothing was sent, and in events from before it was kept. */
  sent: Sent.optional(),
  /** ms */
  sentAt: z.int().min(0).optional(),
  /** What came from outside, as its adapter read it, card numbers masked. */
  received: z.unknown().optional(),
  notificationId: z.string().optional(),
  /** What is known by it, in words. */
  detail: z.string().optional(),
});
export type Evidence = z.infer<typeof Evidence>;
