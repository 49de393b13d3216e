// Several words of the processor about one capture or refund: the newest counts, in whatever order they arrive
// (contract §4).
import { expect } from 'chai';
import fc from 'fast-check';
import type { Decision } from '../../../src/domain/decider.ts';
import { isBooked } from '../../../src/domain/payment/attempt.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { attemptOf } from '../../../src/domain/payment/queries.ts';
import { recordReturn } from '../../../src/domain/payment/return.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { statusReason } from '../../../src/domain/payment/status-reason.ts';
import { causeOf } from '../../../src/domain/payment/totals.ts';
import {
  AT,
  authorized,
  captureRequested,
  id,
  isPending,
  isUnknown,
  known,
  refundRequested,
  settled,
  success,
  timing,
  wasDeclined,
  wasNotFound,
  wentThrough,
} from './story.ts';

/** `at`: by the processor's clock, ms. */
interface Word {
  readonly says: 'success' | 'refusal' | 'return';
  readonly at: number;
}
type Subject = 'capture' | 'refund';
const SUBJECTS: readonly Subject[] = ['capture', 'refund'];
const AMOUNT = { capture: 400, refund: 300 } as const;

const requestedBefore = (subject: Subject): readonly PaymentEvent[] =>
  subject === 'capture'
    ? [...authorized, captureRequested('x', AMOUNT.capture, false)]
    : [...settled, refundRequested('x', AMOUNT.refund, 'c')];

/**
 * The record when the reports begin to arrive; the story's own facts are recorded at AT, in the order of their
 * revisions.
 */
const BEFORE: { readonly [name: string]: (subject: Subject) => readonly PaymentEvent[] } = {
  'no word': () => [],
  'an accepted request': (subject) => [isPending('x', subject)],
  'a lost answer': (subject) => [isUnknown('x', subject)],
  'a success that was answered': (subject) => [wentThrough('x', subject, AMOUNT[subject])],
  'a refusal that was answered': (subject) => [wasDeclined('x', subject)],
  'a look-up that found nothing': (subject) => [wasNotFound('x', subject)],
  'a manual confirmation of success': (subject) => [vouched(subject)],
};

function vouched(subject: Subject): PaymentEvent {
  const event = wentThrough('x', subject, AMOUNT[subject]);
  if (event.type !== 'PaymentCaptured' && event.type !== 'RefundSucceeded') throw new Error(event.type);
  return { ...event, data: { ...event.data, evidence: { source: 'operator' } } };
}

const applied = (state: Payment, events: readonly PaymentEvent[]): Payment =>
  events.reduce(
    (before, event, index) => payment.evolve(before, event, { id: `e${index}`, revision: index, at: AT }),
    state,
  );

function decide(subject: Subject, { says, at }: Word): (state: Payment) => Decision<PaymentEvent> {
  const evidence = { source: 'notification', occurredAt: at } as const;
  const attemptId = id('x');
  if (says === 'return') return recordReturn({ attemptId, amount: AMOUNT[subject], evidence });
  const refusal = { kind: 'declined', code: `AT_${at}`, declineType: 'HARD' } as const;
  const outcome = says === 'success' ? success('x', AMOUNT[subject]) : refusal;
  return settleAttempt({ attemptId, outcome, evidence, source: 'notification', ...timing });
}

/** The end of a history; a return that came too early is delivered again, as its parked notification is. */
function endOf(subject: Subject, before: readonly PaymentEvent[], words: readonly Word[]): Payment {
  let state = applied(payment.initial, [...requestedBefore(subject), ...before]);
  let parked: readonly Word[] = [];
  for (const word of words) {
    const tried = [...parked, word];
    parked = [];
    for (const one of tried) {
      const decision = decide(subject, one)(state);
      if (decision.kind === 'accepted') state = applied(state, decision.events);
      else parked = [...parked, one];
    }
  }
  for (const one of parked) {
    const decision = decide(subject, one)(state);
    if (decision.kind === 'accepted') state = applied(state, decision.events);
  }
  return state;
}

