// The booked amounts against the operations of a processor: over histories with false refusals, late reports, manual
// confirmations and look-ups that name, every fact counts once, nothing is accepted beyond the totals, and in the end
// both agree (contract §4).
import { expect } from 'chai';
import fc from 'fast-check';
import type { Decision } from '../../../src/domain/decider.ts';
import { type Attempt, isBooked, isOpen } from '../../../src/domain/payment/attempt.ts';
import { requestAdjustment, requestCapture } from '../../../src/domain/payment/change.ts';
import { createPayment } from '../../../src/domain/payment/create.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { NotFound, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { attemptOf, openOverRefund } from '../../../src/domain/payment/queries.ts';
import { acceptOverRefund, requestRefund } from '../../../src/domain/payment/refund.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import type { Settlement } from '../../../src/domain/payment/settlement.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { AT, creation, declined, id, known, route } from './story.ts';

/**
 * The processor's handling of a request, and the report to its caller; `short`: how much less is captured than
 * requested.
 */
interface Fate {
  readonly isDone: boolean;
  readonly told: 'the truth' | 'declined' | 'not_found' | 'not_sent' | 'unknown' | 'pending';
  readonly short: number;
}
type Step =
  | { readonly ask: 'capture' | 'refund' | 'adjust'; readonly amount: number | undefined; readonly fate: Fate }
  /** The amount of the last refund that counted as refused, again. */
  | { readonly ask: 'refund again'; readonly fate: Fate }
  | { readonly ask: 'refund a capture'; readonly which: number; readonly fate: Fate }
  /** A look-up or a notification tells the truth of an attempt. */
  | { readonly ask: 'hear'; readonly which: number }
  /** An operator does, who may not know what the processor calls it. */
  | { readonly ask: 'vouch'; readonly which: number; readonly knowsName: boolean }
  | { readonly ask: 'close' };

const amount = fc.option(fc.constantFrom(100, 200, 300, 400, 500, 600, 1_000, 2_000), { nil: undefined, freq: 4 });
const which = fc.nat({ max: 9 });
const fate: fc.Arbitrary<Fate> = fc.record({
  isDone: fc.constantFrom(true, true, false),
  told: fc.constantFrom('the truth', 'the truth', 'declined', 'not_found', 'not_sent', 'unknown', 'pending'),
  short: fc.constantFrom(0, 0, 0, 50),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ask: fc.constantFrom('capture', 'refund', 'refund', 'adjust'), amount, fate }) },
  { weight: 4, arbitrary: fc.record({ ask: fc.constant('refund again'), fate }) },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('refund a capture'), which, fate }) },
  { weight: 3, arbitrary: fc.record({ ask: fc.constant('hear'), which }) },
  { weight: 2, arbitrary: fc.record({ ask: fc.constant('vouch'), which, knowsName: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('close') }) },
);

/** A processor's books of one payment, and the payment that gets their reports. */
class Books {
  state: Payment = payment.initial;
  /** The operations of the processor, by attempt, in its order: minor units. */
  readonly #done = new Map<string, number>();
  /** The last reported amount of each. */
  readonly #told = new Map<string, number>();
  #revision = -1;

