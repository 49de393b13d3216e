// Services broken on purpose, each in one plausible way: the simulator must catch every one.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import type { Caller } from '../../src/commands/caller.ts';
import { aside, type Effect, revisionOf, transactFor } from '../../src/commands/effect.ts';
import { replayed } from '../../src/commands/idempotency.ts';
import { attemptTiming, pursueAttempts } from '../../src/commands/payments/attempt.ts';
import {
  answerAttempt,
  attemptIdOf,
  type Finished,
  refused,
  replayAttempt,
} from '../../src/commands/payments/attempt-answers.ts';
import { lookUpAttempts } from '../../src/commands/payments/look-up-attempts.ts';
import type { PaymentNeeds } from '../../src/commands/payments/needs.ts';
import { makePayments, type Payments, paymentNeeds } from '../../src/commands/payments/payments.ts';
import { factsOf } from '../../src/domain/payment/operations.ts';
import type { LookUp } from '../../src/domain/payment/outcome.ts';
import type { KnownPayment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { requestRefund } from '../../src/domain/payment/refund.ts';
import type { OperationRequest } from '../../src/processors/processor.ts';
import type { NewEvent } from '../../src/stores/event-store.ts';
import { BILLING_VARIANTS } from './billing-variants.ts';
import { CANCEL_VARIANTS } from './cancel-variants.ts';
import { ROUTED_VARIANTS } from './routed-variants.ts';
import { TWIN_VARIANTS } from './twin-variants.ts';
import { appendAnywhere, type BrokenVariant, oneByOne } from './variant.ts';
import { WEBHOOK_VARIANTS } from './webhook-variants.ts';

/** Writes only the last append of an append to several streams: a payment without its claims. */
const claimsLeftOut: BrokenVariant = {
  name: 'an append to several streams leaves the claims out',
  breaks: /paid \d times/,
  events: (events) => ({
    ...events,
    appendAll: async (appends) => {
      const last = appends.at(-1);
      return last === undefined ? 'conflict' : events.append(last.stream, last.after, last.events);
    },
  }),
};

/** Treats a lost response as a failure, and sends the operation again under another reference. */
const retryOnUnknown: BrokenVariant = {
  name: 'retry on unknown',
  breaks: /authorized 2 times|had two effects|and we do not know of it/,
  processor: (processor) => ({
    ...processor,
    perform: async (request, call) => {
      const outcome = await impatiently(processor.perform(request, call), call.signal);
      return outcome?.kind === 'succeeded' ||
        outcome?.kind === 'declined' ||
        outcome?.kind === 'pending' ||
        outcome?.kind === 'requires_action'
        ? outcome
        : processor.perform({ ...request, reference: `${request.reference}r` }, call);
    },
  }),
};

/** Undefined as soon as the caller gives up. */
const impatiently = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  Promise.race([
    work,
    new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  ]);

/** Believes the first "not found", before the processor's consistency window has passed. */
const settleOnFirstNotFound: BrokenVariant = {
  name: 'settle on first not-found',
  breaks: /the processor has \w+ succeeded, we have \w+ declined/,
  processor: (processor) => ({
    ...processor,
    consistencyWindowMs: Number.NEGATIVE_INFINITY,
    lookUp: async (request, call) => {
      const found = await processor.lookUp(request, call);
      const declined: LookUp = { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' };
      return found.kind === 'not_found' ? declined : found;
    },
  }),
};

/**
 * Derives event ids from the operation, so that the store answers the second writer "already written", as EventStoreDB
 * would.
 */
const derivedEventIds: BrokenVariant = {
  name: 'derived event ids',
  breaks: /was sent to the processor 2 times/,
  events: (events) => ({
    ...oneByOne(events),
    append: (stream, after, list) =>
      events.append(
        stream,
        after,
        list.map((event, index) => ({
          ...event,
          id: derivedId(`${stream}@${after + 1 + index} ${operationIn(event)}`),
        })),
      ),
  }),
};

const operationIn = ({ metadata }: NewEvent): string => /"operationId":"([^"]*)"/.exec(metadata)?.[1] ?? '';