const isDone = (state: Payment): boolean => {
  const attempt = attemptOf(state, id('x'));
  return attempt !== undefined && isBooked(attempt);
};

/** Everything that is shown of it, besides its history. */
function shown(state: Payment): object {
  const {
    status,
    amountAuthorized,
    amountCapturable,
    amountCaptured,
    amountRefundable,
    amountRefunded,
    statusReason: cause,
  } = known(state);
  const { amountCapturePending, amountRefundPending, restReleased } = known(state);
  const attempt = attemptOf(state, id('x'));
  const why = attempt && causeOf(attempt, known(state));
  return {
    totals: [
      amountAuthorized,
      amountCapturable,
      amountCaptured,
      amountCapturePending,
      amountRefundable,
      amountRefunded,
      amountRefundPending,
    ],
    status,
    restReleased,
    isDone: isDone(state),
    reasons: [cause && statusReason(cause), why && statusReason(why)],
  };
}

const orders = <T>(list: readonly T[]): readonly (readonly T[])[] =>
  list.length < 2
    ? [list]
    : list.flatMap((one, index) => orders(list.toSpliced(index, 1)).map((rest) => [one, ...rest]));

/** Every set of at most `most` of these. */
const setsOf = <T>(list: readonly T[], most: number): readonly (readonly T[])[] =>
  Array.from({ length: 2 ** list.length }, (_, set) => list.filter((_one, index) => (set >> index) % 2 === 1)).filter(
    ({ length }) => length <= most,
  );

/** Before, at and after the time of the words that nobody dates. */
const TIMES = [AT - 1, AT, AT + 1];
const WORDS: readonly Word[] = TIMES.flatMap((at) => [
  { says: 'success', at } as const,
  { says: 'refusal', at } as const,
]);

for (const subject of SUBJECTS) {
  describe(`the dated words about a ${subject}`, () => {
    it('end with the newest, and of two words of one time with the refusal', () => {
      for (const words of setsOf(WORDS, 5).filter(({ length }) => length > 0)) {
        const newest = (says: Word['says']): number =>
          Math.max(...words.filter((word) => word.says === says).map(({ at }) => at));
        expect(isDone(endOf(subject, [], words)), JSON.stringify(words)).to.equal(
          newest('success') > newest('refusal'),
        );
      }
    });

    for (const [name, start] of Object.entries(BEFORE)) {
      it(`end the same in every order, after ${name}`, () => {
        for (const words of setsOf(WORDS, 4)) {
          const [first = [], ...others] = orders(words);
          const end = shown(endOf(subject, start(subject), first));
          for (const order of others)
            expect(shown(endOf(subject, start(subject), order)), JSON.stringify(order)).to.deep.equal(end);
        }
      });
    }

    it('end the same in every order of five words of different times', () => {
      for (let kinds = 0; kinds < 32; kinds += 1) {
        const words = [0, 1, 2, 3, 4].map(
          (bit): Word => ({ says: (kinds >> bit) % 2 === 0 ? 'success' : 'refusal', at: AT + bit }),
        );
        const [first = [], ...others] = orders(words);
        const end = shown(endOf(subject, [], first));
        for (const order of others) expect(shown(endOf(subject, [], order)), JSON.stringify(order)).to.deep.equal(end);
      }
    });

    it('leave the same totals where the processor tells returns, too', () => {
      const word = fc.record({
        says: fc.constantFrom('success', 'refusal', 'return'),
        at: fc.integer({ min: AT - 1, max: AT + 3 }),
      });
      const starts = fc.constantFrom(...Object.values(BEFORE));
      const words = fc
        .array(word, { maxLength: 5 })
        .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
      fc.assert(
        fc.property(starts, words, (start, [one, other]) => {
          const { reasons: _some, ...end } = { reasons: [], ...shown(endOf(subject, start(subject), one)) };
          const { reasons: _others, ...otherEnd } = { reasons: [], ...shown(endOf(subject, start(subject), other)) };
          expect(otherEnd).to.deep.equal(end);
        }),
        { numRuns: 500 },
      );
    });
  });
}
