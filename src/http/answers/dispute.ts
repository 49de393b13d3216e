// A payment's disputes as they go out (contract §13).
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import {
  DISPUTE_STATUS_WORDS,
  DISPUTE_TYPE_WORDS,
  disputeStatuses,
  disputeTypes,
} from '../../domain/dispute-status.ts';
import type { Dispute } from '../../domain/payment/payment.ts';
import { answerReason } from '../../domain/payment/status-reason.ts';
import { answer } from './answer.ts';
import { StatusReasonAnswer } from './payment-status.ts';
import { Instant, valuesIn } from './shapes.ts';

const DisputeEvidenceAnswer = z.strictObject({
  text: z.string(),
  customerEmail: z.string().optional(),
  shippingTrackingNumber: z.string().optional(),
  submitted: z.boolean(),
});

export const DisputeAnswer = z
  .strictObject({
    id: z.string(),
    status: z.enum(disputeStatuses).meta({
      description:
        'OPEN: you can respond. CHALLENGED: the issuer decides. A decided one may open again in a later round.',
      ...valuesIn(DISPUTE_STATUS_WORDS),
    }),
    round: z.int().min(1).meta({
      description: 'Counted from 1. A dispute that was decided may open again in a later round, with a new deadline.',
    }),
    type: z.enum(disputeTypes).meta({ description: 'The type of this round.', ...valuesIn(DISPUTE_TYPE_WORDS) }),
    amount: Amount,
    amountRefunded: Amount.optional().meta({
      description: 'For a prevented dispute, the amount that the processor refunded because of the dispute.',
    }),
    currencyCode: z.string(),
    reason: z.string().optional(),
    reasonCode: z.string().optional(),
    openedAt: Instant,
    challengeRequiredBy: Instant.optional(),
    evidence: DisputeEvidenceAnswer.optional(),
    statusReason: StatusReasonAnswer.optional(),
  })
  .meta({ id: 'Dispute' });
export type DisputeAnswer = z.infer<typeof DisputeAnswer>;

/**
 * `evidence`: what the merchant keeps, or what the processor has; `statusReason`: why an answer has not come to
 * anything (yet).
 */
export function disputeAnswer(dispute: Dispute): DisputeAnswer {
  const { answer: sent, refunded, status } = dispute;
  const submitted = sent?.kind === 'evidence' && sent.state === 'succeeded';
  const submission = submitted ? sent.submission : dispute.submission;
  return answer(DisputeAnswer, dispute, {
    id: dispute.disputeId,
    amountRefunded: refunded?.amount,
    evidence: submission && { ...submission, submitted },
    statusReason: status === 'OPEN' && sent !== undefined ? answerReason(sent) : undefined,
  });
}
