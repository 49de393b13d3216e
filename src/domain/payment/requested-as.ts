// The fields of every request for an attempt: its ids, here and at the processor, and its times.
import type { AttemptTiming } from './create.ts';
import type { KnownPayment } from './payment.ts';
import { referenceOf } from './reference.ts';

/** The common members of a `…Requested` event. */
export const requestedAs = (
  { attempts }: KnownPayment,
  attemptId: string,
  { at: requestedAt, sendBy, callEndsAt }: AttemptTiming,
): { attemptId: string; reference: string; requestedAt: number; sendBy: number; nextLookUpAt: number } => ({
  attemptId,
  reference: referenceOf(attemptId, (reference) => attempts.some((attempt) => attempt.reference === reference)),
  requestedAt,
  sendBy,
  nextLookUpAt: callEndsAt,
});
