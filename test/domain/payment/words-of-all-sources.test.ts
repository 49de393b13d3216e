// Answers, look-ups, notifications and operators' words about one capture or refund, in any order: the newest counts
// (contract §4).
import { expect } from 'chai';
import fc from 'fast-check';
import { isBooked } from '../../../src/domain/payment/attempt.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence, NotFound, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { attemptOf } from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import {
  AT,
  authorized,
  captureRequested,
  declined,
  id,
  known,
  notFound,
  pendingAnswer,
  refundRequested,
  settled,
  success,
  timing,
  unknown,
} from './story.ts';

type Subject = 'capture' | 'refund';
const AMOUNT = { capture: 400, refund: 300 } as const;
const requestedBefore = (subject: Subject): readonly PaymentEvent[] =>
  subject === 'capture'
    ? [...authorized, captureRequested('x', AMOUNT.capture, false)]
    : [...settled, refundRequested('x', AMOUNT.refund, 'c')];

type Source = Evidence['source'];
interface Word {
  readonly source: Source;
  readonly says: 'success' | 'refusal' | 'pending' | 'unknown' | 'not_found';
  /** How long before it is recorded it was so, or was asked for, ms. */
  readonly age: number;
  /** An operator's, without the processor's name. */
  readonly isNameless: boolean;
}

const applied = (state: Payment, events: readonly PaymentEvent[], at: number): Payment =>
  events.reduce(
    (before, event, index) => payment.evolve(before, event, { id: `e${at}-${index}`, revision: index, at }),
    state,
  );

function outcomeOf(subject: Subject, { says, isNameless, source }: Word): Outcome | NotFound {
  switch (says) {
    case 'success': {
      const told = success('x', AMOUNT[subject]);
      return source === 'operator' && isNameless ? { ...told, processorTransactionId: referenceOf(id('x')) } : told;
    }
    case 'refusal':
      return declined;
    case 'pending':
      return pendingAnswer('x');
    case 'unknown':
      return unknown;
    case 'not_found':
      return notFound;
    default:
      return says satisfies never;
  }
}

function evidenceOf({ source, age }: Word, at: number): Evidence {
  switch (source) {
    case 'answer':
      return { source, sentAt: AT };
    case 'lookup':
      return { source, sentAt: at - age };
    case 'notification':
      return { source, occurredAt: at - age };
    case 'operator':
      return { source };
    default:
      return source satisfies never;
  }
}

const afterWord = (state: Payment, subject: Subject, word: Word, at: number): Payment => {
  const evidence = evidenceOf(word, at);
  const settlement = {
    attemptId: id('x'),
    outcome: outcomeOf(subject, word),
    evidence,
    source: word.source,
    ...timing,
    at,
  };
  const decision = settleAttempt(settlement)(state);
  return decision.kind === 'accepted' ? applied(state, decision.events, at) : state;
};

const isDone = (state: Payment): boolean => {
  const attempt = attemptOf(state, id('x'));
  return attempt !== undefined && isBooked(attempt);
};

/** The result of the reports so far by the contract: the time of the newest success and of the newest refusal, ms. */
interface Told {
  readonly success: number;
  readonly refusal: number;
}
const NEVER = Number.NEGATIVE_INFINITY;
const saysDone = ({ success: done, refusal }: Told): boolean => done > refusal;

function toldAfter(told: Told, word: Word, at: number): Told {
  const { source, says } = word;
  const { occurredAt, sentAt } = evidenceOf(word, at);
  if (says === 'refusal')
    return source === 'answer' ? told : { ...told, refusal: Math.max(told.refusal, occurredAt ?? sentAt ?? at) };
  // An operation that has already happened cannot be resolved by an operator.
  if (says !== 'success' || (source === 'operator' && saysDone(told))) return told;
  return { ...told, success: Math.max(told.success, occurredAt ?? sentAt ?? at) };
}

const says = fc.constantFrom<Word['says']>(
  'success',
  'success',
  'refusal',
  'refusal',
  'pending',
  'unknown',
  'not_found',
);
const word = fc.record({
  source: fc.constantFrom<Source>('lookup', 'notification', 'notification', 'operator'),
  says,
  age: fc.integer({ min: 0, max: 5 }),
  isNameless: fc.boolean(),
});
/** A call has one answer, or none. */
const story = fc
  .tuple(
    fc.array(word, { maxLength: 6 }),
    fc.option(fc.tuple(fc.nat(), fc.constantFrom<Word['says']>('success', 'refusal', 'pending', 'unknown'))),
  )
  .map(([words, answer]): readonly Word[] => {
    const others = words.map((one): Word => (one.source === 'operator' ? { ...one, says: 'success' } : one));
    if (answer === null) return others;
    return others.toSpliced(answer[0] % (others.length + 1), 0, {
      source: 'answer',
      says: answer[1],
      age: 0,
      isNameless: false,
    });
  });

for (const subject of ['capture', 'refund'] as const) {
  describe(`words of every source about a ${subject}`, () => {
    it('leave it done when the newest of them is a success, after each word', () => {
      fc.assert(
        fc.property(story, (words) => {
          let state = applied(payment.initial, requestedBefore(subject), AT);
          let told: Told = { success: NEVER, refusal: NEVER };
          for (const [index, one] of words.entries()) {
            const at = AT + 2 + 2 * index;
            told = toldAfter(told, one, at);
            state = afterWord(state, subject, one, at);
            expect(isDone(state), `after ${index + 1} words`).to.equal(saysDone(told));
          }
          expect(known(state)).to.include(
            subject === 'capture'
              ? { amountCaptured: isDone(state) ? 400 : 0 }
              : { amountRefunded: isDone(state) ? 300 : 0 },
          );
        }),
        { numRuns: 3_000, seed: 20_261_122 },
      );
    });

    it('end with the success of a look-up that lost the race against an older notification', () => {
      const older: Word = { source: 'notification', says: 'success', age: 5, isNameless: false };
      const newer: Word = { ...older, source: 'lookup', age: 1 };
      const between: Word = { ...older, says: 'refusal', age: 3 };
      for (const order of [
        [older, newer, between],
        [newer, older, between],
        [between, older, newer],
        [older, between, newer],
      ]) {
        const end = order.reduce(
          (state, one) => afterWord(state, subject, one, AT + 9),
          applied(payment.initial, requestedBefore(subject), AT),
        );
        expect(isDone(end), JSON.stringify(order)).to.equal(true);
      }
    });
  });
}
