// A dispute in the sandbox's ledger, and its state at a moment of business time.
import { z } from 'zod';
import type { DisputeStatus } from '../../../domain/dispute-status.ts';
import type { DisputeNotice } from '../../processor.ts';

/**
 * As stored. Time passes without a write: an unanswered dispute expires, and a challenged one is decided at the time of
 * its verdict.
 */
export const DisputeEntry = z.strictObject({
  operation: z.literal('dispute'),
  /** The sandbox's own name for it. */
  reference: z.string(),
  accountId: z.string(),
  paymentId: z.string(),
  authorizationId: z.string(),
  /** Its place among those of the authorization, after all operations. */
  number: z.int(),
  /** The disputed capture: the caller's reference of it, and the sandbox's name. */
  disputed: z.string(),
  transactionId: z.string(),
  /** The row of the table of cards. */
  card: z.string(),
  /** Minor units. */
  amount: z.int().min(0),
  currencyCode: z.string(),
  reason: z.string(),
  reasonCode: z.string(),
  /** When it opens, ms. */
  at: z.int(),
  challengeRequiredBy: z.int(),
  answer: z
    .strictObject({
      /** The caller's own name of the answer. */
      reference: z.string(),
      kind: z.enum(['evidence', 'acceptance']),
      at: z.int(),
      verdict: z.strictObject({ at: z.int(), as: z.enum(['WON', 'LOST']) }).optional(),
    })
    .optional(),
});
export type DisputeEntry = z.infer<typeof DisputeEntry>;

/** Undefined before it opens. */
export function disputeStatusAt(
  { at, challengeRequiredBy, answer }: DisputeEntry,
  now: number,
): DisputeStatus | undefined {
  if (now < at) return undefined;
  if (answer === undefined || now < answer.at) return now < challengeRequiredBy ? 'OPEN' : 'EXPIRED';
  if (answer.kind === 'acceptance') return 'ACCEPTED';
  return answer.verdict !== undefined && now >= answer.verdict.at ? answer.verdict.as : 'CHALLENGED';
}

/** The sandbox's notice of a dispute in a status. */
export const noticeOf = (
  { reference: id, amount, currencyCode, reason, reasonCode, at: openedAt, challengeRequiredBy }: DisputeEntry,
  status: DisputeStatus,
): DisputeNotice => ({ id, status, amount, currencyCode, reason, reasonCode, openedAt, challengeRequiredBy });
