// The shape of every error, as a schema (contract §7).
import { z } from 'zod';
import { valuesIn } from './answers/values.ts';
import { ERROR_WORDS } from './error-words.ts';
import { STATUS } from './errors.ts';

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
  description: z.string(),
});

export const ErrorAnswer = z
  .strictObject({
    error: z.strictObject({
      errorId: z.enum(Object.keys(STATUS)).meta(valuesIn(ERROR_WORDS)),
      description: z.string(),
      recoverySuggestion: z.string().optional(),
      diagnosticsId: z.string().meta({ description: 'Finds the request in the log.' }),
      validationErrors: z.array(z.strictObject({ model: z.string(), errors: z.array(Violation).min(1) })).optional(),
      paymentId: z.string().optional(),
      paymentStatus: z.string().optional(),
      amount: z.int().min(0).optional(),
      currencyCode: z.string().optional(),
      statusReason: StatusReason.optional(),
    }),
  })
  .meta({ id: 'Error' });
