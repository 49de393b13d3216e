// The result of a dry run: the verdict with the error of the real call, and where the operation would go (contract §4).
import { z } from 'zod';
import { DRY_RUN_OPERATIONS, type DryRun } from '../../commands/payments/dry-run.ts';
import type { RejectionId } from '../../domain/decider.ts';
import { errorMembers, statusOfError } from '../errors.ts';
import { connectionNames } from './account-connection.ts';
import { unlessEmpty } from './answer.ts';
import { ErrorMembers } from './error.ts';
import { valuesIn } from './shapes.ts';

const RULE_WORDS = {
  SCOPE: 'The key lacks a scope that the payment needs.',
  TOKEN: 'The payment method token cannot pay this.',
  SESSION: 'The client session cannot be paid now.',
  TERMS: 'Fields are missing, or do not fit each other or the method of payment.',
  LIMIT: 'A limit against card testing is reached.',
  CIRCUIT: 'The processor does not respond, and the circuit of the connection is open.',
  SUPPORT: 'No connection can take the payment, or the processor cannot do this.',
  STATUS: 'The payment has another status.',
  IN_PROGRESS: 'The outcome of an earlier operation is not known.',
  AMOUNT: 'The amount is not what is left.',
  DISPUTE: 'A dispute is in the way.',
  OTHER: 'Another rule: see `error`.',
} as const;
type RefusingRule = keyof typeof RULE_WORDS;
const isRule = (name: string): name is RefusingRule => Object.hasOwn(RULE_WORDS, name);

const RULES: { readonly [E in RejectionId]?: RefusingRule } = {
  InsufficientScope: 'SCOPE',
  InvalidPaymentInstrumentToken: 'TOKEN',
  ClientSessionValidationError: 'SESSION',
  ClientSessionCompleted: 'SESSION',
  RequestValidationError: 'TERMS',
  TooManyRequests: 'LIMIT',
  ServiceUnavailable: 'CIRCUIT',
  OperationNotSupported: 'SUPPORT',
  InvalidPaymentStatus: 'STATUS',
  PaymentOperationInProgress: 'IN_PROGRESS',
  UnprocessableCaptureAmount: 'AMOUNT',
  UnprocessableRefundAmount: 'AMOUNT',
  PaymentAlreadyRefunded: 'AMOUNT',
  PaymentDisputed: 'DISPUTE',
};

const minorUnits = z.int().min(0).optional();

export const DryRunAnswer = z
  .strictObject({
    allowed: z.boolean().meta({
      description: 'True if the service would ask the processor. The processor or the issuer may still decline.',
    }),
    operation: z.enum(DRY_RUN_OPERATIONS).meta({ description: 'The operation that was tried out.' }),
    error: ErrorMembers.extend({ status: z.int().meta({ description: 'The HTTP status of the response.' }) })
      .optional()
      .meta({ description: 'The error of the call without `dryRun`; absent if it is allowed.' }),
    rule: z
      .enum(Object.keys(RULE_WORDS).filter(isRule))
      .optional()
      .meta({ description: 'The kind of rule that refuses it; new ones may be added.', ...valuesIn(RULE_WORDS) }),
    amount: minorUnits.meta({
      description:
        'What the operation holds, captures, releases or refunds, minor units; absent where it is not known.',
    }),
    currencyCode: z.string().optional(),
    charged: minorUnits.meta({
      description: 'What the customer would pay by it, minor units: 0 where the amount is only held.',
    }),
    connection: z
      .strictObject({
        ...connectionNames,
        because: z.string().meta({ description: 'Why this connection would be asked, in sentences.' }),
      })
      .optional()
      .meta({ description: 'The connection that would be asked.' }),
    fallbacks: z
      .array(z.strictObject(connectionNames))
      .optional()
      .meta({ description: 'The connections that may be asked after a refusal there, in this order.' }),
    unknownAttempts: z.boolean().optional().meta({
      description:
        'Present if the call asks the processor about earlier attempts first: its result may be another one.',
    }),
  })
  .meta({ id: 'DryRun' });
export type DryRunAnswer = z.infer<typeof DryRunAnswer>;

interface TriedRequest {
  readonly requestId: string;
  /** Names what violations are about. */
  readonly model: string;
}

export const dryRunAnswer = (
  { operation, refused, amount, currencyCode, charged, connection, fallbacks = [], unknownAttempts }: DryRun,
  request: TriedRequest,
): DryRunAnswer => ({
  allowed: refused === undefined,
  operation,
  ...(refused !== undefined && { error: errorOf(refused, request), rule: RULES[refused.errorId] ?? 'OTHER' }),
  amount,
  currencyCode,
  charged,
  connection,
  fallbacks: unlessEmpty([...fallbacks]),
  unknownAttempts,
});

function errorOf(refused: NonNullable<DryRun['refused']>, { requestId, model }: TriedRequest) {
  const { validationErrors, ...members } = errorMembers(refused, requestId, model);
  return {
    ...members,
    status: statusOfError(refused.errorId),
    validationErrors: validationErrors?.map((part) => ({ model: part.model, errors: [...part.errors] })),
  };
}
