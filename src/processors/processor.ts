// The processor port: tokenize, perform, look up, and read a notification; every outcome is graded by evidence (contract §4).
import type { Declined, LookUp, Operation, Outcome, Succeeded } from '../domain/payment/outcome.ts';

export type {
  Declined,
  LookUp,
  NotFound,
  NotSent,
  Operation,
  Outcome,
  Pending,
  RequiresAction,
  Succeeded,
  Unknown,
  Unreachable,
} from '../domain/payment/outcome.ts';

/** What is asked of the processor. `reference` is our attempt id: unique per intended effect, and its idempotency key over there. */
export interface OperationRequest {
  readonly operation: Operation;
  readonly reference: string;
  /** Whose account at the processor is meant; its notifications come back with a key of this account. */
  readonly accountId: string;
  /** The payment that it belongs to; all its operations share it. */
  readonly paymentId: string;
  /** Minor units; for a cancellation 0. */
  readonly amount: number;
  readonly currencyCode: string;
  /** authorization: the processor's name for the card, as tokenize answered it. */
  readonly processorToken?: string;
  /** All but authorization: what the authorization was answered with; where nobody knows that, its `reference`. */
  readonly processorTransactionId?: string;
  /** capture: whether the rest is released. */
  readonly final?: boolean;
  readonly descriptor?: string;
}

/** Passed through to the processor, kept nowhere on our side. */
export interface CardDetails {
  readonly number: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly cvc: string;
  readonly cardholderName?: string;
}

export interface TokenizationRequest {
  /** Makes it repeatable: the same reference answers the same token. */
  readonly reference: string;
  readonly accountId: string;
  readonly card: CardDetails;
}
export type Tokenized =
  | { readonly kind: 'token'; readonly processorToken: string }
  /** A card that the processor does not take. */
  | { readonly kind: 'refused'; readonly description: string };

export interface Notification {
  /** The processor's own event id: what it is deduplicated by. */
  readonly notificationId: string;
  readonly occurredAt: number;
  /** Our attempt id. */
  readonly reference: string;
  readonly about:
    | { readonly operation: Operation; readonly outcome: Succeeded | Declined }
    | { readonly operation: 'authorization_expiry' }
    | { readonly operation: 'dispute'; readonly dispute: unknown };
}

export interface Processor {
  readonly name: string;
  /** How long, in ms, a look-up may still say "not found" about something that will appear. */
  readonly consistencyWindowMs: number;
  /** Throws when the processor is away: nothing was charged, and the same reference may be tried again. */
  tokenize(request: TokenizationRequest, signal: AbortSignal): Promise<Tokenized>;
  /** Never throws for what the network does: that is `not_sent` or `unknown`. The signal aborts at the deadline. */
  perform(request: OperationRequest, signal: AbortSignal): Promise<Outcome>;
  /** What became of a reference; also of one that the processor never saw. */
  lookUp(reference: string, signal: AbortSignal): Promise<LookUp>;
  /** Checks the signature over the raw body, then reads it. `now` in ms. */
  readNotification(
    raw: string,
    headers: { readonly [name: string]: string | undefined },
    now: number,
  ): Notification | 'bad_signature' | 'unparsable';
  /** Reads a notification that was verified and stored before; undefined when its text cannot be read (any more). */
  rereadNotification(raw: string): Notification | undefined;
}
