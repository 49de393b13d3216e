// The knowledge about an attempt, and the record of a look-up that resolved nothing.
import type { SkipReason } from '../routing/recorded-rules.ts';
import { type Attempt, isOpen } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import type { PaymentEvent } from './events.ts';
import { lookUpAfter } from './look-up.ts';
import type { Evidence, EvidenceSource, NotFound, Outcome, Preparation } from './outcome.ts';

/** `at`: when it was learnt; sendBy and callEndsAt: of an attempt that follows from it. */
export interface Settlement extends AttemptTiming {
  readonly attemptId: string;
  /** `not_found` only when it counts as evidence: after the processor's consistency window. */
  readonly outcome: Outcome | NotFound | Preparation;
  readonly evidence: Evidence;
  readonly source: EvidenceSource;
  /** The waiting state of an authorization that requires an action of the customer. */
  readonly waits?: Waiting | undefined;
  /**
   * Why a connection cannot be asked now. Only with the answer of a call, by the process that made it, while its caller
   * still waits: nobody else asks another connection.
   */
  readonly skip?: ((connectionId: string) => SkipReason | undefined) | undefined;
}

/** How long the customer may act, and the token to come back with. */
export interface Waiting {
  /** A keyed hash: the log holds no token. */
  readonly resumeTokenHash: string;
  /** ms */
  readonly expiresAt: number;
}

/**
 * A look-up that settles nothing moves the next one, or it would be due for ever; not one that a caller's operation
 * asked for before its time, or callers who try again and again would put the next one off.
 */
export function askedAgain(attempt: Attempt, { outcome, source, at, evidence }: Settlement): readonly PaymentEvent[] {
  if (source !== 'lookup' || !isOpen(attempt) || at < attempt.nextLookUpAt) return [];
  if (outcome.kind === 'prepared' || outcome.kind === 'refused') return [];
  const { attemptId, operation, requestedAt, lookUps } = attempt;
  const nextLookUpAt = lookUpAfter(requestedAt, lookUps, at);
  return [{ type: 'LookUpRecorded', data: { attemptId, operation, answer: outcome.kind, nextLookUpAt, evidence } }];
}
