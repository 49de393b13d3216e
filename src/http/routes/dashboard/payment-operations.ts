// A user's operations on a payment: capture, cancel, refund, adjust, and resolve an unknown outcome manually. Each
// works as in the API, on the version that the page showed (If-Match): of two people who saw the same payment, only one
// moves its money.
import { z } from 'zod';
import { textUpTo } from '../../../commands/fields/text.ts';
import {
  AdjustAuthorization,
  CancelPayment,
  CapturePayment,
  RefundPayment,
} from '../../../commands/payments/change-payment.ts';
import type { Payments } from '../../../commands/payments/payments.ts';
import type { Resolved } from '../../../commands/payments/resolve-payment.ts';
import type { Rejection } from '../../../domain/decider.ts';
import type { Queries } from '../../../queries/queries.ts';
import { PaymentAnswer, paymentAnswer } from '../../answers/payment.ts';
import { revisionMatches } from '../../checks/if-match.ts';
import type { ErrorId } from '../../errors.ts';
import { forConfirmed, forRoles, found, type Route, route, shaped } from '../../route.ts';
import { params } from '../payment-params.ts';
import { answerOf, CHANGED, known } from '../payments.ts';

const common = {
  tag: 'Payments',
  method: 'POST',
  answer: PaymentAnswer,
  accepts: true,
  scope: forRoles('owner', 'support'),
} as const;

const CONDITIONAL: readonly ErrorId[] = ['PreconditionFailed', ...CHANGED];

export type PaymentOperationNeeds = Pick<
  Payments,
  'capturePayment' | 'cancelPayment' | 'refundPayment' | 'adjustAuthorization' | 'resolvePayment'
> &
  Pick<Queries, 'readPayment'>;

export const dashboardPaymentOperations = (needs: PaymentOperationNeeds): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/payments/:id/capture',
    summary: 'Capture an authorized payment or a part of it',
    request: z.object({ params, body: CapturePayment }),
    errors: [
      'MetadataContainsEmptyKey',
      'UnprocessableCaptureAmount',
      'CaptureDeclined',
      'OperationNotSupported',
      ...CONDITIONAL,
    ],
    handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
      shaped(await needs.capturePayment(id, body, caller, revisionMatches(ifMatch)), answerOf),
  }),
  route({
    ...common,
    path: '/dashboard/api/payments/:id/cancel',
    summary: 'Cancel a payment and release the uncaptured part of its authorization',
    request: z.object({ params, body: CancelPayment }),
    errors: ['CancellationDeclined', ...CONDITIONAL],
    handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
      shaped(await needs.cancelPayment(id, body, caller, revisionMatches(ifMatch)), answerOf),
  }),
  route({
    ...common,
    path: '/dashboard/api/payments/:id/refund',
    summary: 'Refund the captured amount or a part of it',
    request: z.object({ params, body: RefundPayment }),
    errors: [
      'UnprocessableRefundAmount',
      'RefundDeclined',
      'PaymentAlreadyRefunded',
      'PaymentDisputed',
      ...CONDITIONAL,
    ],
    handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
      shaped(await needs.refundPayment(id, body, caller, revisionMatches(ifMatch)), answerOf),
  }),
  route({
    ...common,
    path: '/dashboard/api/payments/:id/adjust-authorization',
    summary: 'Change the authorized total of an ESTIMATED authorization',
    request: z.object({ params, body: AdjustAuthorization }),
    errors: ['IncorrectPaymentAuthorizationType', 'AdjustmentDeclined', 'OperationNotSupported', ...CONDITIONAL],
    handle: async ({ params: { id }, body }, { caller, ifMatch }) =>
      shaped(await needs.adjustAuthorization(id, body, caller, revisionMatches(ifMatch)), answerOf),
  }),
  resolve(needs),
];

const NO_TEXT = 'Must not be blank.';
const ResolvePayment = z
  .strictObject({
    /**
     * The id of an attempt or of an answer to a dispute, OVER_REFUNDED or DIFFERS: always named, so that nobody settles
     * another matter than the page showed.
     */
    attemptId: z.string().min(1).max(255),
    as: z.enum(['succeeded', 'failed']),
    /** Masked where it may hold a card number, as the command line's. */
    evidence: textUpTo(1_000).refine((text) => text.trim() !== '', { error: NO_TEXT }),
    transactionId: textUpTo(255)
      .refine((text) => text.trim() !== '', { error: NO_TEXT })
      .optional(),
  })
  .refine(({ as, transactionId }) => as === 'succeeded' || transactionId === undefined, {
    path: ['transactionId'],
    error: 'Only for a success; a failed operation has no transaction id.',
  })
  .meta({ id: 'ResolvePayment' });

const ResolvedAnswer = z
  .strictObject({
    /**
     * byWord: the user's word is on record. byProcessor: the processor was asked first and has told, so that the word
     * is not on record. closed: OVER_REFUNDED or DIFFERS is listed no more.
     */
    settled: z.enum(['byWord', 'byProcessor', 'closed']),
    /** True if the attempt or response has succeeded, by the current record. */
    succeeded: z.boolean(),
    payment: PaymentAnswer,
  })
  .meta({ id: 'ResolvedPayment' });
type ResolvedAnswer = z.infer<typeof ResolvedAnswer>;

const resolve = ({ readPayment, resolvePayment }: PaymentOperationNeeds): Route =>
  route({
    tag: 'Payments',
    method: 'POST',
    path: '/dashboard/api/payments/:id/resolve',
    scope: forConfirmed('owner'),
    summary: 'Resolve an unknown outcome manually, by evidence from elsewhere; the processor is asked first',
    request: z.object({ params, body: ResolvePayment }),
    answer: ResolvedAnswer,
    errors: ['InvalidPaymentStatus', 'Conflict', 'ServiceUnavailable'],
    async handle({ params: { id }, body }, { caller }) {
      const read = await readPayment(id, caller.accountId);
      if ('kind' in read) return read;
      const resolved = await resolvePayment(id, { ...body, by: caller });
      const answer = resolvedAnswer(id, resolved);
      return 'kind' in answer ? answer : found(answer);
    },
  });

function resolvedAnswer(id: string, resolved: Resolved): ResolvedAnswer | Rejection {
  switch (resolved.kind) {
    case 'rejected':
      return resolved;
    case 'several':
      throw new TypeError('an attempt was named, and several were found');
    case 'matter_closed':
      return { settled: 'closed', succeeded: true, payment: paymentOf(id, resolved.folded) };
    case 'resolved':
      return {
        settled: 'byWord',
        succeeded: resolved.transactionId !== undefined,
        payment: paymentOf(id, resolved.folded),
      };
    case 'answer_resolved': {
      const settled = resolved.isTold ? 'byProcessor' : 'byWord';
      return { settled, succeeded: resolved.answer.state === 'succeeded', payment: paymentOf(id, resolved.folded) };
    }
    case 'told':
      return {
        settled: 'byProcessor',
        succeeded: resolved.attempt.state === 'succeeded',
        payment: paymentOf(id, resolved.folded),
      };
    default:
      return resolved satisfies never;
  }
}

const paymentOf = (id: string, { state, head }: Extract<Resolved, { kind: 'told' }>['folded']): PaymentAnswer =>
  paymentAnswer(id, head.revision, known(state));
