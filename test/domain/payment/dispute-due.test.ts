// A dispute whose time to answer is over, by the processor's look-ups and by our own clock (contract §13).
import { expect } from 'chai';
import { expireByClock, recordStatusLookUp } from '../../../src/domain/payment/dispute-due.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, id, known, place, settled } from './story.ts';

const given = givenOf(payment);
const DUE = AT + 60_000;
const told: Evidence = { source: 'notification' };
const byLookUp: Evidence = { source: 'lookup', sentAt: DUE };
const opened: readonly PaymentEvent[] = [
  ...settled,
  {
    type: 'DisputeOpened',
    data: {
      round: 1,
      type: 'DISPUTE',
      disputeId: 'd',
      processorDisputeId: 'dp',
      amount: 400,
      currencyCode: 'EUR',
      ...place,
      openedAt: AT,
      challengeRequiredBy: DUE,
      evidence: told,
    },
  },
];
const answer = { disputeId: 'd', answerId: id('e') };
const unknown: readonly PaymentEvent[] = [
  {
    type: 'DisputeAnswerRequested',
    data: { ...answer, reference: 'ref_e', answer: 'acceptance', requestedAt: AT, sendBy: AT, nextLookUpAt: AT },
  },
  { type: 'DisputeAnswerOutcomeUnknown', data: { ...answer, evidence: { source: 'answer' }, nextLookUpAt: DUE } },
];
const notFound: PaymentEvent = { type: 'DisputeAnswerNotFound', data: { ...answer, evidence: byLookUp } };
const expired: PaymentEvent = {
  type: 'DisputeExpired',
  data: { disputeId: 'd', evidence: { source: 'clock', occurredAt: DUE } },
};
const look = {
  disputeId: 'd',
  status: 'OPEN',
  answer: 'unreachable',
  evidence: byLookUp,
  nextLookUpAt: DUE + 30_000,
} as const;
const { status: _status, ...recorded } = look;
const looked: PaymentEvent = { type: 'DisputeLookUpRecorded', data: recorded };

describe('a dispute whose time to answer is over', () => {
  it('ends by our own clock at that moment, and not before', () => {
    given(...opened)
      .when(expireByClock('d', DUE - 1))
      .thenNothing();
    given(...opened)
      .when(expireByClock('d', DUE))
      .then(expired);
  });

  it('does not end while an answer to it may have arrived in time', () => {
    for (const decide of [expireByClock('d', DUE), recordStatusLookUp({ ...look, lookUps: 0 }, DUE)])
      given(...opened, ...unknown)
        .when(decide)
        .thenNothing();
    given(...opened, ...unknown, notFound)
      .when(expireByClock('d', DUE))
      .then(expired);
  });

  it('has one record of look-ups that two nodes make at once', () => {
    given(...opened)
      .when(recordStatusLookUp({ ...look, lookUps: 0 }, DUE))
      .then(looked);
    given(...opened, looked)
      .when(recordStatusLookUp({ ...look, lookUps: 0 }, DUE))
      .thenNothing();
    const [before, after] = [given(...opened).state, given(...opened, looked).state];
    expect(known(after).dateUpdated, 'a look-up changes nothing').to.equal(known(before).dateUpdated);
  });
});
