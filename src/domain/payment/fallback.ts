// A second authorization of a payment at another connection, after the first one provably came to nothing.
import { type Attempt, authorizationOf } from './attempt.ts';
import type { Fact, SkippedConnection } from './events.ts';
import type { Declined, NotSent, RefusedRequest } from './outcome.ts';
import type { KnownPayment } from './payment.ts';
import { requestedAs } from './requested-as.ts';
import type { Settlement } from './settlement.ts';

interface FallenBack {
  /** The id of the new attempt. */
  readonly attemptId: string;
  readonly events: readonly [Fact<'RouteChosen'>, Fact<'AuthorizationRequested'>];
}

/**
 * The request that goes on in the place of an authorization that was not sent, or was refused by the processor or
 * softly, as the rules of the payment allow (decision 152). Undefined if they do not, if no other connection can be
 * asked, or if anything but the answer of the call itself says so: what was unknown, pending, fenced, or with the
 * customer is never asked twice.
 */
export function fallbackAfter(
  payment: KnownPayment,
  attempt: Attempt,
  outcome: Declined | RefusedRequest | NotSent,
  settlement: Settlement,
): FallenBack | undefined {
  const { skip, source, at } = settlement;
  const { route } = payment;
  if (skip === undefined || source !== 'answer' || route?.fallback === undefined) return undefined;
  const authorizations = payment.attempts.filter(({ operation }) => operation === 'authorization');
  const [first] = authorizations;
  if (first === undefined || !isUntouched(payment, attempt)) return undefined;
  const { connections, on, never, mostAttempts } = route.fallback;
  if (!isAllowed(outcome, on, never) || authorizations.length >= mostAttempts) return undefined;
  // by the wall clock as well, which alone moves on while a machine is suspended
  if (at - first.requestedAt >= settlement.callEndsAt - settlement.sendBy) return undefined;
  const skipped: SkippedConnection[] = [];
  const next = connections.find(({ connectionId, connectionName }) => {
    if (authorizations.some((one) => one.connectionId === connectionId)) return false;
    const because = skip(connectionId);
    if (because !== undefined) skipped.push({ connectionId, ...named(connectionName), because });
    return because === undefined;
  });
  if (next === undefined) return undefined;
  const { amount, offSession } = attempt;
  const attemptId = `${first.attemptId}-${authorizations.length + 1}`;
  const { version, rule } = route;
  const { connectionName, ...to } = next;
  const { connectionId } = to;
  return {
    attemptId,
    events: [
      { type: 'RouteChosen', data: { attemptId, version, rule, connectionId, ...named(connectionName), skipped } },
      {
        type: 'AuthorizationRequested',
        data: {
          ...requestedAs(payment, attemptId, settlement),
          follows: { attemptId: attempt.attemptId, because: 'fallback' },
          amount,
          currencyCode: payment.currencyCode,
          ...to,
          ...(offSession !== undefined && { offSession }),
        },
      },
    ],
  };
}

/** Choices of an older version have no names. */
const named = (connectionName: string | undefined): { readonly connectionName?: string } =>
  connectionName === undefined ? {} : { connectionName };

/** True if the attempt is the payment's authorization, nothing was heard of it yet, and nobody had to act for it. */
const isUntouched = (payment: KnownPayment, attempt: Attempt): boolean =>
  payment.status === 'PENDING' &&
  payment.cancellation === undefined &&
  authorizationOf(payment) === attempt &&
  attempt.state === 'open' &&
  attempt.lookUps === 0 &&
  attempt.fenced !== true &&
  attempt.threeDSecure === undefined &&
  attempt.resumeTokenHash === undefined &&
  attempt.processorTransactionId === undefined &&
  attempt.answeredRevision === undefined;

/** A refusal that somebody can still confirm at the processor is not the end of it. */
function isAllowed(
  outcome: Declined | RefusedRequest | NotSent,
  on: readonly string[],
  never: readonly string[],
): boolean {
  if (outcome.kind === 'not_sent') return on.includes('NOT_SENT');
  if (outcome.kind === 'refused') return on.includes('REFUSED') && !never.includes(outcome.code);
  const { code, declineType, advice, fence } = outcome;
  return (
    on.includes('SOFT') &&
    declineType === 'SOFT' &&
    fence === undefined &&
    advice !== 'DO_NOT_RETRY' &&
    code !== 'AUTHENTICATION_REQUIRED' &&
    !never.includes(code)
  );
}
