// The rules of each operation that the fold, the deciders and the answers share.
import type { Asked, Attempt, OpenAttempt, SucceededAttempt } from './attempt.ts';
import type { Fact, PaymentEvent } from './events.ts';
import type { Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';

export interface OperationRules {
  /** The types of its facts by result; not every operation has all (fact-names.ts). */
  readonly facts: { readonly [result: string]: string };
  /** The effect of a success on the money, if any. */
  readonly money?: 'held' | 'captured' | 'released' | 'refunded';
  /**
   * The reported amount that is accepted (contract §4): as requested, that or less, or any where none was asked
   * for.
   */
  readonly believed: 'as_asked' | 'up_to_asked' | 'any';
  /** The advice after a hard decline when there is no customer at a checkout. */
  readonly instead?: string;
  /** True if the totals allow a success of this amount, minor units. */
  hasPlace(payment: KnownPayment, attempt: Attempt, amount: number): boolean;
  /** True if an unexpected success can be reversed: a hold is voided, captured money refunded. */
  isReversible(payment: KnownPayment, reported: Succeeded): boolean;
  /** The fact that books a success. */
  booking(told: Told, payment: KnownPayment, reported: Succeeded): PaymentEvent;
  /** Adds a booked success to the sums. */
  add(sums: Sums, attempt: Asked & SucceededAttempt): void;
  /** Adds an attempt that may still succeed. */
  reserve?(sums: Sums, attempt: OpenAttempt): void;
}

/** The recorded facts of a success of any operation. */
type Told = Fact<'PaymentCaptured'>['data'];

/**
 * The sums over the attempts of a payment, minor units: its totals follow from them. Written to while they are added
 * up.
 */
export interface Sums {
  /**
   * The newest success among authorization and adjustments; one that is named or told late changes nothing of a newer
   * one.
   */
  authorized: number;
  /** The sum of the adjustments alone: the payment's own new amount. */
  adjustedTo: number | undefined;
  captured: number;
  /** Captures that are open, unknown or pending. */
  capturing: number;
  refunded: number;
  refunding: number;
  /** A capture that the processor has accepted and not confirmed. */
  settling: boolean;
  /** A void was done, or a final capture. */
  released: boolean;
}
