// One call to a processor for an attempt that is on record: not too late, under its deadline, its outcome graded by
// evidence (contract §1).
import { type Attempt, isUnprepared } from '../../domain/payment/attempt.ts';
import type { Outcome } from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { attemptOf } from '../../domain/payment/queries.ts';
import type { AuthorizationRequest, Call, OperationRequest, Processor } from '../../processors/processor.ts';
import type { CallNeeds } from './needs.ts';
import { operationRequest } from './operation-request.ts';
import { type CallMade, callProcessor } from './processor-call.ts';

/** The processor already has the attempt: a call that did not continue it says nothing about its outcome. */
const notResumed = (detail: string): CallMade => ({ outcome: { kind: 'unknown', detail } });

/** Only the processor gets the customer's return URL: its token is in no look-up, and in no record. */
function requestWithReturn(
  { resumeTokens }: CallNeeds,
  paymentId: string,
  payment: KnownPayment,
  attempt: Attempt,
): OperationRequest {
  const request = operationRequest(paymentId, payment, attempt);
  return request.operation === 'authorization'
    ? { ...request, returnUrl: resumeTokens.returnUrl(paymentId, payment, attempt) }
    : request;
}

const notSent = (detail: string): CallMade => ({ outcome: { kind: 'not_sent', detail } });

/** The longest preparation, ms: what follows it needs the rest of the caller's time. */
const PREPARE_WITHIN_MS = 10_000;

/** The times of a call by World.monotonic: from before its request was appended, and when it must be over. */
export interface CallTimes {
  readonly startedAt: number;
  /** At the latest; undefined: `answerWithinMs` after it was sent. */
  readonly endsAt?: number | undefined;
}

/**
 * Prepares the attempt, where that comes first and is not on record, or performs it. Never throws. Its request was
 * appended by this process.
 */
export async function performAttempt(
  needs: CallNeeds,
  paymentId: string,
  payment: KnownPayment,
  attemptId: string,
  { startedAt, endsAt }: CallTimes,
): Promise<CallMade> {
  const { world, timings } = needs;
  const attempt = attemptOf(payment, attemptId);
  // a capture may be this process's first call by a connection, whose adapter is opened then
  const processor =
    attempt && (needs.processors.get(attempt.processor) ?? (await needs.connections.processor(attempt.processor)));
  const notCalled = attempt?.resumed === true ? notResumed : notSent;
  if (attempt === undefined || processor === undefined)
    return notCalled(`no processor ${payment.processor} on this node`);
  // By both clocks of the process that requested it: only the wall clock moves on while a machine is suspended.
  const isLate = (): boolean => world.monotonic() - startedAt > timings.sendWithinMs || world.now() > attempt.sendBy;
  if (isLate()) return notCalled('the time to send it had passed');
  const { accountId } = payment;
  const request = requestWithReturn(needs, paymentId, payment, attempt);
  if (request.operation === 'authorization' && isUnprepared(attempt))
    return prepareAttempt(needs, processor, request, attempt, isLate);
  if (attempt.resumed !== true)
    return callProcessor(needs, attempt, (call) => processor.perform(request, call), {
      what: request.operation,
      accountId,
      isLate,
      endsAt,
    });
  const { outcome, ...made } = await callProcessor(needs, attempt, (call) => goOn(processor, request, call), {
    what: 'resumption',
    accountId,
    isLate,
  });
  // nothing was sent, and the processor has the attempt all the same
  return { ...made, outcome: outcome.kind === 'not_sent' ? { ...outcome, kind: 'unknown' } : outcome };
}

/** Without an answer nothing was sent that may move money, and nothing will be: nobody has its name. */
async function prepareAttempt(
  needs: CallNeeds,
  processor: Processor,
  request: AuthorizationRequest,
  attempt: Attempt,
  isLate: () => boolean,
): Promise<CallMade> {
  const { prepare } = processor;
  if (prepare === undefined) return notSent(`the processor ${processor.name} of this node prepares nothing`);
  const patienceMs = Math.min(PREPARE_WITHIN_MS, needs.timings.answerWithinMs / 2);
  const endsAt = needs.world.monotonic() + patienceMs;
  const bounds = { what: 'preparation', accountId: request.accountId, isLate, endsAt };
  const { outcome, call, late } = await callProcessor(needs, attempt, (made) => prepare(request, made), bounds);
  void late?.catch(needs.report); // it moves nothing, and nobody confirms it
  return {
    outcome: outcome.kind === 'unknown' ? { ...outcome, kind: 'not_sent' } : outcome,
    ...(call !== undefined && { call }),
  };
}

/**
 * Asks a processor that continues on its own about the outcome. Whatever prevents the question, the processor has the
 * attempt.
 */
async function goOn(processor: Processor, request: OperationRequest, call: Call): Promise<Outcome> {
  const told =
    processor.resume === undefined ? await processor.lookUp(request, call) : await processor.resume(request, call);
  switch (told.kind) {
    case 'not_found':
      return { kind: 'unknown', detail: 'the processor does not know the reference' };
    case 'released':
      return { kind: 'unknown', detail: 'it had succeeded, and a fence took it back' };
    case 'not_sent':
    case 'unreachable':
      return { kind: 'unknown', detail: told.detail };
    default:
      return told;
  }
}
