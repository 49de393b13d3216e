// A user resolves an unknown outcome of a payment manually, by evidence from elsewhere.
import { z } from 'zod';
import { textUpTo } from '../../../commands/fields/text.ts';
import type { Resolved } from '../../../commands/payments/resolve-payment.ts';
import type { Rejection } from '../../../domain/decider.ts';
import { PaymentAnswer, paymentAnswer } from '../../answers/payment.ts';
import { forConfirmed, found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams as params } from '../payment-filter.ts';
import { known } from '../payments.ts';

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

export const resolvePaymentRoute = ({ queries, payments }: RouteParts): Route =>
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
      const read = await queries.readPayment(id, caller.accountId);
      if ('kind' in read) return read;
      const resolved = await payments.resolvePayment(id, { ...body, by: caller });
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
