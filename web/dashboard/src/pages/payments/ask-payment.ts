// Asks the API to move a payment's money, so that asking again is safe: whatever is lost or repeated, it happens once.
import { ApiFault, api } from '../../app/api.ts';
import { requestKey } from '../../app/request-key.ts';
import type { Payment } from './payment-queries.ts';

export type Operation = 'capture' | 'refund' | 'cancel' | 'adjust';

/** One thing asked of one payment, from the opening of its dialog on. */
export interface Asked {
  readonly operation: Operation;
  readonly paymentId: string;
  /** The version that the dialog showed: of two windows on the same payment one changes it. */
  readonly version: number;
  /** Made when the dialog opens: a try after a lost answer is the same request. */
  readonly key: string;
}

export const askedOf = (operation: Operation, { id, version }: Pick<Payment, 'id' | 'version'>): Asked => ({
  operation,
  paymentId: id,
  version,
  key: requestKey(operation),
});

/** The fields of the operation's dialog; amounts in minor units. */
export interface Fields {
  readonly amount?: number;
  readonly final?: boolean;
  readonly reason?: string;
}

/** done: it happened. unknown: it may have happened (202). Throws ApiFault. */
export async function askPayment(asked: Asked, fields: Fields): Promise<'done' | 'unknown'> {
  const { data, response } = await call(asked, fields);
  if (data === undefined)
    throw new ApiFault({ errorId: 'Unknown', description: 'The service answered without content.', diagnosticsId: '', status: 0 });
  return response.status === 202 ? 'unknown' : 'done';
}

function call({ operation, paymentId, version, key }: Asked, { amount, final, reason }: Fields) {
  const params = { path: { id: paymentId } };
  const headers = { 'X-Idempotency-Key': key, 'If-Match': `"${version}"` };
  switch (operation) {
    case 'capture':
      return api.POST('/dashboard/api/payments/{id}/capture', {
        params,
        headers,
        body: { ...(amount !== undefined && { amount }), ...(final !== undefined && { final }) },
      });
    case 'refund':
      return api.POST('/dashboard/api/payments/{id}/refund', {
        params,
        headers,
        body: { ...(amount !== undefined && { amount }), ...(reason !== undefined && { reason }) },
      });
    case 'cancel':
      return api.POST('/dashboard/api/payments/{id}/cancel', { params, headers, body: { ...(reason !== undefined && { reason }) } });
    case 'adjust':
      return api.POST('/dashboard/api/payments/{id}/adjust-authorization', { params, headers, body: { amount: amount ?? 0 } });
    default:
      return operation satisfies never;
  }
}

/** What a refusal means here, beside the server's own sentence; undefined where that sentence says it all. */
export function adviceOn({ errorId, status }: ApiFault): string | undefined {
  switch (errorId) {
    case 'PreconditionFailed':
      return 'This payment was changed after this dialog opened, perhaps by another person or in another window. Nothing was done here. Close this dialog and look at the payment again.';
    case 'IdempotencyKeyReused':
      return 'Your first try did it already, with other values. Nothing more was done. Close this dialog and look at the payment again.';
    case 'IdempotencyKeyInProgress':
      return 'Your first try is still running. Wait a moment; trying again does it once, not twice.';
    case 'PaymentOperationInProgress':
      return 'Nothing was done. The page shows when the outcome is looked up next.';
    case 'InvalidPaymentStatus':
    case 'PaymentAlreadyRefunded':
      return 'The payment has changed since this page showed it. Close this dialog and look at it again.';
    default:
      return status === 0 || status >= 500
        ? 'It may have happened. Trying again is safe: it is the same request, so it happens once.'
        : undefined;
  }
}
