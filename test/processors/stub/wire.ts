// The messages of the acquirer Stub by its documentation, and their meaning in terms of the port.
import { z } from 'zod';
import type { Operation } from '../../../src/domain/operation.ts';
import type { Declined, Pending, Succeeded } from '../../../src/domain/payment/outcome.ts';
import type { Known, OperationRequest } from '../../../src/processors/processor.ts';

const OPERATIONS = [
  'authorization',
  'capture',
  'cancellation',
  'refund',
  'adjustment',
] as const satisfies readonly Operation[];
const name = z.string().min(1).max(255);

/** Members that a later version adds are ignored: an outcome must not be lost over them. */
export const Transaction = z.object({
  id: name,
  reference: name,
  operation: z.enum(OPERATIONS),
  /** accepted: it is decided later. */
  state: z.enum(['done', 'refused', 'accepted']),
  /** Minor units. */
  amount: z.int().min(0),
  currency: z.string().regex(/^[A-Z]{3}$/),
  code: name.optional(),
});
export type Transaction = z.infer<typeof Transaction>;

/** The acquirer's own word that it did nothing of what it was asked. */
export const Refusal = z.object({
  error: z.enum(['bad_key', 'bad_request', 'busy', 'card_not_taken', 'reference_used', 'unknown_reference']),
});

export const Token = z.object({ token: name });

/** The codes that the domain has words for; any other is declined for good, without a reason. */
const CODES: { readonly [code: string]: Pick<Declined, 'code' | 'declineType'> } = {
  no_funds: { code: 'INSUFFICIENT_FUNDS', declineType: 'SOFT' },
  try_later: { code: 'PROCESSING_ERROR', declineType: 'SOFT' },
  card_expired: { code: 'EXPIRED_CARD', declineType: 'HARD' },
  no_such_transaction: { code: 'TRANSACTION_UNKNOWN', declineType: 'HARD' },
  nothing_left: { code: 'AMOUNT_ABOVE_REST', declineType: 'HARD' },
};
const OTHER_CODE = { code: 'GENERIC_DECLINE', declineType: 'HARD' } as const;

/** Amount and currency as reported, even if others were requested. */
export function outcomeOf({
  id: processorTransactionId,
  state,
  amount,
  currency,
  code = '',
}: Transaction): Succeeded | Declined | Pending {
  switch (state) {
    case 'done':
      return { kind: 'succeeded', processorTransactionId, amount, currencyCode: currency };
    case 'refused':
      return { kind: 'declined', ...(CODES[code] ?? OTHER_CODE), processorTransactionId };
    case 'accepted':
      return { kind: 'pending', processorTransactionId };
    default:
      return state satisfies never;
  }
}

/** The body of a request. Our reference is the idempotency key over there. */
export function questionOf(request: OperationRequest): object {
  const { operation, reference, amount, currencyCode: currency } = request;
  const about = { operation, reference, amount, currency };
  switch (request.operation) {
    case 'authorization':
      return { ...about, token: request.processorToken };
    case 'capture':
      return { ...about, authorization: namedAs(request.authorization), final: request.final };
    case 'refund':
      return { ...about, authorization: namedAs(request.authorization), captures: request.captures.map(namedAs) };
    case 'cancellation':
    case 'adjustment':
      return { ...about, authorization: namedAs(request.authorization) };
    default:
      return request satisfies never;
  }
}

/** The acquirer's own id, otherwise our reference of the call that created it. */
const namedAs = (known: Known): object =>
  'reference' in known ? { reference: known.reference } : { id: known.processorTransactionId };

/** A text as JSON of a shape; undefined if it is not. */
export function readAs<Shape>(schema: z.ZodType<Shape>, text: string): Shape | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
