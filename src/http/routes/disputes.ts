// /payments/{id}/disputes/{disputeId}: evidence against a dispute, or its acceptance (contract §13).
import { z } from 'zod';
import { DisputeAcceptance, DisputeEvidence } from '../../commands/payments/answer-dispute.ts';
import { PaymentAnswer } from '../answers/payment.ts';
import type { ErrorId } from '../errors.ts';
import { type Route, route, shaped } from '../route.ts';
import type { RouteParts } from './parts.ts';
import { paymentParams } from './payment-filter.ts';
import { answerOf, KEYED } from './payments.ts';

const common = { method: 'POST', answer: PaymentAnswer, accepts: true } as const;
const ofDispute = paymentParams.extend({ disputeId: z.string().regex(/^dsp_[0-9A-Za-z_-]{1,64}$/) });
const ERRORS: readonly ErrorId[] = [
  'InvalidDisputeStatus',
  'PaymentOperationInProgress',
  'OperationNotSupported',
  ...KEYED,
];

/** Twice: for API keys at `/payments`, and for the dashboard, each with its own access. */
export const disputeRoutes = (
  { payments }: RouteParts,
  { prefix, ...access }: Pick<Route, 'scope'> & { readonly tag: string; readonly prefix: string },
): readonly Route[] => [
  route({
    ...common,
    ...access,
    path: `${prefix}/payments/:id/disputes/:disputeId/evidence`,
    id: 'submitDisputeEvidence',
    example: {
      on: 'open dispute',
      body: { text: 'Delivered on 2 January and signed for.', shippingTrackingNumber: 'RR123456785DE', submit: true },
    },
    summary: 'Save evidence against a dispute, or challenge the dispute with it',
    request: z.object({ params: ofDispute, body: DisputeEvidence }),
    errors: ['EvidenceLimitReached', ...ERRORS],
    handle: async ({ params: { id, disputeId }, body }, { caller }) =>
      shaped(await payments.submitEvidence(id, disputeId, body, caller), answerOf),
  }),
  route({
    ...common,
    ...access,
    path: `${prefix}/payments/:id/disputes/:disputeId/accept`,
    id: 'acceptDispute',
    example: { on: 'open dispute', body: {} },
    summary: 'Accept a dispute; the customer keeps the money',
    request: z.object({ params: ofDispute, body: DisputeAcceptance }),
    errors: ERRORS,
    handle: async ({ params: { id, disputeId } }, { caller }) =>
      shaped(await payments.acceptDispute(id, disputeId, caller), answerOf),
  }),
];
