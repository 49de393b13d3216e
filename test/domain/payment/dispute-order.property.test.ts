// A dispute ends as the processor reported last, in whatever order notifications, look-ups and our own clock arrive
// (contract §13).
import { expect } from 'chai';
import fc from 'fast-check';
import type { DisputeStatus } from '../../../src/domain/dispute-status.ts';
import { dueDisputesAt, expireByClock } from '../../../src/domain/payment/dispute-due.ts';
import { recordDispute } from '../../../src/domain/payment/dispute-word.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, known, settled } from './story.ts';

const given = givenOf(payment);
const DUE = AT + 1_000;
const RUNS = Number(process.env['RUNS'] ?? 400);

/** How a dispute may go at the processor, from the first word to the last. */
const HISTORIES: readonly (readonly DisputeStatus[])[] = [
  ['OPEN'],
  ['OPEN', 'EXPIRED'],
  ['OPEN', 'EXPIRED', 'LOST'],
  ['OPEN', 'EXPIRED', 'WON'],
  ['OPEN', 'ACCEPTED'],
  ['OPEN', 'ACCEPTED', 'WON'],
  ['OPEN', 'CHALLENGED'],
  ['OPEN', 'CHALLENGED', 'WON'],
  ['OPEN', 'CHALLENGED', 'LOST'],
  ['OPEN', 'CHALLENGED', 'LOST', 'WON'],
  ['OPEN', 'CHALLENGED', 'WON', 'LOST', 'WON'],
];

/** Each report comes 300 ms after the previous one, so some come before the response period is over, and some after. */
const wordAt = (place: number): number => AT + place * 300;
const word = (status: DisputeStatus, evidence: Evidence) =>
  recordDispute({
    disputeId: 'd',
    processorDisputeId: 'dp',
    status,
    amount: 400,
    currencyCode: 'EUR',
    openedAt: AT,
    challengeRequiredBy: DUE,
    evidence,
  });

type Heard = { readonly by: 'notification' | 'lookup'; readonly place: number } | { readonly by: 'clock' };
const hearing = (history: readonly DisputeStatus[], heard: Heard) => {
  if (heard.by === 'clock') return expireByClock('d', DUE);
  const { by, place } = heard;
  const status = history[place] ?? 'OPEN';
  // A look-up is asked at some moment after the word came true, and before the next one does.
  return word(
    status,
    by === 'notification' ? { source: by, occurredAt: wordAt(place) } : { source: by, sentAt: wordAt(place) + 100 },
  );
};

const after = (state: Payment, events: readonly PaymentEvent[]): Payment =>
  events.reduce(
    (before, event, index) => payment.evolve(before, event, { id: `e${index}`, revision: 9 + index, at: DUE + index }),
    state,
  );

describe('a dispute that is reported in any order', () => {
  const told = fc.constantFrom(...HISTORIES).chain((history) => {
    const places = history.map((_, place) => place);
    const more = fc.array(
      fc.oneof(
        fc.record({ by: fc.constant('lookup' as const), place: fc.constantFrom(...places) }),
        fc.constant({ by: 'clock' as const }),
        fc.record({ by: fc.constant('notification' as const), place: fc.constantFrom(...places) }),
      ),
      { maxLength: 6 },
    );
    const all: readonly Heard[] = places.map((place) => ({ by: 'notification', place }));
    return more
      .chain((others) => fc.shuffledSubarray([...all, ...others], { minLength: all.length + others.length }))
      .map((order) => ({ history, order }));
  });

  it('ends as the processor last said, and never by our clock where the processor has told an end', () => {
    fc.assert(
      fc.property(told, ({ history, order }) => {
        let { state } = given(...settled);
        for (const heard of order) {
          const decision = hearing(history, heard)(state);
          if (decision.kind === 'rejected') throw new Error(decision.description);
          state = after(state, decision.events);
        }
        const [dispute] = known(state).disputes;
        const last = history.at(-1);
        const isByClock =
          last === 'OPEN' &&
          order.some(({ by }, place) => by === 'clock' && order.slice(0, place).some((one) => one.by !== 'clock'));
        expect(dispute?.status).to.equal(isByClock ? 'EXPIRED' : last);
        expect(dispute?.endedBy === 'clock').to.equal(isByClock);
        // An open dispute becomes due, so nothing waits for ever for a lost report.
        if (dispute?.status === 'CHALLENGED') expect(dueDisputesAt(state)).to.be.greaterThan(AT);
        else expect(dueDisputesAt(state)).to.equal(dispute?.status === 'OPEN' ? DUE : undefined);
      }),
      { numRuns: RUNS },
    );
  });
});
