// Asks the API to move a payment's money. A repeated request is safe: the operation runs once.
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
  /** Created when the dialog opens, so that a retry after a lost response is the same request. */
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

/** done: the operation succeeded. unknown: it may have succeeded (202). Throws ApiFault. */
export async function askPayment(asked: Asked, fields: Fields): Promise<'done' | 'unknown'> {
  const { data, response } = await call(asked, fields);
  if (data === undefined)
    throw new ApiFault({
      errorId: 'Unknown',
      description: 'The service responded without content.',
      diagnosticsId: '',
      status: 0,
    });
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
      return api.POST('/dashboard/api/payments/{id}/cancel', {
        params,
        headers,
        body: { ...(reason !== undefined && { reason }) },
      });
    case 'adjust':
      return api.POST('/dashboard/api/payments/{id}/adjust-authorization', {
        params,
        headers,
        body: { amount: amount ?? 0 },
      });
    default:
      return operation satisfies never;
  }
}

/** Advice on a refusal besides the server's own sentence, or undefined if that sentence is enough. */
export function adviceOn({ errorId, status }: ApiFault): string | undefined {
  switch (errorId) {
    case 'PreconditionFailed':
      return 'The payment changed after you opened this dialog, perhaps in another window. Nothing was done. Close this dialog and check the payment.';
    case 'IdempotencyKeyReused':
      return 'Your first attempt already succeeded, with different values. Nothing more was done. Close this dialog and check the payment.';
    case 'IdempotencyKeyInProgress':
      return 'Your first attempt is still running. Wait a moment. It is safe to try again: the operation runs once.';
    case 'PaymentOperationInProgress':
      return 'Nothing was done. The page shows when the processor will be asked again.';
    case 'InvalidPaymentStatus':
    case 'PaymentAlreadyRefunded':
      return 'The payment has changed since this page loaded. Close this dialog and check the payment.';
    default:
      return status === 0 || status >= 500
        ? 'The operation may have succeeded. It is safe to try again: this is the same request, so the operation runs once.'
        : undefined;
  }
}
