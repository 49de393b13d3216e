// What is known of a payment at a moment: the document that its events fold to, and that its read models keep.
import type { Attempt } from './attempt.ts';
import type { PaymentCreation } from './events.ts';
import type { Reason } from './outcome.ts';

/** The public names (contract §4). */
export const paymentStatuses = [
  'PENDING',
  'AUTHORIZED',
  'SETTLING',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'DECLINED',
  'FAILED',
  'CANCELLED',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export interface KnownPayment extends Readonly<Omit<PaymentCreation, 'createdAt'>> {
  readonly status: PaymentStatus;
  /** When it was made, ms. */
  readonly date: number;
  /** When its last event was recorded, ms; look-ups do not count. */
  readonly dateUpdated: number;
  readonly statusReason?: Reason;
  /** The processor's name for the authorization; every later operation refers to it. */
  readonly processorTransactionId?: string;
  readonly avsResult?: string;
  readonly cvcResult?: string;
  /** When the issuer's hold ends, ms, where the processor said so; what was not captured by then is released. */
  readonly holdExpiresAt?: number;
  /**
   * Minor units, as all of these. Captured + capture pending ≤ authorized, always; refunded + refund pending ≤ captured whenever a
   * refund is accepted, but a success that is told late is booked whatever the total.
   */
  readonly amountAuthorized: number;
  /** What a capture may still take. */
  readonly amountCapturable: number;
  readonly amountCaptured: number;
  /** Of captures that are open, unknown or pending. */
  readonly amountCapturePending: number;
  readonly amountRefundable: number;
  readonly amountRefunded: number;
  /** Of refunds that are open, unknown or pending. */
  readonly amountRefundPending: number;
  /** How much more was refunded than captured when an operator accepted that, and still is. */
  readonly overRefundAccepted?: number;
  /** What was authorized and not captured is no longer held: voided, expired, or given up by a final capture. */
  readonly restReleased: boolean;
  /** Somebody wants it cancelled; until something else is asked of it. */
  readonly cancellation?: { readonly attemptId: string; readonly reason?: string | undefined };
  /** What became of `vaultOnSuccess`. */
  readonly vaulting?: { readonly paymentMethodToken?: string | undefined; readonly refused?: string | undefined };
  /** In the order of their requests. */
  readonly attempts: readonly Attempt[];
}

/** abandoned: it was never made, and never will be. */
export type Payment = { readonly status: 'absent' } | { readonly status: 'abandoned'; readonly abandonedAt: number } | KnownPayment;
