// Answers a dispute by the API, so that asking again is safe: whatever is lost or repeated, it happens once.
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import type { Done } from '../../parts/done-line.tsx';
import type { Dispute } from '../disputes/dispute-queries.ts';
import type { Payment, PaymentDetail } from './payment-queries.ts';

export type DisputeEvidence = components['schemas']['DisputeEvidence'];

/** What was done, and how the dispute stood then: it is told for as long as that is so. */
export interface DisputeDone extends Done {
  readonly dispute: Dispute;
}

export interface AskedDispute {
  readonly payment: Payment;
  readonly dispute: Dispute;
  /** What the pay button of the checkout showed; undefined for a payment without our checkout. */
  readonly shown: PaymentDetail['shown'];
  /** Of the payment, as the dialog showed it when it was opened. */
  readonly version: number;
  readonly onDone: (done: DisputeDone) => void;
  readonly onClose: () => void;
}

type Asked = Pick<AskedDispute, 'payment' | 'dispute' | 'version'>;

const paramsOf = ({ payment, dispute }: Asked) => ({ path: { id: payment.id, disputeId: dispute.id } });

/** Throws ApiFault. The dispute as it is then. */
export async function sendEvidence(asked: Asked, body: DisputeEvidence): Promise<Dispute | undefined> {
  // A draft may be kept again and again: each is an effect of its own.
  const headers = body.submit ? { 'X-Idempotency-Key': `dash-evidence-${asked.dispute.id}-${asked.version}` } : {};
  const params = paramsOf(asked);
  return disputeIn(
    await answerOf(api.POST('/dashboard/api/payments/{id}/disputes/{disputeId}/evidence', { params, headers, body })),
    asked,
  );
}

/** Throws ApiFault. The dispute as it is then. */
export async function acceptDispute(asked: Asked): Promise<Dispute | undefined> {
  const headers = { 'X-Idempotency-Key': `dash-accept-${asked.dispute.id}-${asked.version}` };
  const params = paramsOf(asked);
  return disputeIn(
    await answerOf(api.POST('/dashboard/api/payments/{id}/disputes/{disputeId}/accept', { params, headers, body: {} })),
    asked,
  );
}

/** `done`: the words where the answer has succeeded. Without its outcome the dispute is still open. */
export function answerDone({ dispute }: Asked, after: Dispute | undefined, done: string): DisputeDone {
  const now = after ?? dispute;
  const isUnknown = now.status === 'OPEN';
  const words = isUnknown ? 'What became of your answer is not known yet. The processor is asked until it tells.' : done;
  return { words, tone: isUnknown ? 'warn' : 'good', dispute: now };
}

const disputeIn = ({ disputes = [] }: Payment, { dispute }: Asked): Dispute | undefined => disputes.find(({ id }) => id === dispute.id);
