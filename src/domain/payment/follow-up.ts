// Attempts that nobody asks for: they follow from how another one ended, and their ids derive from its id.
import type { Attempt } from './attempt.ts';
import type { AttemptTiming } from './create.ts';
import type { Fact, FollowUp, PaymentEvent } from './events.ts';
import { rulesOf } from './operations.ts';
import type { Succeeded } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { requestedAs } from './requested-as.ts';

/** Automatic capture, or the void or refund that takes `attempt` back. */
export function followUp(
  payment: KnownPayment,
  { attemptId, operation }: Attempt,
  because: FollowUp['because'],
  { amount, authorization }: Pick<Succeeded, 'amount' | 'authorization'>,
  timing: AttemptTiming,
): PaymentEvent {
  const named = (suffix: string) => ({
    ...requestedAs(payment, freeId(payment, `${attemptId}-${suffix}`), timing),
    follows: { attemptId, because },
  });
  const { currencyCode } = payment;
  if (because === 'automatic_capture')
    return { type: 'CaptureRequested', data: { ...named('capture'), amount, currencyCode, final: true } };
  if (rulesOf(operation).money !== 'captured' && authorization?.captured !== true)
    return { type: 'CancellationRequested', data: named('void') };
  const request = named('refund');
  return {
    type: 'RefundRequested',
    data: { ...request, refundId: request.attemptId, amount, currencyCode, allocations: [] },
  };
}

/**
 * The capture that an authorization was, for its append: the money of a debit, or of a bank's page, is taken with it.
 * `told`: of the authorization.
 */
export function capturedWith(
  payment: KnownPayment,
  { attemptId }: Attempt,
  told: Fact<'PaymentCaptured'>['data'],
  timing: AttemptTiming,
): readonly [Fact<'CaptureRequested'>, Fact<'PaymentCaptured'>] {
  const { amount, currencyCode } = told;
  const request = requestedAs(payment, freeId(payment, `${attemptId}-capture`), timing);
  const follows = { attemptId, because: 'with_authorization' } as const;
  return [
    { type: 'CaptureRequested', data: { ...request, follows, amount, currencyCode, final: true } },
    { type: 'PaymentCaptured', data: { ...told, attemptId: request.attemptId } },
  ];
}

/** A repetition of the reversal under a new id: the attempt under the old id is resolved. */
export function retry(payment: KnownPayment, reversal: Attempt, timing: AttemptTiming): PaymentEvent {
  const { follows, amount, operation } = reversal;
  const reversed = payment.attempts.find(({ attemptId }) => attemptId === follows?.attemptId);
  const because = follows?.because;
  if (
    because === undefined ||
    because === 'authentication_required' ||
    because === 'with_authorization' ||
    because === 'fallback' ||
    reversed === undefined
  )
    throw new Error(`${reversal.attemptId} reverses nothing`);
  const authorization = operation === 'refund' ? ({ captured: true } as const) : undefined;
  return followUp(payment, reversed, because, { amount, authorization }, timing);
}

function freeId(payment: KnownPayment, id: string): string {
  const taken = new Set(payment.attempts.map(({ attemptId }) => attemptId));
  let [free, number] = [id, 2];
  while (taken.has(free)) free = `${id}-${number++}`;
  return free;
}
