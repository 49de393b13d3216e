// A dispute in the sandbox's ledger, and its state at a moment of business time.
import { z } from 'zod';
import { type DisputeStatus, disputeTypes } from '../../../domain/dispute-status.ts';
import type { DisputeNotice } from '../../processor.ts';

/**
 * As stored. Time passes without a write: an unanswered dispute expires, and a challenged one is decided at the time of
 * its verdict, which may open a later round.
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
  /** The round of `challengeRequiredBy` and `answer`. */
  type: z.enum(disputeTypes).default('DISPUTE'),
  /** The caller's names of the answers in earlier rounds. */
  answered: z.array(z.string()).default([]),
  isPrevented: z.literal(true).optional(),
  challengeRequiredBy: z.int(),
  answer: z
    .strictObject({
      /** The caller's own name of the answer. */
      reference: z.string(),
      kind: z.enum(['evidence', 'acceptance']),
      at: z.int(),
      verdict: z
        .strictObject({
          at: z.int(),
          as: z.enum(['WON', 'LOST']),
          /** The later round that follows. */
          next: z.strictObject({ at: z.int(), type: z.enum(disputeTypes) }).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type DisputeEntry = z.infer<typeof DisputeEntry>;

/** Of business time, from the opening of a round. */
export const CHALLENGED_WITHIN_MS = 7 * 86_400_000;

/** The dispute with the round that it is in: the next one, once that has begun. */
export function inRoundAt(dispute: DisputeEntry, now: number): DisputeEntry {
  const { answer, ...rest } = dispute;
  const next = answer?.verdict?.next;
  if (answer === undefined || next === undefined || now < next.at) return dispute;
  const answered = [...dispute.answered, answer.reference];
  return { ...rest, type: next.type, answered, challengeRequiredBy: next.at + CHALLENGED_WITHIN_MS };
}

/** Undefined before it opens. */
export function disputeStatusAt(dispute: DisputeEntry, now: number): DisputeStatus | undefined {
  const { at, challengeRequiredBy, answer, isPrevented } = inRoundAt(dispute, now);
  if (now < at) return undefined;
  if (isPrevented) return 'PREVENTED';
  if (answer === undefined || now < answer.at) return now < challengeRequiredBy ? 'OPEN' : 'EXPIRED';
  if (answer.kind === 'acceptance') return 'ACCEPTED';
  return answer.verdict !== undefined && now >= answer.verdict.at ? answer.verdict.as : 'CHALLENGED';
}

/** The sandbox's notice of a dispute in a status. */
export function noticeOf(
  { reference: id, type, amount, currencyCode, reason, reasonCode, at: openedAt, challengeRequiredBy }: DisputeEntry,
  status: DisputeStatus,
): DisputeNotice {
  const told = { id, status, type, amount, currencyCode, reason, reasonCode, openedAt };
  return status === 'PREVENTED' ? { ...told, refunded: { amount, refunds: [] } } : { ...told, challengeRequiredBy };
}