function derivedId(text: string): string {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Appends without checking the expected revision. */
const noRevisionGuard: BrokenVariant = {
  name: 'drop the revision guard',
  breaks: /two effects|2 times|\d effects|captured \d+ of|refunded \d+ of/,
  events: (events) => ({ ...oneByOne(events), append: (stream, _after, list) => appendAnywhere(events, stream, list) }),
};

/** The events that record how the call of an authorization ended. */
const { requested: _before, ...ENDS } = factsOf('authorization');
const CALL_ENDED: ReadonlySet<string> = new Set(Object.values(ENDS));

/** Claims the session and the token after the processor was called, not before. */
const claimAfterTheCall: BrokenVariant = {
  name: 'claim after the call',
  breaks: /paid \d times/,
  events: (events) => {
    const later: (() => Promise<unknown>)[] = [];
    return {
      ...oneByOne(events),
      async append(stream, after, list) {
        const [first] = list;
        if (first?.type === 'ClientSessionClaimed' || first?.type === 'InstrumentClaimed') {
          later.push(() => events.append(stream, after, list));
          return 'written';
        }
        const written = await events.append(stream, after, list);
        if (first !== undefined && CALL_ENDED.has(first.type)) for (const claim of later.splice(0)) await claim();
        return written;
      },
    };
  },
};

/** Sends an unknown operation again instead of looking it up. The processor's own idempotency may hide that. */
const resolverCalls: BrokenVariant = {
  name: 'the resolver calls instead of looking up',
  breaks: /was sent to the processor \d+ times/,
  processor: (processor) => {
    const requests = new Map<string, OperationRequest>();
    return {
      ...processor,
      perform: (request, call) => {
        requests.set(request.reference, request);
        return processor.perform(request, call);
      },
      lookUp: async (request, call) => {
        const sent = requests.get(request.reference);
        if (sent === undefined) return processor.lookUp(request, call);
        const outcome = await processor.perform(sent, call);
        return outcome.kind === 'not_sent' || outcome.kind === 'refused'
          ? { kind: 'unknown', detail: outcome.detail }
          : outcome;
      },
    };
  },
};

/** Forgets the operation of an idempotency key, so that a retry under the same key starts again. */
const forgetOperationIds: BrokenVariant = {
  name: 'forget operation ids',
  breaks: /had two effects/,
  payments(parts) {
    const sound = makePayments(parts);
    return {
      ...sound,
      capturePayment: (id, request, caller) => sound.capturePayment(id, request, forgetful(caller)),
      refundPayment: (id, request, caller) => sound.refundPayment(id, request, forgetful(caller)),
      authorizePayment: (request, caller) => sound.authorizePayment(request, forgetful(caller)),
    };
  },
};

let forgotten = 0;
function forgetful(caller: Parameters<Payments['authorizePayment']>[1]): typeof caller {
  const { idempotency } = caller;
  if (idempotency === undefined) return caller;
  forgotten += 1;
  return { ...caller, idempotency: { ...idempotency, key: `${idempotency.key} ${forgotten}` } };
}

/** Decides on a refund as if the payment were another one. */
const refundsOn =
  (wrongly: (payment: KnownPayment) => KnownPayment): NonNullable<BrokenVariant['payments']> =>
  (parts) => {
    const needs = paymentNeeds(parts);
    return {
      ...makePayments(parts),
      async refundPayment(id, request, caller) {
        using operation = await needs.idempotency.open(caller, 'refund-payment');
        const begun = await operation.begin({ streams: needs.payments, resource: { id } });
        if (begun.kind === 'rejected') return begun;
        if (begun.kind === 'repeated') return replayed(await replayAttempt(needs, begun, begun.revision));
        const { answer, result } = await refundOf(needs, begun, request, wrongly);
        return await operation.end(begun, answer, result);
      },
    };
  };

async function refundOf(
  needs: PaymentNeeds,
  effect: Effect,
  request: Request,
  wrongly: (payment: KnownPayment) => KnownPayment,
): Promise<Finished> {
  const { context, resourceId: id } = effect;
  const startedAt = needs.world.monotonic();
  await lookUpAttempts(needs, id, 'all', aside(context, needs.world));
  const attemptId = attemptIdOf(effect);
  const decide = requestRefund({
    ...request,
    attemptId,
    refundId: attemptId,
    ...attemptTiming(needs.world.now(), needs.timings),
  });
  const requested = await transactFor(effect, needs.payments, (payment) =>
    decide(isKnown(payment) ? wrongly(payment) : payment),
  );
  if (requested.kind === 'rejected') return refused(requested);
  if (requested.kind !== 'written')
    return {
      answer: await replayAttempt(needs, effect, revisionOf(requested)),
      result: requested.kind === 'repeated' ? 'appended' : 'nothing',
    };
  const { folded } = await pursueAttempts(needs, id, requested, context, startedAt);
  return { answer: answerAttempt(id, folded, attemptId), result: 'appended' };
}

/** Refunds what each capture has left, and ignores that late successes may have refunded more than was captured. */
const refundBeyondTotals: BrokenVariant = {
  name: 'refund ignores what is refundable',
  breaks: /was accepted beyond what was left/,
  payments: refundsOn((payment) => ({ ...payment, amountRefundable: payment.amountCaptured })),
};

/** Gives back what the customer has taken back by the issuer. */
const refundDisputed: BrokenVariant = {
  name: 'refund ignores disputes',
  breaks: /was accepted beyond what was not disputed/,
  payments: refundsOn((payment) => {
    const { amountCaptured, amountRefunded, amountRefundPending } = payment;
    return {
      ...payment,
      amountDisputed: 0,
      amountRefundable: Math.max(0, amountCaptured - amountRefunded - amountRefundPending),
    };
  }),
};

/** Appends what a notification tells without a word on what it was caused by. */
const forgetsTheCause: BrokenVariant = {
  name: 'a notification is not a cause',
  breaks: /leads back to nobody/,
  payments(parts) {
    const sound = makePayments(parts);
    return {
      ...sound,
      recordFact: (id, { causationId: _forgotten, ...context }, decide) => sound.recordFact(id, context, decide),
    };
  },
};

const requestedAt = new AsyncLocalStorage<number>();
/** How long each request has waited before it was taken, ms. */
const WAITED_MS = 60_000;

/** Events are recorded at the time at which their request came in, however long it then waited. */
const recordsAtTheRequest: BrokenVariant = {
  name: 'events are recorded at the time of the request',
  breaks: /now its past says/,
  world: (world) => ({ ...world, now: () => requestedAt.getStore() ?? world.now() }),
  payments(parts) {
    const sound = makePayments(parts);
    const then = <T>({ at }: Caller, work: () => T): T => requestedAt.run(at - WAITED_MS, work);
    return {
      ...sound,
      authorizePayment: (request, caller) => then(caller, () => sound.authorizePayment(request, caller)),
      capturePayment: (id, request, caller) => then(caller, () => sound.capturePayment(id, request, caller)),
      cancelPayment: (id, request, caller) => then(caller, () => sound.cancelPayment(id, request, caller)),
      refundPayment: (id, request, caller) => then(caller, () => sound.refundPayment(id, request, caller)),
    };
  },
};

type Request = Parameters<Payments['refundPayment']>[1];

export const VARIANTS: readonly BrokenVariant[] = [
  retryOnUnknown,
  settleOnFirstNotFound,
  derivedEventIds,
  noRevisionGuard,
  claimAfterTheCall,
  claimsLeftOut,
  resolverCalls,
  forgetOperationIds,
  refundBeyondTotals,
  refundDisputed,
  ...CANCEL_VARIANTS,
  forgetsTheCause,
  recordsAtTheRequest,
  ...WEBHOOK_VARIANTS,
  ...TWIN_VARIANTS,
  ...ROUTED_VARIANTS,
  ...BILLING_VARIANTS,
];
