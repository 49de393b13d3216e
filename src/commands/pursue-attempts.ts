// The only place that performs operations at a processor: request on record, call, outcome on record, until nothing follows.
import type { DomainEvent } from '../domain/category.ts';
import { settleAttempt } from '../domain/payment/decide.ts';
import { attemptOf, type KnownPayment, type Payment, type PaymentEvent } from '../domain/payment/state.ts';
import type { Context } from '../journal/context.ts';
import type { Folded } from '../journal/streams.ts';
import { type Transacted, transactFact } from '../journal/transact.ts';
import type { Operation, OperationRequest, Outcome, Processor } from '../processors/processor.ts';
import { within } from '../world.ts';
import type { House, Timings } from './house.ts';

/** When an attempt that is requested at `at` (ms) is no longer sent, and when it is first looked up (contract §4). */
export const attemptTiming = (at: number, { sendWithinMs, answerWithinMs }: Timings): { at: number; sendBy: number; lookUpAt: number } => ({
  at,
  sendBy: at + sendWithinMs,
  lookUpAt: at + sendWithinMs + answerWithinMs,
});

/**
 * Calls the processor for every request among the events that this process has just appended, settles each answer, and
 * goes on with what a settlement requested. Never throws: once a request is on record its caller gets an answer, and what
 * could not be recorded here is looked up later. Answers the payment as it is then. `startedAt` (World.monotonic) is from
 * before the append, so that a process that was stopped behind it sends nothing that others have given up.
 */
export async function pursueAttempts(
  house: House,
  paymentId: string,
  written: Transacted<Payment, PaymentEvent> & { readonly kind: 'written' },
  context: Context,
  startedAt: number,
): Promise<Folded<Payment>> {
  let folded = written.folded;
  let requested = requestedIn(written.events);
  let started = startedAt;
  while (requested !== undefined) {
    const { state } = folded;
    if (state.status === 'absent' || state.status === 'abandoned') return folded;
    const attemptId: string = requested;
    const outcome = await perform(house, paymentId, state, attemptId, started);
    if (outcome.kind === 'unknown' || outcome.kind === 'not_sent') house.watched.watch(attemptId);
    started = house.world.monotonic();
    try {
      const settled = await settle(house, paymentId, attemptId, outcome, context);
      if (settled.kind === 'rejected') return folded;
      folded = settled.folded;
      requested = settled.kind === 'written' ? requestedIn(settled.events) : undefined;
      if (settled.kind === 'written') await house.cardTesting.settled(paymentId, folded.state, settled.events);
    } catch (fault) {
      house.watched.watch(attemptId);
      house.report(fault); // the outcome is not on record; the resolver asks the processor for it
      return folded;
    }
  }
  return folded;
}

const settle = (
  house: House,
  paymentId: string,
  attemptId: string,
  outcome: Outcome,
  context: Context,
): Promise<Transacted<Payment, PaymentEvent>> => {
  const at = house.world.now();
  const evidence = { source: 'answer' as const, received: outcome };
  return transactFact(
    house.payments,
    paymentId,
    { ...context, at },
    settleAttempt({ attemptId, outcome, evidence, source: 'answer', ...attemptTiming(at, house.timings) }),
  );
};

/** The attempt that an append requested; an append requests at most one. */
const requestedIn = (events: readonly PaymentEvent[]): string | undefined => {
  const request = events.find(isRequest);
  return request?.data.attemptId;
};

const isRequest = (event: DomainEvent): event is Extract<PaymentEvent, { type: `${string}Requested` }> => event.type.endsWith('Requested');

async function perform(house: House, paymentId: string, payment: KnownPayment, attemptId: string, startedAt: number): Promise<Outcome> {
  const { world, timings } = house;
  const attempt = attemptOf(payment, attemptId);
  const processor = house.processors.get(payment.processor);
  if (attempt === undefined || processor === undefined)
    return { kind: 'not_sent', detail: `no processor ${payment.processor} on this node` };
  // By both clocks of the process that requested it: only the wall clock moves on while a machine is suspended.
  if (world.monotonic() - startedAt > timings.sendWithinMs || world.now() > attempt.sendBy)
    return { kind: 'not_sent', detail: 'the time to send it had passed' };
  return call(house, processor, {
    accountId: payment.accountId,
    operation: attempt.operation,
    reference: attemptId,
    paymentId,
    amount: attempt.amount,
    currencyCode: payment.currencyCode,
    ...forOperation(attempt.operation, payment, attempt),
  });
}

function forOperation(
  operation: Operation,
  payment: KnownPayment,
  attempt: { readonly final?: boolean | undefined },
): Partial<OperationRequest> {
  if (operation === 'authorization') {
    const { descriptor } = payment.paymentMethod;
    return { processorToken: payment.processorToken, ...(descriptor !== undefined && { descriptor }) };
  }
  return {
    ...(payment.processorTransactionId !== undefined && { processorTransactionId: payment.processorTransactionId }),
    ...(attempt.final !== undefined && { final: attempt.final }),
  };
}

async function call({ world, timings, report }: House, processor: Processor, request: OperationRequest): Promise<Outcome> {
  try {
    const outcome = await within(world, timings.answerWithinMs, (signal) => processor.perform(request, signal));
    return outcome === 'timeout' ? { kind: 'unknown', detail: `no answer within ${timings.answerWithinMs} ms` } : outcome;
  } catch (fault) {
    report(fault); // an adapter's defect says nothing about what the processor did
    return { kind: 'unknown', detail: 'the call failed in a way that its adapter did not grade' };
  }
}