  run(decide: (payment: Payment) => Decision<PaymentEvent>): readonly PaymentEvent[] {
    const decision = decide(this.state);
    if (decision.kind === 'rejected') return [];
    for (const event of decision.events) {
      this.#revision += 1;
      const recorded = { id: `event-${this.#revision}`, revision: this.#revision, at: AT };
      this.state = payment.evolve(this.state, payment.category.event.parse(event), recorded);
    }
    return decision.events;
  }

  /** The authorization was done; a report names it, unless it comes from an operator who does not know its name. */
  begin(attemptId: string, amount: number, isVouched: boolean): void {
    this.#done.set(attemptId, amount);
    const authorization = attemptOf(this.state, attemptId);
    if (isVouched && authorization !== undefined) this.vouch(authorization, false);
    else this.hear(attemptId, 'answer');
  }

  /** Requests an operation; its outcome is reported at once, rightly or not. */
  ask(attemptId: string, decide: (payment: Payment) => Decision<PaymentEvent>, { isDone, told, short }: Fate): void {
    const before = known(this.state);
    const [request] = this.run(decide);
    if (request === undefined) return;
    const attempt = attemptOf(this.state, attemptId);
    if (attempt === undefined) throw new Error(`${attemptId} is not on record`);
    const { operation, amount } = attempt;
    const { amountAuthorized, amountCaptured, amountCapturePending, amountRefunded, amountRefundPending } = before;
    if (operation === 'refund')
      expect(amountRefunded + amountRefundPending + amount, 'a refund that was accepted').to.be.at.most(amountCaptured);
    if (operation === 'capture')
      expect(amountCaptured + amountCapturePending + amount, 'a capture that was accepted').to.be.at.most(
        amountAuthorized,
      );
    const really = operation === 'capture' ? Math.max(1, amount - short) : amount;
    if (isDone && this.#isPossible(operation, really)) this.#done.set(attemptId, really);
    if (told === 'the truth') this.hear(attemptId, 'answer');
    else this.#tell(attemptId, OUTCOMES[told], 'answer');
  }

  /** No processor takes more than it holds, or holds less than it has taken; with refunds it is generous. */
  #isPossible(operation: Attempt['operation'], amount: number): boolean {
    if (operation === 'capture') return this.sum('capture', this.#done) + amount <= this.#total(this.#done);
    return operation !== 'adjustment' || amount >= this.sum('capture', this.#done);
  }

  /** The truth, under the processor's own name. */
  hear(attemptId: string, source: Settlement['source']): void {
    const amount = this.#done.get(attemptId);
    const outcome: Outcome =
      amount === undefined
        ? declined
        : { kind: 'succeeded', processorTransactionId: nameOf(attemptId), amount, currencyCode: 'EUR' };
    this.#tell(attemptId, outcome, source);
  }

  /** The truth from an operator, who takes it to be as it was asked for. */
  vouch(attempt: Attempt, knowsName: boolean): void {
    if (!isOpen(attempt)) return;
    const { attemptId, amount, reference } = attempt;
    const processorTransactionId = knowsName ? nameOf(attemptId) : reference;
    const isDone = this.#done.has(attemptId);
    this.#tell(
      attemptId,
      isDone ? { kind: 'succeeded', processorTransactionId, amount, currencyCode: 'EUR' } : { kind: 'not_found' },
      'operator',
    );
  }

  #tell(attemptId: string, outcome: Outcome | NotFound, source: Settlement['source']): void {
    const wasBooked = this.#told.has(attemptId);
    this.run(settleAttempt({ attemptId, outcome, evidence: { source }, source, at: AT, sendBy: AT, callEndsAt: AT }));
    const attempt = attemptOf(this.state, attemptId);
    if (attempt === undefined || !isBooked(attempt) || outcome.kind !== 'succeeded') return;
    this.#told.set(attemptId, outcome.amount);
    if (attempt.operation !== 'refund' || wasBooked) return;
    const { amountRefunded, amountCaptured } = known(this.state);
    expect(openOverRefund(this.state), 'OVER_REFUNDED').to.equal(Math.max(0, amountRefunded - amountCaptured));
  }

  sum(operation: Attempt['operation'], of: ReadonlyMap<string, number>): number {
    return this.#of(of, operation).reduce((total, amount) => total + amount, 0);
  }

  /** The total held: by the last report on it, in the order of the requests. */
  #total = (of: ReadonlyMap<string, number>): number => this.#of(of, 'authorization', 'adjustment').at(-1) ?? 0;

  #of(of: ReadonlyMap<string, number>, ...operations: readonly Attempt['operation'][]): readonly number[] {
    const attempts = known(this.state).attempts.filter(
      (attempt) => operations.includes(attempt.operation) && !isLate(attempt),
    );
    return attempts.flatMap(({ attemptId }) => of.get(attemptId) ?? []);
  }

  /** Every fact that was told counts, and counts once. */
  expectTotals(of: ReadonlyMap<string, number> = this.#told): void {
    const { amountAuthorized, amountCaptured, amountRefunded, amountRefundPending, amountRefundable, attempts } = known(
      this.state,
    );
    expect(amountCaptured + known(this.state).amountCapturePending, 'captured and pending').to.be.at.most(
      amountAuthorized,
    );
    expect({ amountAuthorized, amountCaptured, amountRefunded }).to.deep.equal({
      amountAuthorized: this.#total(of),
      amountCaptured: this.sum('capture', of),
      amountRefunded: this.sum('refund', of),
    });
    expect(amountRefundable, 'refundable').to.equal(Math.max(0, amountCaptured - amountRefunded - amountRefundPending));
    for (const attempt of attempts)
      if (attempt.operation === 'capture' && isLate(attempt))
        expect(attempts.map(({ follows }) => follows?.attemptId)).to.include(attempt.attemptId);
  }

