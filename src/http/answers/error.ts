// The shape of every error (contract §7): in a response of its own, and in a dry run.
import { z } from 'zod';
import { RETRY_BECAUSE_WORDS, type RetryBecause } from '../../domain/decider.ts';
import { ERROR_WORDS, STATUS } from '../errors.ts';
import { Instant, valuesIn } from './shapes.ts';

const StatusReason = z
  .strictObject({
    type: z.enum([
      'ISSUER_DECLINE',
      'GATEWAY_TIMEOUT',
      'GATEWAY_UNAVAILABLE',
      'AWAITING_FUNDS',
      'PAYMENT_EXPIRED',
      'APPLICATION_ERROR',
      'AUTHENTICATION_REQUIRED',
    ]),
    declineType: z.enum(['SOFT', 'HARD']).optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    advisedAction: z.string().optional(),
  })
  .meta({ id: 'ErrorStatusReason' });

const Violation = z.strictObject({
  path: z.string().meta({ description: 'JSONPath from `$`.' }),
  description: z.string().meta({ description: 'The rule that the value breaks, in a sentence.' }),
});

const RETRY_BECAUSE = Object.keys(RETRY_BECAUSE_WORDS) as RetryBecause[];
export const RetryBecauseName = z.enum(RETRY_BECAUSE).meta({ id: 'RetryBecause', ...valuesIn(RETRY_BECAUSE_WORDS) });

export const ErrorMembers = z.strictObject({
  errorId: z.enum(Object.keys(STATUS)).meta(valuesIn(ERROR_WORDS)),
  description: z.string().meta({ description: 'The error in a sentence.' }),
  recoverySuggestion: z.string().optional(),
  diagnosticsId: z.string().meta({ description: 'Finds the request in the log.' }),
  validationErrors: z.array(z.strictObject({ model: z.string(), errors: z.array(Violation).min(1) })).optional(),
  paymentId: z.string().optional(),
  paymentStatus: z.string().optional(),
  amount: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Only with AmountChanged: the current amount of the session, in minor units.' }),
  currencyCode: z.string().optional(),
  statusReason: StatusReason.optional(),
  agreementStatus: z.string().optional(),
  action: z.string().optional(),
  notBefore: Instant.optional(),
  because: RetryBecauseName.optional(),
});

export const ErrorAnswer = z.strictObject({ error: ErrorMembers }).meta({ id: 'Error' });
