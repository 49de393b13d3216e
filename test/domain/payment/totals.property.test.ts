// Totals over random histories: whatever is asked and answered, in any order, late and repeated, the totals hold
// (contract §4).
import { expect } from 'chai';
import fc from 'fast-check';
import type { Decision } from '../../../src/domain/decider.ts';
import { authorizationOf } from '../../../src/domain/payment/attempt.ts';
import { requestAdjustment, requestCancellation, requestCapture } from '../../../src/domain/payment/change.ts';
import { createPayment } from '../../../src/domain/payment/create.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization } from '../../../src/domain/payment/expire.ts';
import { recordLookUp } from '../../../src/domain/payment/look-up.ts';
import type { NotFound, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { KnownPayment, Payment, PaymentStatus } from '../../../src/domain/payment/payment.ts';
import { isKnown, isVouched } from '../../../src/domain/payment/queries.ts';
import { requestRefund } from '../../../src/domain/payment/refund.ts';
import { recordReturn } from '../../../src/domain/payment/return.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { AT, creation, declined, id, route } from './story.ts';

type Step =
  | { readonly ask: 'capture' | 'refund' | 'adjust'; readonly amount: number | undefined; readonly final: boolean }
  | { readonly ask: 'cancel' | 'expire' }
  | {
      readonly ask: 'settle';
      readonly which: number;
      readonly outcome: (asked: number) => Outcome | NotFound;
      readonly source: Source;
      readonly occurredAt: number | undefined;
    }
  | { readonly ask: 'return'; readonly which: number }
  | { readonly ask: 'believe'; readonly which: number }
  | { readonly ask: 'lookUp'; readonly which: number; readonly answer: 'pending' | 'unknown' | 'not_found' };
type Source = 'answer' | 'lookup' | 'notification' | 'operator';

const amount = fc.option(fc.oneof(fc.integer({ min: -5, max: 1_300 }), fc.constantFrom(1, 200, 500, 1_000)), {
  nil: undefined,
  freq: 2,
});
const which = fc.nat({ max: 30 });
const success = (shift: number, currencyCode: string) => (asked: number) =>
  ({ kind: 'succeeded', processorTransactionId: 'tx', amount: asked + shift, currencyCode }) as const;
const outcome = fc.oneof(
  { weight: 4, arbitrary: fc.constant(success(0, 'EUR')) },
  fc.integer({ min: -300, max: 300 }).map((shift) => success(shift, 'EUR')),
  fc.constant(success(0, 'USD')),
  {
    weight: 4,
    arbitrary: fc
      .constantFrom<Outcome | NotFound>(
        declined,
        { kind: 'pending', processorTransactionId: 'tx' },
        { kind: 'unknown', detail: '' },
        { kind: 'not_sent', detail: '' },
        { kind: 'not_found' },
      )
      .map((other) => () => other),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ask: fc.constantFrom('capture', 'refund', 'adjust'), amount, final: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ ask: fc.constantFrom('cancel', 'cancel', 'cancel', 'expire') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ask: fc.constant('settle'),
      which,
      outcome,
      source: fc.constantFrom<Source>('answer', 'lookup', 'notification', 'operator'),
      occurredAt: fc.option(fc.integer({ min: AT - 5, max: AT + 45 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('return'), which }) },
  { weight: 3, arbitrary: fc.record({ ask: fc.constant('believe'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ask: fc.constant('lookUp'),
      which,
      answer: fc.constantFrom('pending', 'unknown', 'not_found'),
    }),
  },
);

function decisionOf(
  one: Step,
  before: KnownPayment,
  index: number,
): ((payment: Payment) => Decision<PaymentEvent>) | undefined {
  const timing = { at: AT + index, sendBy: AT + index, callEndsAt: AT + index + 30_000 };
  // The newest attempts come first, so that most outcomes are about what is under way.
  const chosen = 'which' in one ? before.attempts.toReversed()[one.which % before.attempts.length] : undefined;
  const fresh = { attemptId: id(`s${index}`), ...timing };
  switch (one.ask) {
    case 'capture':
      return requestCapture({ ...fresh, amount: one.amount, final: one.final });
    case 'refund':
      return requestRefund({ ...fresh, refundId: `ref_${index}`, amount: one.amount });
    case 'adjust':
      return requestAdjustment({ ...fresh, amount: Math.max(1, one.amount ?? 1) });
    case 'cancel':
      return requestCancellation(fresh);
    case 'expire':
      return expireAuthorization({
        attemptId: authorizationOf(before)?.attemptId ?? '',
        evidence: { source: 'notification' },
      });
    case 'settle': {
      if (chosen === undefined) return undefined;
      const { attemptId } = chosen;
      const { source, occurredAt } = one;
      const evidence = { source, ...(source === 'notification' && occurredAt !== undefined && { occurredAt }) };
      return settleAttempt({ attemptId, outcome: one.outcome(chosen.amount), evidence, source, ...timing });
    }
    case 'return':
      if (chosen?.state !== 'succeeded') return undefined;
      return recordReturn({
        attemptId: chosen.attemptId,
        amount: chosen.bookedAmount,
        evidence: { source: 'notification' },
      });
    case 'believe': {
      // A success after all, of an attempt that was taken for refused.
      const refused = before.attempts.filter(
        ({ state }) => state === 'declined' || state === 'not_sent' || state === 'not_found',
      );
      const late = refused[one.which % refused.length];
      return late === undefined ? undefined : settle(late.attemptId, success(0, 'EUR')(late.amount));
    }
    case 'lookUp':
      if (chosen === undefined) return undefined;
      return recordLookUp({
        attemptId: chosen.attemptId,
        answer: one.answer,
        processorTransactionId: undefined,
        evidence: { source: 'lookup' },
        nextLookUpAt: AT + index,
      });
    default:
      return one satisfies never;
  }
}

// The transitions that the table of contract §4 allows in one event. SETTLING to CANCELLED: its capture failed after
// the authorization was gone.
const ALLOWED: { readonly [S in PaymentStatus]: readonly PaymentStatus[] } = {
  PENDING: ['AUTHORIZED', 'DECLINED', 'FAILED', 'CANCELLED'],
  AUTHORIZED: ['SETTLED', 'SETTLING', 'PARTIALLY_SETTLED', 'CANCELLED'],
  PARTIALLY_SETTLED: ['SETTLED', 'SETTLING'],
  SETTLING: ['SETTLED', 'PARTIALLY_SETTLED', 'AUTHORIZED', 'CANCELLED'],
  SETTLED: [],
  DECLINED: [],
  FAILED: [],
  CANCELLED: [],
};

function holds(before: KnownPayment, after: KnownPayment, { type, data }: PaymentEvent): void {
  const { amountAuthorized, amountCapturable, amountCaptured, amountCapturePending } = after;
  const { amountRefundable, amountRefunded, amountRefundPending } = after;
  expect(amountCaptured + amountCapturePending, 'captured and pending').to.be.at.most(amountAuthorized);
  expect(amountRefundable, 'refundable').to.equal(Math.max(0, amountCaptured - amountRefunded - amountRefundPending));
  if (type === 'RefundRequested' && data.follows === undefined)
    expect(amountRefunded + amountRefundPending, 'refunded and pending').to.be.at.most(amountCaptured);
  for (const total of [
    amountCapturable,
    amountCaptured,
    amountCapturePending,
    amountRefundable,
    amountRefunded,
    amountRefundPending,
  ]) {
    expect(total).to.be.at.least(0);
    expect(Number.isSafeInteger(total)).to.equal(true);
  }
  expect(amountCapturable + amountCaptured + amountCapturePending, 'capturable').to.be.at.most(amountAuthorized);
  // A manually confirmed amount is as requested only until the processor reports the actual amount.
  const isCorrected =
    type === 'SuccessConfirmed' && before.attempts.some((one) => one.attemptId === data.attemptId && isVouched(one));
  const isReturn = type === 'CaptureReturned';
  if (!isCorrected && !isReturn)
    expect(amountCaptured, 'captured money does not vanish').to.be.at.least(before.amountCaptured);
  if (isReturn)
    expect(before.amountCaptured - amountCaptured, 'a capture that came back').to.be.oneOf([0, data.amount]);
  if (type !== 'RefundReturned')
    expect(amountRefunded, 'refunded money does not come back').to.be.at.least(before.amountRefunded);
  else expect(before.amountRefunded - amountRefunded, 'a refund that came back').to.be.oneOf([0, data.amount]);
  const undone: readonly PaymentStatus[] = isReturn ? ['AUTHORIZED', 'PARTIALLY_SETTLED', 'CANCELLED'] : [];
  const allowed = isCorrected
    ? [...ALLOWED[before.status], 'PARTIALLY_SETTLED']
    : [...ALLOWED[before.status], ...undone];
  if (after.status !== before.status) expect(allowed, `${before.status} to ${after.status}`).to.include(after.status);
  if (after.status === 'SETTLED') expect(amountCaptured).to.equal(amountAuthorized);
  if (['DECLINED', 'FAILED', 'CANCELLED'].includes(after.status)) expect(amountCaptured).to.equal(0);
}

/** A payment that decisions are applied to; `each` sees it before and after every event. */
function history(each: (before: KnownPayment, after: KnownPayment, event: PaymentEvent) => void = () => undefined) {
  let state: Payment = payment.initial;
  let revision = -1;
  return {
    get state(): Payment {
      return state;
    },
    run(decide: (payment: Payment) => Decision<PaymentEvent>): readonly PaymentEvent[] {
      const decision = decide(state);
      if (decision.kind === 'rejected') return [];
      for (const event of decision.events) {
        revision += 1;
        const before = state;
        const recorded = { id: `event-${revision}`, revision, at: AT };
        state = payment.evolve(before, payment.category.event.parse(event), recorded);
        if (isKnown(before) && isKnown(state)) each(before, state, event);
      }
      return decision.events;
    },
  };
}

const timing = { at: AT, sendBy: AT, callEndsAt: AT };

const settle = (attemptId: string, outcome: Outcome) =>
  settleAttempt({ attemptId, outcome, evidence: { source: 'notification' }, source: 'notification', ...timing });

describe('the totals of a payment', () => {
  // Most histories begin after the authorization, because most of the rules are about what follows it.
  const start = fc.constantFrom<readonly number[]>([], [1_000], [1_000, 600]);
  const beginning = fc.record({
    captureMode: fc.constantFrom('MANUAL', 'AUTOMATIC'),
    authorizationType: fc.constantFrom('FINAL', 'ESTIMATED'),
  });

  it('hold over every sequence of requests and outcomes, in the order of the table', () => {
    const reached = new Set<PaymentStatus>();
    const seen = new Set<PaymentEvent['type']>();
    const property = fc.property(
      beginning,
      start,
      fc.array(step, { minLength: 1, maxLength: 40 }),
      (method, [authorized, captured], steps) => {
        const made = history((before, after, event) => {
          holds(before, after, event);
          reached.add(after.status);
          seen.add(event.type);
        });
        const paymentMethod = { ...creation.paymentMethod, ...method };
        made.run(createPayment({ ...creation, paymentMethod }, route, { attemptId: id('a'), ...timing }));
        if (authorized !== undefined) made.run(settle(id('a'), success(0, 'EUR')(authorized)));
        if (captured !== undefined) {
          made.run(requestCapture({ attemptId: id('c'), amount: captured, final: false, ...timing }));
          made.run(settle(id('c'), success(0, 'EUR')(captured)));
        }
        for (const [index, one] of steps.entries()) {
          if (!isKnown(made.state)) throw new Error('the payment is gone');
          const decide = decisionOf(one, made.state, index);
          const events = decide === undefined ? [] : made.run(decide);
          expect(events.filter(({ type }) => type.endsWith('Requested')).length, 'one request an append').to.be.at.most(
            1,
          );
        }
      },
    );
    fc.assert(property, { numRuns: 3_000, seed: 20_260_101 });
    // Random histories that never get anywhere would prove nothing.
    expect([...reached]).to.have.members(Object.keys(ALLOWED));
    expect(seen.size).to.be.at.least(14);
    expect([...seen]).to.include.members(['CaptureReturned', 'RefundReturned']);
  });

  it('end the same whatever the order in which the news of one attempt arrives, once one of them is its success', () => {
    const others: readonly Outcome[] = [
      { kind: 'unknown', detail: '' },
      { kind: 'pending', processorTransactionId: 'tx' },
      declined,
      { kind: 'not_sent', detail: '' },
      { kind: 'unknown', detail: 'again' },
    ];
    const property = fc.property(fc.shuffledSubarray([...others], { minLength: 0 }), fc.nat({ max: 5 }), (news, at) => {
      const made = history();
      made.run(createPayment(creation, route, { attemptId: id('a'), ...timing }));
      made.run(settle(id('a'), success(0, 'EUR')(1_000)));
      made.run(requestCapture({ attemptId: id('c'), amount: 400, final: false, ...timing }));
      for (const outcome of news.toSpliced(at, 0, success(0, 'EUR')(400))) made.run(settle(id('c'), outcome));
      expect(made.state).to.include({
        status: 'PARTIALLY_SETTLED',
        amountCaptured: 400,
        amountCapturePending: 0,
        amountCapturable: 600,
      });
    });
    fc.assert(property);
  });
});