  expectAgreement(): void {
    for (const { attemptId } of known(this.state).attempts) this.hear(attemptId, 'lookup');
    this.expectTotals(this.#done);
  }
}

const isLate = (attempt: Attempt): boolean => attempt.state === 'succeeded' && attempt.late === true;

/** The processor's own id of an attempt. */
const nameOf = (attemptId: string): string => `tx_${attemptId}`;

const OUTCOMES: { readonly [T in Exclude<Fate['told'], 'the truth'>]: Outcome | NotFound } = {
  declined: declined,
  not_found: { kind: 'not_found' },
  not_sent: { kind: 'not_sent', detail: '' },
  unknown: { kind: 'unknown', detail: '' },
  pending: { kind: 'pending', processorTransactionId: 'tx' },
};
const DONE: Fate = { isDone: true, told: 'the truth', short: 0 };
const timing = { at: AT, sendBy: AT, callEndsAt: AT };
const requestId = (index: number): string => id(`s${index}`);

/** The request of a step, as request number `index`; undefined if the step requests nothing. */
function requestOf(
  one: Step,
  attempts: readonly Attempt[],
  index: number,
): ((payment: Payment) => Decision<PaymentEvent>) | undefined {
  const fresh = { attemptId: requestId(index), ...timing };
  const refund = { ...fresh, refundId: `ref_${index}` };
  switch (one.ask) {
    case 'capture':
      return requestCapture({ ...fresh, amount: one.amount, final: false });
    case 'adjust':
      return requestAdjustment({ ...fresh, amount: one.amount ?? 1_000 });
    case 'refund':
      return requestRefund({ ...refund, amount: one.amount });
    case 'refund again': {
      const refused = attempts.findLast(
        (attempt) => attempt.operation === 'refund' && !isOpen(attempt) && attempt.state !== 'succeeded',
      );
      return requestRefund({ ...refund, amount: refused?.amount });
    }
    case 'refund a capture': {
      const captures = attempts.filter(({ operation }) => operation === 'capture');
      return requestRefund({ ...refund, transactionEventId: captures[one.which % captures.length]?.events[0]?.id });
    }
    case 'hear':
    case 'vouch':
    case 'close':
      return undefined;
    default:
      return one satisfies never;
  }
}

function take(books: Books, one: Step, index: number): void {
  const { attempts } = known(books.state);
  const request = requestOf(one, attempts, index);
  if (request !== undefined && 'fate' in one) books.ask(requestId(index), request, one.fate);
  // The newest come first, so that most words are about what is under way.
  const chosen = 'which' in one ? attempts.toReversed()[one.which % attempts.length] : undefined;
  if (one.ask === 'hear' && chosen !== undefined) books.hear(chosen.attemptId, 'notification');
  if (one.ask === 'vouch' && chosen !== undefined) books.vouch(chosen, one.knowsName);
  if (one.ask === 'close') {
    books.run(acceptOverRefund({ source: 'operator' }));
    expect(openOverRefund(books.state), 'OVER_REFUNDED after an operator closed it').to.equal(0);
  }
}

/** Long rounds: COUNTERFOIL_MONEY_RUNS=200000. */
const RUNS = Number(process.env['COUNTERFOIL_MONEY_RUNS'] ?? 3_000);

describe('money', () => {
  it('is booked once, as the processor moved it, and never given out beyond what is left, in whatever order words arrive', () => {
    const captures = fc.constantFrom<readonly number[]>([], [1_000], [400, 600], [400]);
    let overRefunded = 0;
    const property = fc.property(
      captures,
      fc.boolean(),
      fc.array(step, { minLength: 2, maxLength: 25 }),
      (captured, isVouched, steps) => {
        const books = new Books();
        const paymentMethod = { ...creation.paymentMethod, authorizationType: 'ESTIMATED' as const };
        books.run(createPayment({ ...creation, paymentMethod }, route, { attemptId: id('a'), ...timing }));
        books.begin(id('a'), 1_000, isVouched);
        for (const [index, part] of captured.entries()) {
          const attemptId = id(`c${index}`);
          books.ask(attemptId, requestCapture({ attemptId, amount: part, final: false, ...timing }), DONE);
        }
        for (const [index, one] of steps.entries()) {
          take(books, one, index);
          books.expectTotals();
        }
        if (openOverRefund(books.state) > 0) overRefunded += 1;
        books.expectAgreement();
      },
    );
    fc.assert(property, { numRuns: RUNS, seed: 20_260_101 });
    // Histories in which nothing was ever refunded too much would prove nothing of it.
    expect(overRefunded).to.be.at.least(RUNS / 200);
  }).timeout(600_000);
});
