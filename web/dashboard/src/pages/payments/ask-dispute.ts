// Responds to a dispute through the API. A repeated request is safe: the response is sent once.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import type { Done } from '../../parts/done-line.tsx';
import type { Dispute } from '../disputes/dispute-queries.ts';
import type { Payment, PaymentDetail } from './payment-queries.ts';

export type DisputeEvidence = components['schemas']['DisputeEvidence'];
export type AgreementEvidence = components['schemas']['AgreementEvidence'];

/** What the log has on the agreement that a payment charged. */
export const agreementEvidenceQuery = (paymentId: string) =>
  queryOptions({
    queryKey: [KEYS.agreements, 'evidence', paymentId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/dashboard/api/payments/{id}/agreement-evidence', { params: { path: { id: paymentId } }, signal }),
      ),
  });

/** What was done, and the dispute as it was then. The sentence is shown until the dispute changes. */
export interface DisputeDone extends Done {
  readonly dispute: Dispute;
}

export interface AskedDispute {
  readonly payment: Payment;
  readonly dispute: Dispute;
  /** The amount on the pay button of the checkout, or undefined for a payment without our checkout. */
  readonly shown: PaymentDetail['shown'];
  /** What the log has on the payment's agreement, or undefined for a payment without one. */
  readonly agreement: AgreementEvidence | undefined;
  /** The version of the payment that the dialog showed when it opened. */
  readonly version: number;
  readonly onDone: (done: DisputeDone) => void;
  readonly onClose: () => void;
}

type Asked = Pick<AskedDispute, 'payment' | 'dispute' | 'version'>;

const paramsOf = ({ payment, dispute }: Asked) => ({ path: { id: payment.id, disputeId: dispute.id } });

/** Throws ApiFault. The dispute as it is then. */
export async function sendEvidence(asked: Asked, body: DisputeEvidence): Promise<Dispute | undefined> {
  // A draft may be saved again and again. Each save is an effect of its own.
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

/** `done`: the sentence for a response that succeeded. Until its outcome is known, the dispute is open. */
export function answerDone({ dispute }: Asked, after: Dispute | undefined, done: string): DisputeDone {
  const now = after ?? dispute;
  const isUnknown = now.status === 'OPEN';
  const words = isUnknown
    ? 'The outcome of your response is not known yet. Counterfoil keeps asking the processor.'
    : done;
  return { words, tone: isUnknown ? 'warn' : 'good', dispute: now };
}

const disputeIn = ({ disputes = [] }: Payment, { dispute }: Asked): Dispute | undefined =>
  disputes.find(({ id }) => id === dispute.id);
