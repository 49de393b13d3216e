// A payment's disputes as they go out (contract §4, "Disputes").
import { z } from 'zod';
import { Amount } from '../../commands/fields/amount.ts';
import { disputeStatuses } from '../../domain/dispute-status.ts';
import type { Dispute } from '../../domain/payment/payment.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './instant.ts';

export const DisputeAnswer = z
  .strictObject({
    id: z.string(),
    status: z.enum(disputeStatuses),
    amount: Amount,
    currencyCode: z.string(),
    reason: z.string().optional(),
    reasonCode: z.string().optional(),
    openedAt: Instant,
    challengeRequiredBy: Instant.optional(),
  })
  .meta({ id: 'Dispute' });
export type DisputeAnswer = z.infer<typeof DisputeAnswer>;

export function disputeAnswer(dispute: Dispute): DisputeAnswer {
  const { disputeId: id, status, amount, currencyCode, reason, reasonCode, openedAt, challengeRequiredBy } = dispute;
  return {
    id,
    status,
    amount,
    currencyCode,
    ...(reason !== undefined && { reason }),
    ...(reasonCode !== undefined && { reasonCode }),
    openedAt: formatTime(openedAt),
    ...(challengeRequiredBy !== undefined && { challengeRequiredBy: formatTime(challengeRequiredBy) }),
  };
}
