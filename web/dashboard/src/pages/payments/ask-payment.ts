// Asks the API to move a payment's money, so that asking again is safe: whatever is lost or repeated, it happens once.
import { ApiFault, api } from '../../app/api.ts';
import type { Payment } from './payment-queries.ts';

export type Operation = 'capture' | 'refund' | 'cancel' | 'adjust';

/** One thing asked of one payment, from the opening of its dialog on. */
export interface Asked {
  readonly operation: Operation;
  readonly paymentId: string;
  /** Made when the dialog opens, of the version that it showed: two windows on the same payment ask under the same key. */
  readonly key: string;
}

export const askedOf = (operation: Operation, { id, version }: Pick<Payment, 'id' | 'version'>): Asked => ({
  operation,
  paymentId: id,
  key: `dash-${operation}-${id}-${version}`,
});

/** The fields of the operation's dialog; amounts in minor units. */
export interface Fields {
  readonly amount?: number;
  readonly final?: boolean;
  readonly reason?: string;
}

/** done: it happened. unknown: it may have happened (202). repeated: it had happened already, asked for in another window, or by another person. */
export interface Answered {
  readonly outcome: 'done' | 'unknown' | 'repeated';
  readonly payment: Payment;
}

/** Throws ApiFault. */
export async function askPayment({ operation, paymentId, key }: Asked, fields: Fields): Promise<Answered> {
  const { data, response } = await call(operation, { path: { id: paymentId } }, key, fields);
  if (data === undefined)
    throw new ApiFault({ errorId: 'Unknown', description: 'The service answered without content.', diagnosticsId: '', status: 0 });
  if (response.status === 202) return { outcome: 'unknown', payment: data };
  return { outcome: response.headers.get('Idempotent-Replayed') === 'true' ? 'repeated' : 'done', payment: data };
}

interface Params {
  readonly path: { readonly id: string };
}

function call(operation: Operation, params: Params, key: string, { amount, final, reason }: Fields) {
  const headers = { 'X-Idempotency-Key': key };
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
    case 'IdempotencyKeyReused':
      return 'This payment was changed after this dialog opened, in another window or by another person, and something else was asked. Nothing was done here. Close this dialog and look at the payment again.';
    case 'IdempotencyKeyInProgress':
      return 'The same is running already, in another window or for another person. Wait a moment; trying again does it once, not twice.';
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
